// SPDX-License-Identifier: Apache-2.0
// A hook as its Session sees it.

#ifndef SMP_CAPTURE_RECORDER_H
#define SMP_CAPTURE_RECORDER_H

#include "KeptValues.h"
#include "ModeSteps.h"
#include "StepWriter.h"
#include "smp/exec/StepObserver.h"

namespace smp {

/// What Hook.h says of each method.
class Recorder : public StepObserver {
public:
  /// `files`, which outlives this, is where it writes.
  Recorder(HookConfig config, HookOptions options,
           FileSystem &files = FileSystem::disk());
  ~Recorder() override;

  Status addToCollection(std::string_view collection, std::string_view output);
  CollectionConfig &collection(std::string_view name);
  /// For a program with these entries, on one of several ranks. Until attach()
  /// says so the hook may be given to another Session.
  Status prepare(const std::vector<EntrySignature> &entries,
                 const CaptureWorker &rank = {});
  void detach();
  StepView wants(const UpcomingStep &step) override;
  bool gathers() const override;
  Status onStep(const CompletedStep &step) override;
  Status onSnapshot() override;
  Status saveScalar(std::string_view name, double value, bool smMetric);
  Status saveTensor(std::string_view name, const TensorView &value,
                    const std::vector<std::string> &collections);
  Status close();

  Status setMode(Mode mode);
  Mode mode() const;
  HookReport report() const;
  std::vector<CapturedValue> values(std::string_view output) const;
  OnObserverError onError() const { return options.onError; }

private:
  Status checkOutput(std::string_view output) const;
  Status checkMode(Mode mode) const;
  Status prepareCapture(const HookConfig &wanted,
                        std::span<const GivenTensor> given);
  Status openFolder(const HookConfig &wanted, const std::string &collections);
  Status checkGiven(std::string_view what, const std::string &name) const;
  StatusOr<uint32_t> numberOf(const GivenTensor &tensor,
                              const HookConfig &wanted);
  Status pick(const CompletedStep &step);
  Status pickOutput(const CompletedStep &step, const OutputTensor &output);
  Status pickShown(const CompletedStep &step, const ShownValue &shown);
  void nameMicrobatches(const CompletedStep &step);
  MicrobatchLayout layoutOf(uint32_t count, int32_t axis) const;
  bool isForOthers(const CompletedStep &step) const;
  void sayUnfilled() const;
  void send();
  void sendScalar(uint32_t tensor, const double &value, bool smMetric);
  void leaveOut(uint64_t bytes);
  void sayAll(uint64_t bytes);
  void sayReport();
  void say(LogLevel level, const std::string &text) const;

  const HookOptions options;
  FileSystem &files;
  mutable std::mutex lock; // Guards what follows.
  HookConfig config;
  ProgramTensors tensors;
  std::set<Mode> modes; // Of its entries.
  std::vector<GivenTensor> given;
  std::map<std::string, KeptValues, std::less<>> watched;
  bool isGathering = true; // What all ranks show; else its own.
  bool isWorker = true;    // Whether it writes.
  CaptureWorker worker;
  /// By entry: how many have names in collections, of those written apart.
  std::map<std::string, uint32_t, std::less<>> microbatches;
  CapturePlan plan;
  std::unique_ptr<StepWriter> writer; // There once a folder is written.
  ModeSteps steps;
  StepCounts made = {};          // Steps, by the number of their mode minus 1.
  std::optional<EventStep> last; // The step that was made last.
  std::vector<PickedValue> picked; // Of it; borrowed for its call.
  std::vector<bool> isPicked;      // By output of it.
  bool isLastLeftOut = false;
  struct Scalar {
    uint32_t tensor;
    double value;
    bool smMetric;
  };
  std::vector<Scalar> early; // Given before the first step.
  uint64_t leftOut = 0;
  std::string summary; // Once it is closed.
  bool hasSaidAll = false;
  bool isClosed = false;
};

} // namespace smp

#endif // SMP_CAPTURE_RECORDER_H
