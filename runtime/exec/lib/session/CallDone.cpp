// SPDX-License-Identifier: Apache-2.0
// Compiled with exceptions, which nothing else of the runtime is.
#include "CallDone.h"
#include <cxxabi.h>
#include <exception>

namespace smp {

static void sayThrown(SessionLog &log, const std::string &what) {
  log.say(LogLevel::Warning, "the callback of an asynchronous step threw" +
                                 what + "; the Session goes on");
}

void callDone(const AsyncStep::Done &done, StatusOr<StepOutput> output,
              SessionLog &log) {
  try {
    done(std::move(output));
  } catch (const abi::__forced_unwind &) {
    throw; // The thread ends, by pthread_exit().
  } catch (const std::exception &thrown) {
    sayThrown(log, std::string(": ") + thrown.what());
  } catch (...) {
    sayThrown(log, "");
  }
}

} // namespace smp
