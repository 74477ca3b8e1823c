// SPDX-License-Identifier: Apache-2.0
// What a run saved, read while it runs or afterwards. Since 0.1.
//
//   SMP_ASSIGN_OR_RETURN(smp::Trial trial, smp::Trial::open("run-1"));
//   for (uint64_t step : trial.steps(smp::Mode::Train))
//     ...trial.value("loss", {.step = step, .mode = smp::Mode::Train})...

#ifndef SMP_TRIAL_TRIAL_H
#define SMP_TRIAL_TRIAL_H

#include "smp/serialization/EventCollections.h"
#include "smp/trial/TrialTypes.h"
#include <chrono>
#include <memory>
#include <span>

namespace smp {

/// A folder that a hook writes, or has written. It reads all index files, and
/// records when they are asked for. A step is complete when as many workers
/// wrote it as there are, when a later step is complete, or when the run has
/// ended. Steps are those of a mode; of GLOBAL, those of all modes together.
///
/// Where nothing else is said, calls fail with InvalidArgument for what the
/// trial does not have: a tensor, a step that was passed, a worker that did not
/// write it; with Unavailable for a step that may still come; with DataLoss for
/// a file that is damaged. Of one thread at a time.
class SMP_API Trial {
public:
  /// Fails with InvalidArgument when the folder is none, or no trial; with
  /// Unavailable when its collections file has not been written yet; with
  /// FailedPrecondition when a run that has ended wrote too few of those.
  static StatusOr<Trial> open(const std::string &folder,
                              TrialOptions options = {});
  Trial(Trial &&) noexcept;
  Trial &operator=(Trial &&) noexcept;
  ~Trial();

  /// Reads what was written since.
  Status refresh();
  /// Waits until something is written, at most `timeout`, and reads it. May
  /// also return earlier.
  Status awaitChange(std::chrono::milliseconds timeout);
  /// Whether the run has said that it writes nothing more.
  bool hasEnded() const;
  /// One message for each index file that could not be read at the last
  /// refresh(): its step lacks what it says.
  const std::vector<std::string> &problems() const;

  const EventCollections &collections() const;
  /// In the order of their names.
  std::vector<std::string> workers() const;
  /// Those other than GLOBAL that steps were saved in.
  std::vector<Mode> modes() const;

  std::vector<uint64_t> steps(Mode mode = Mode::Global,
                              StepSet set = StepSet::Complete) const;
  /// The mode of a step of all, and its step there; none for one that was not
  /// saved.
  std::optional<ModeStep> modeStep(uint64_t globalStep) const;
  std::optional<uint64_t> globalStep(ModeStep step) const;
  StepState hasPassedStep(uint64_t step, Mode mode = Mode::Global) const;
  /// Waits until all are complete. Fails with InvalidArgument when one was
  /// passed, with FailedPrecondition when the run has ended before it, with
  /// DeadlineExceeded.
  Status waitForSteps(std::span<const uint64_t> steps, Mode mode,
                      std::chrono::milliseconds timeout);

  /// In the order in which they were saved. InvalidArgument: a mode that no
  /// step was saved in, an unknown collection, a malformed regex, both of the
  /// latter; ResourceExhausted: a regex that takes too long.
  StatusOr<std::vector<std::string>>
  tensorNames(const TensorQuery &query = {}) const;
  bool hasTensor(std::string_view name) const;

  /// The complete steps in which the tensor was saved, whole or not.
  StatusOr<std::vector<uint64_t>> stepsOf(std::string_view name,
                                          Mode mode = Mode::Global) const;
  /// The last `most` of those up to `step`.
  StatusOr<std::vector<uint64_t>> prevSteps(std::string_view name,
                                            uint64_t step,
                                            size_t most = SIZE_MAX,
                                            Mode mode = Mode::Global) const;
  StatusOr<std::vector<std::string>> workersOf(std::string_view name,
                                               ModeStep step) const;

  /// `place` without a worker: the first one that saved it.
  StatusOr<SavedTensor> value(std::string_view name,
                              const TensorPlace &place) const;
  /// Whether value() has something to read.
  bool hasValue(std::string_view name, const TensorPlace &place) const;
  StatusOr<Shape> shape(std::string_view name, const TensorPlace &place) const;
  /// As it was saved; else computed from the value, of all elements as a list,
  /// in f64: norms are those of vectors, variances are divided by the number of
  /// elements.
  StatusOr<double> reductionValue(std::string_view name,
                                  const TensorPlace &place,
                                  const StoredReduction &reduction) const;
  /// As it was saved, never computed.
  StatusOr<SavedTensor> savedReduction(std::string_view name,
                                       const TensorPlace &place,
                                       const StoredReduction &reduction) const;
  /// Those that were saved.
  StatusOr<std::vector<std::pair<StoredReduction, double>>>
  reductionValues(std::string_view name, const TensorPlace &place) const;

  /// A number for each complete step that has it: a reduction, or without one
  /// the value, which must have one element. `worker` as in TensorPlace.
  StatusOr<std::vector<SeriesPoint>>
  series(std::string_view name, const std::optional<StoredReduction> &reduction,
         Mode mode = Mode::Global, std::string_view worker = {}) const;

  struct State; ///< Of the library.

private:
  explicit Trial(std::unique_ptr<State> state);
  std::unique_ptr<State> state; // Not null, but in what was moved from.
};

} // namespace smp

#endif // SMP_TRIAL_TRIAL_H
