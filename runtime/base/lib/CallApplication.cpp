// SPDX-License-Identifier: Apache-2.0
// Compiled with exceptions.
#include "smp/base/CallApplication.h"
#include <cxxabi.h>
#include <exception>

namespace smp {

Thrown catchThrown(void (*call)(void *callee), void *callee) {
  try {
    call(callee);
  } catch (const abi::__forced_unwind &) {
    throw; // The thread ends, by pthread_exit().
  } catch (const std::exception &thrown) {
    return std::string(": ") + thrown.what();
  } catch (...) {
    return std::string();
  }
  return std::nullopt;
}

} // namespace smp
