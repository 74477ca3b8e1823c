// SPDX-License-Identifier: Apache-2.0
#include "smp/capture/Hook.h"
#include "CaptureFolder.h"
#include "Elements.h"
#include "StepCapture.h"
#include "smp/base/Lists.h"
#include "smp/runtime/Session.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>

namespace smp {

double CapturedValue::mean() const {
  const size_t count = bytes.size() / sizeOf(dtype);
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += elementAsDouble(dtype, bytes, i);
  return count ? sum / double(count) : 0;
}

static double secondsSince1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

class Hook::Recorder : public StepObserver {
public:
  Recorder(HookConfig config, HookOptions options)
      : options(std::move(options)), config(std::move(config)) {}
  ~Recorder() override { (void)close(); }

  Status watch(std::string_view output, std::string_view collection) {
    std::lock_guard<std::mutex> hold(lock);
    HookConfig wanted = config;
    collectionOf(wanted, collection).tensorNames.emplace_back(output);
    if (capture) {
      SMP_RETURN_IF_ERROR(checkOutput(output));
      SMP_RETURN_IF_ERROR(prepareCapture(wanted));
    }
    config = std::move(wanted);
    watched.try_emplace(std::string(output));
    return Status();
  }

  CollectionConfig &collection(std::string_view name) {
    std::lock_guard<std::mutex> hold(lock);
    return collectionOf(config, name);
  }

  /// Until attach() says so the hook may be given to another Session.
  Status prepare(const std::vector<EntrySignature> &entries) {
    std::lock_guard<std::mutex> hold(lock);
    if (capture || isClosed)
      return failedPrecondition("the hook is attached to a Session, or closed; "
                                "every Session needs a hook of its own");
    if (config.exportTensorboard || !config.tensorboardDir.empty())
      return failedPrecondition("the hook is to export to TensorBoard, which "
                                "smp cannot yet; leave export_tensorboard and "
                                "tensorboard_dir out");
    outputs.clear();
    for (const EntrySignature &entry : entries)
      for (const TensorSignature &output : entry.outputs)
        outputs.insert(output.name);
    for (const auto &[output, values] : watched)
      SMP_RETURN_IF_ERROR(checkOutput(output));
    SMP_RETURN_IF_ERROR(prepareCapture(config));
    if (!config.s3Path.empty() && options.log)
      options.log(LogLevel::Warning, "'" + config.s3Path +
                                         "' is not written: smp uploads "
                                         "nothing; copy '" +
                                         config.outDir + "' there");
    return Status();
  }

  void detach() {
    std::lock_guard<std::mutex> hold(lock);
    capture.reset();
    folder.reset();
  }

  Status onStep(const CompletedStep &step) override {
    std::lock_guard<std::mutex> hold(lock);
    lastMode = step.mode;
    if (!capture)
      return Status();
    StepRecords records({step.mode, step.modeStep, step.globalStep},
                        secondsSince1970());
    for (const OutputTensor &output : step.output.all()) {
      if (!capture->wants(output.name, step.mode, step.modeStep))
        continue;
      const JoinedOutput joined(output);
      if (folder)
        SMP_RETURN_IF_ERROR(
            capture->save(output.name, joined.value(), step, records));
      if (auto found = watched.find(output.name); found != watched.end())
        keep(step, joined, found->second);
    }
    return records.isEmpty() ? Status() : folder->writeStep(records);
  }

  Status close() {
    std::lock_guard<std::mutex> hold(lock);
    Status status;
    if (folder && !std::getenv("TRAINING_JOB_NAME"))
      status = folder->writeEnd();
    folder.reset();
    capture.reset();
    isClosed = true;
    return status;
  }

  Mode mode() const {
    std::lock_guard<std::mutex> hold(lock);
    return lastMode;
  }

  std::vector<CapturedValue> values(std::string_view output) const {
    std::lock_guard<std::mutex> hold(lock);
    auto found = watched.find(output);
    if (found == watched.end())
      return {};
    return {found->second.begin(), found->second.end()};
  }

  OnObserverError onError() const { return options.onError; }

private:
  using Values = std::deque<CapturedValue>;

  static CollectionConfig &collectionOf(HookConfig &config,
                                        std::string_view name) {
    auto &all = config.collections;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const CollectionConfig &each) {
          return each.name == name;
        });
    if (found != all.end())
      return *found;
    return all.emplace_back(CollectionConfig{.name = std::string(name)});
  }

  Status checkOutput(std::string_view output) const {
    if (outputs.contains(std::string(output)))
      return Status();
    return invalidArgument("the hook is to watch '" + std::string(output) +
                           "', which no entry has as output; there are " +
                           listNames(outputs));
  }

  /// Captures as `wanted` says from now on, or as before when that fails.
  Status prepareCapture(const HookConfig &wanted) {
    SMP_ASSIGN_OR_RETURN(StepCapture prepared,
                         StepCapture::prepare(wanted, outputs));
    if (!folder && !wanted.outDir.empty() && !wanted.dryRun) {
      SMP_ASSIGN_OR_RETURN(CaptureFolder opened,
                           CaptureFolder::open(wanted.outDir, options.resume));
      folder.emplace(std::move(opened));
    }
    const Status written =
        folder ? folder->writeCollections(prepared.collectionsFile())
               : Status();
    if (!written.ok() && !capture)
      folder.reset();
    if (written.ok())
      capture.emplace(std::move(prepared));
    return written;
  }

  void keep(const CompletedStep &step, const JoinedOutput &output,
            Values &values) const {
    values.push_back({std::string(step.entry),
                      step.mode,
                      step.modeStep,
                      step.globalStep,
                      output.dtype,
                      output.shape,
                      {output.bytes.begin(), output.bytes.end()}});
    if (options.keepValues && values.size() > options.keepValues)
      values.pop_front();
  }

  const HookOptions options;
  mutable std::mutex lock; // Guards what follows.
  HookConfig config;
  Mode lastMode = Mode::Global;
  std::set<std::string> outputs; // Of the program.
  std::map<std::string, Values, std::less<>> watched;
  std::optional<StepCapture> capture;  // There while it is attached.
  std::optional<CaptureFolder> folder; // There while it writes.
  bool isClosed = false;
};

//===----------------------------------------------------------------------===//
// The hook
//===----------------------------------------------------------------------===//

Hook::Hook(HookConfig config, HookOptions options)
    : recorder(
          std::make_shared<Recorder>(std::move(config), std::move(options))) {}
Hook::Hook(Hook &&) noexcept = default;
Hook &Hook::operator=(Hook &&) noexcept = default;
Hook::~Hook() = default;

Status Hook::registerLoss(std::string_view output) {
  return watch(output, "losses");
}

Status Hook::watch(std::string_view output, std::string_view collection) {
  return recorder->watch(output, collection);
}

CollectionConfig &Hook::collection(std::string_view name) {
  return recorder->collection(name);
}

Status Hook::attach(Session &session) {
  SMP_RETURN_IF_ERROR(recorder->prepare(session.entries()));
  Status status = session.addObserver(recorder, recorder->onError());
  if (!status.ok())
    recorder->detach();
  return status;
}

Status Hook::close() { return recorder->close(); }

Mode Hook::mode() const { return recorder->mode(); }

std::vector<CapturedValue> Hook::values(std::string_view output) const {
  return recorder->values(output);
}

std::vector<CapturedValue> Hook::values(std::string_view output,
                                        Mode mode) const {
  std::vector<CapturedValue> list = recorder->values(output);
  std::erase_if(
      list, [mode](const CapturedValue &value) { return value.mode != mode; });
  return list;
}

} // namespace smp
