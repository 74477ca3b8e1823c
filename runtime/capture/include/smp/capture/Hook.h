// SPDX-License-Identifier: Apache-2.0
// Watching the steps of a Session: losses and other outputs. Since 0.1.
//
//   smp::Hook hook({.outDir = "run-1"});
//   hook.registerLoss("loss");
//   hook.attach(session);
//   ... steps ...
//   for (const smp::CapturedValue &loss : hook.values("loss"))
//     plot(loss.modeStep, loss.mean());

#ifndef SMP_CAPTURE_HOOK_H
#define SMP_CAPTURE_HOOK_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include "smp/exec/SessionTypes.h"
#include "smp/exec/StepObserver.h"

namespace smp {

class Session;

/// An output of one step, all microbatches of it: joined along the batch axis,
/// or, where there is none and more than one value, along a new first
/// dimension.
struct SMP_API CapturedValue {
  std::string entry;
  Mode mode = Mode::Global;
  uint64_t modeStep = 0;   ///< From 0, among the steps of this mode.
  uint64_t globalStep = 0; ///< From 0, among all steps.
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  /// Of all elements, in order; of no element 0. For a loss that each
  /// microbatch has it is the mean of the microbatches' losses.
  double mean() const;
};

struct HookOptions {
  /// The folder of the file values.jsonl; it is made. What is recorded is
  /// appended as it comes, one JSON object a line. Empty: no file.
  std::string outDir = {};
  /// Steps of a mode that are recorded: 0, saveInterval, twice that ...
  uint64_t saveInterval = 1;
  /// How many values of a name stay in memory, the last ones; 0: all.
  uint64_t keepValues = 0;
  /// Whether a failure of the hook ends the run. It is logged in any case, and
  /// the hook is off from then on.
  OnObserverError onError = OnObserverError::SwitchOff;
};

/// Records outputs of the steps of one Session. Calls may come from any thread.
/// It may be destroyed before the Session or after it.
class SMP_API Hook {
public:
  explicit Hook(HookOptions options = {});
  Hook(Hook &&) noexcept;
  Hook &operator=(Hook &&) noexcept;
  ~Hook();

  /// The output of that name, of every entry that has one, goes into the
  /// collection "losses". Before or after attach(). An output may be in several
  /// collections: the file has a line for each.
  Status registerLoss(std::string_view output);
  /// The same for any output and collection.
  Status watch(std::string_view output,
               std::string_view collection = "default");
  /// Records from now on. Fails when an output is unknown to the program, the
  /// file cannot be written, or the hook has a Session already.
  Status attach(Session &session);

  /// Of the last step; GLOBAL when there was none yet.
  Mode mode() const;
  /// What was recorded of an output, oldest first.
  std::vector<CapturedValue> values(std::string_view output) const;
  /// Only that of one mode.
  std::vector<CapturedValue> values(std::string_view output, Mode mode) const;

private:
  class Recorder;
  std::shared_ptr<Recorder> recorder; // The Session refers to it weakly.
};

} // namespace smp

#endif // SMP_CAPTURE_HOOK_H
