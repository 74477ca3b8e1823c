// SPDX-License-Identifier: Apache-2.0
#include "smp/capture/Hook.h"
#include "Elements.h"
#include "LinesFile.h"
#include "smp/base/Lists.h"
#include "smp/runtime/Session.h"
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <set>

namespace smp {

double CapturedValue::mean() const {
  const size_t count = bytes.size() / sizeOf(dtype);
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += elementAsDouble(dtype, bytes, i);
  return count ? sum / double(count) : 0;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      result += "\\u00";
      result += kHex[c >> 4];
      result += kHex[c & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

static std::string lineOf(const CapturedValue &value, std::string_view name,
                          std::string_view collection) {
  std::string line = "{\"step\":" + std::to_string(value.globalStep) +
                     ",\"mode\":\"" + std::string(toEventMode(value.mode)) +
                     "\",\"mode_step\":" + std::to_string(value.modeStep) +
                     ",\"entry\":" + quoted(value.entry) +
                     ",\"collection\":" + quoted(collection) +
                     ",\"name\":" + quoted(name) + ",\"dtype\":\"" +
                     std::string(toString(value.dtype)) + "\",\"shape\":[" +
                     join(value.shape, ",") + "],\"values\":[";
  const size_t count = value.bytes.size() / sizeOf(value.dtype);
  for (size_t i = 0; i < count; ++i)
    line += (i ? "," : "") + elementAsJson(value.dtype, value.bytes, i);
  return line + "]}\n";
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

class Hook::Recorder : public StepObserver {
public:
  explicit Recorder(HookOptions options) : options(std::move(options)) {}

  Status watch(std::string_view output, std::string_view collection) {
    std::lock_guard<std::mutex> hold(lock);
    if (attached)
      SMP_RETURN_IF_ERROR(checkOutput(output));
    watched[std::string(output)].collections.emplace(collection);
    return Status();
  }

  /// Until attach() says so the hook may be given to another Session.
  Status prepare(const std::vector<EntrySignature> &entries) {
    std::lock_guard<std::mutex> hold(lock);
    if (attached)
      return failedPrecondition("the hook is attached to a Session; every "
                                "Session needs a hook of its own");
    if (options.saveInterval == 0)
      return invalidArgument("saveInterval is 0; it must be 1 or more");
    outputs.clear();
    for (const EntrySignature &entry : entries)
      for (const TensorSignature &output : entry.outputs)
        outputs.insert(output.name);
    for (const auto &[output, record] : watched)
      SMP_RETURN_IF_ERROR(checkOutput(output));
    if (!options.outDir.empty() && !file.isOpen())
      SMP_RETURN_IF_ERROR(file.open(options.outDir, "values.jsonl"));
    attached = true;
    return Status();
  }

  void detach() {
    std::lock_guard<std::mutex> hold(lock);
    attached = false;
  }

  Status onStep(const CompletedStep &step) override {
    std::lock_guard<std::mutex> hold(lock);
    lastMode = step.mode;
    if (step.modeStep % options.saveInterval != 0)
      return Status();
    std::string lines;
    for (auto &[name, record] : watched)
      if (const OutputTensor *output = step.output.find(name)) {
        const CapturedValue &value = keep(step, *output, record.values);
        for (const std::string &collection : record.collections)
          if (file.isOpen())
            lines += lineOf(value, name, collection);
      }
    return lines.empty() ? Status() : file.append(lines);
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
    return {found->second.values.begin(), found->second.values.end()};
  }

  OnObserverError onError() const { return options.onError; }

private:
  struct Record {
    std::set<std::string> collections;
    std::deque<CapturedValue> values;
  };

  Status checkOutput(std::string_view output) const {
    if (outputs.contains(output))
      return Status();
    return invalidArgument("the hook is to watch '" + std::string(output) +
                           "', which no entry has as output; there are " +
                           listNames(outputs));
  }

  const CapturedValue &keep(const CompletedStep &step,
                            const OutputTensor &output,
                            std::deque<CapturedValue> &values) {
    const bool isStacked = output.batchAxis < 0 && output.microbatches > 1;
    const auto *data = static_cast<const std::byte *>(
        isStacked ? output.microbatch(0) : output.data);
    const uint64_t bytes = output.bytes * (isStacked ? output.microbatches : 1);
    std::vector<int64_t> shape(output.shape.begin(), output.shape.end());
    if (isStacked)
      shape.insert(shape.begin(), output.microbatches);
    values.push_back({std::string(step.entry),
                      step.mode,
                      step.modeStep,
                      step.globalStep,
                      output.dtype,
                      std::move(shape),
                      {data, data + bytes}});
    if (options.keepValues && values.size() > options.keepValues)
      values.pop_front();
    return values.back();
  }

  const HookOptions options;
  mutable std::mutex lock; // Guards what follows.
  bool attached = false;
  Mode lastMode = Mode::Global;
  std::set<std::string, std::less<>> outputs; // Of the program.
  std::map<std::string, Record, std::less<>> watched;
  LinesFile file;
};

//===----------------------------------------------------------------------===//
// The hook
//===----------------------------------------------------------------------===//

Hook::Hook(HookOptions options)
    : recorder(std::make_shared<Recorder>(std::move(options))) {}
Hook::Hook(Hook &&) noexcept = default;
Hook &Hook::operator=(Hook &&) noexcept = default;
Hook::~Hook() = default;

Status Hook::registerLoss(std::string_view output) {
  return watch(output, "losses");
}

Status Hook::watch(std::string_view output, std::string_view collection) {
  return recorder->watch(output, collection);
}

Status Hook::attach(Session &session) {
  SMP_RETURN_IF_ERROR(recorder->prepare(session.entries()));
  Status status = session.addObserver(recorder, recorder->onError());
  if (!status.ok())
    recorder->detach();
  return status;
}

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
