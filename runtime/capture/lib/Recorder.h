// SPDX-License-Identifier: Apache-2.0
// A hook as its Session sees it.

#ifndef SMP_CAPTURE_RECORDER_H
#define SMP_CAPTURE_RECORDER_H

#include "KeptValues.h"
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

  Status watch(std::string_view output, std::string_view collection);
  CollectionConfig &collection(std::string_view name);
  /// For a program with these entries. Until attach() says so the hook may be
  /// given to another Session.
  Status prepare(const std::vector<EntrySignature> &entries);
  void detach();
  Status onStep(const CompletedStep &step) override;
  Status close();

  Mode mode() const;
  HookReport report() const;
  std::vector<CapturedValue> values(std::string_view output) const;
  OnObserverError onError() const { return options.onError; }

private:
  Status checkOutput(std::string_view output) const;
  Status prepareCapture(const HookConfig &wanted);
  Status openFolder(const HookConfig &wanted, const std::string &collections);
  Status pick(const CompletedStep &step);
  void send();
  void leaveOut(uint64_t bytes);
  void sayReport() const;
  void say(LogLevel level, const std::string &text) const;

  const HookOptions options;
  FileSystem &files;
  mutable std::mutex lock; // Guards what follows.
  HookConfig config;
  std::set<std::string> outputs; // Of the program.
  std::map<std::string, KeptValues, std::less<>> watched;
  CapturePlan plan;
  std::unique_ptr<StepWriter> writer; // There once a folder is written.
  EventStep last;                     // The step that was made last.
  std::vector<PickedValue> picked;    // Of it; borrowed for its call.
  uint64_t leftOut = 0;
  bool isClosed = false;
};

} // namespace smp

#endif // SMP_CAPTURE_RECORDER_H
