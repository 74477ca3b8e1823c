// SPDX-License-Identifier: Apache-2.0
// Watching the steps of a Session: losses and other outputs. Since 0.1.
//
//   smp::Hook hook({.outDir = "run-1", .saveConfig = {{.saveInterval = 10}}});
//   hook.registerLoss("loss");
//   hook.attach(session);
//   ... steps ...
//   for (const smp::CapturedValue &loss : hook.values("loss"))
//     plot(loss.modeStep, loss.mean());

#ifndef SMP_CAPTURE_HOOK_H
#define SMP_CAPTURE_HOOK_H

#include "smp/base/Log.h"
#include "smp/capture/HookConfig.h"
#include "smp/exec/SessionTypes.h"
#include "smp/exec/StepObserver.h"

namespace smp {

class Recorder;
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

/// What a step does whose values find no room in the hook's buffers, as the
/// disk is slower than the steps.
enum class WhenBehind {
  LeaveOut, ///< All of its values are left out.
  Wait,     ///< It waits until the disk has taken steps before it.
};

/// What a hook does in this process, whatever it captures.
struct HookOptions {
  /// Goes on in a folder that an earlier run of the job has written. Steps that
  /// are made again replace those of before. Else such a folder is an error.
  bool resume = false;
  /// Bytes of the buffers in which values wait for the disk, and the most that
  /// the values of one step may have. They are taken once; what steps never
  /// need costs nothing.
  uint64_t bufferBytes = uint64_t(64) << 20;
  WhenBehind whenBehind = WhenBehind::LeaveOut;
  /// How many values of a name values() has at most, the last ones, within
  /// bufferBytes for each name.
  uint64_t keepValues = 1000;
  /// Whether a failure of the hook ends the run. It is logged in any case, and
  /// the hook is off from then on. A step learns of a disk that failed after
  /// the steps before it; what was written before can be read.
  OnObserverError onError = OnObserverError::SwitchOff;
  /// Gets what the hook has to say that is no error. Any thread may call it.
  LogSink log = {};
};

/// What became of the steps of which something was to be written.
struct HookReport {
  uint64_t written = 0; ///< Their files are in the folder.
  uint64_t leftOut = 0; ///< They found no room in the buffers.
  uint64_t lost = 0;    ///< They were waiting when the disk failed.
  uint64_t bytes = 0;   ///< In the files of those that are written.
  /// What close() logs: how many steps the folder has, or why it has none.
  /// Empty before, and where no folder was written.
  std::string summary = {};
};

/// Saves outputs of the steps of one Session, and what its program was compiled
/// to show (ModelOptions::capture, `smp-compile --capture`): what is in a
/// collection that is saved, at the steps that the collection chooses. Where
/// reductions suffice, a step shows statistics and not the values. A step
/// copies them into buffers; a thread of the hook makes files of them, those of
/// a step when the next step ends, or close() comes. Calls may come from any
/// thread. It may be destroyed before the Session or after it.
///
/// With several ranks HookConfig::includeWorkers says which of them write what.
/// The hook of rank 0 suffices for "one"; for "all" each rank has one of the
/// same configuration, attached before the first step. A step is complete when
/// all of them wrote it. The last one that is closed ends the job.
class SMP_API Hook {
public:
  explicit Hook(HookConfig config = {}, HookOptions options = {});
  /// Of the configuration that readHookConfig() finds, where the environment
  /// variable SMDEBUG_CONFIG_FILE_PATH is set or its default path is there;
  /// else none.
  static StatusOr<std::optional<Hook>>
  fromEnvironment(HookOptions options = {});
  Hook(Hook &&) noexcept;
  Hook &operator=(Hook &&) noexcept;
  /// As close(), whose error is lost.
  ~Hook();

  /// The output of that name, of every entry that has one, goes into the
  /// collection "losses". Before or after attach().
  Status registerLoss(std::string_view output);
  /// The same for any collection, which is saved from now on. An output may be
  /// in several collections; it is written once.
  Status addToCollection(std::string_view collection, std::string_view output);
  /// The collection of the configuration, which is made where there is none:
  /// it is saved. What is changed after attach() has no effect. Valid until the
  /// next call of the hook; one thread at a time.
  CollectionConfig &collection(std::string_view name);
  /// Records from now on. Fails when the configuration is wrong, an output is
  /// unknown to the program or has a name that readers take for a reduction,
  /// the folder cannot be written, or the hook has a Session already.
  Status attach(Session &session);
  /// Records nothing from now on, waits until all is written, and tells readers
  /// of the folder that the job is over; that is left to others where the
  /// environment variable TRAINING_JOB_NAME is set. Logs what was written and
  /// what was not. Fails where the disk did.
  Status close();
  /// Up to now; final after close().
  HookReport report() const;

  /// Writes the number as the tensor "scalar/<name>" of the step that was made
  /// last, of the first one where there was none, whatever is saved of that. It
  /// goes with the step where that is left out. With `smMetric` also into the
  /// metrics of SageMaker: lines of <process id>.json in the folder that the
  /// environment variable SAGEMAKER_METRICS_DIRECTORY names, as do the means of
  /// what is saved of "losses", "metrics" and "sm_metrics". Fails for a name
  /// that readers would misread or that an output or a value that the program
  /// shows has, and before attach().
  Status saveScalar(std::string_view name, double value, bool smMetric = false);
  /// Writes what the collections, which are saved from now on, save of a tensor
  /// at the step that was made last. Nothing where they do not choose the step,
  /// or there was none. Fails as saveScalar(), and for no collection.
  Status saveTensor(std::string_view name, const TensorView &value,
                    const std::vector<std::string> &collections = {"default"});

  /// From the next step on those of entries of mode GLOBAL are of this mode,
  /// and count among its steps, from 0 after attach(). A step of an entry of
  /// another mode is a failure of the hook. GLOBAL: entries say. Call it
  /// between steps. Fails for a mode that no entry of the program can have.
  Status setMode(Mode mode);
  /// What setMode() says or, where that is GLOBAL, the last step's; GLOBAL when
  /// there was none yet.
  Mode mode() const;
  /// What was saved of an output given to registerLoss() or addToCollection(),
  /// oldest first, whole and as its own type.
  std::vector<CapturedValue> values(std::string_view output) const;
  /// Only that of one mode.
  std::vector<CapturedValue> values(std::string_view output, Mode mode) const;

private:
  std::shared_ptr<Recorder> recorder; // The Session refers to it weakly.
};

} // namespace smp

#endif // SMP_CAPTURE_HOOK_H
