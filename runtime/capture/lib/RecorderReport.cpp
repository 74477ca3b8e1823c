// SPDX-License-Identifier: Apache-2.0
// What a hook has to say of what it wrote, and of what it did not.
#include "Recorder.h"
#include "smp/base/Lists.h"
#include <numeric>

namespace smp {

void Recorder::say(LogLevel level, const std::string &text) const {
  if (options.log)
    options.log(level, text);
}

/// Says so the first time.
void Recorder::leaveOut(uint64_t bytes) {
  isLastLeftOut = true;
  if (leftOut++ > 0)
    return;
  const std::string size = std::to_string(options.bufferBytes);
  const std::string why =
      bytes >= options.bufferBytes
          ? "its values have " + std::to_string(bytes) +
                " bytes, and the hook's buffers " + size
          : "the disk is slower than the steps, and the hook's buffers of " +
                size + " bytes are full";
  say(LogLevel::Warning,
      "step " + std::to_string(last->step) + " is left out of '" +
          writer->folderName() + "': " + why +
          "; raise HookOptions::bufferBytes, save fewer steps, or have steps "
          "wait. close() says how many there are");
}

/// Once, of the first step of which something is saved.
void Recorder::sayAll(uint64_t bytes) {
  say(LogLevel::Info, "saveAll: step " + std::to_string(last->step) +
                          ", of mode " + std::string(toEventMode(last->mode)) +
                          ", has " + std::to_string(picked.size()) +
                          " tensors in " + std::to_string(bytes) +
                          " bytes, as may every step that is saved");
}

/// "3 of TRAIN, 1 of EVAL".
static std::string stepsText(const StepCounts &made) {
  std::vector<std::string> parts;
  for (const ModeName &mode : kModeNames)
    if (const uint64_t count = made[size_t(mode.mode) - 1])
      parts.push_back(std::to_string(count) + " of " + std::string(mode.event));
  return join(parts, ", ");
}

/// Why nothing was saved, of steps of which none was left out or lost.
static std::string whyNothing(const StepCapture &capture,
                              const StepCounts &made) {
  if (std::accumulate(made.begin(), made.end(), uint64_t(0)) == 0)
    return "no step was made";
  std::set<std::string> collections, names;
  for (const CapturedTensor &tensor : capture.all()) {
    names.insert(tensor.name());
    for (const Collection *collection : tensor.collections())
      collections.insert(collection->name);
  }
  if (collections.empty())
    return "no collection that is saved has one of the tensors " +
           listNames(names) +
           "; name them to registerLoss() or addToCollection(), or with "
           "include_regex";
  return "steps were made, " + stepsText(made) + ", of which the collections " +
         listNames(collections) +
         " save none, or of tensors without elements; see save_interval, "
         "start_step, end_step and save_steps";
}

void Recorder::sayReport() {
  const HookReport counts = writer->report();
  summary = "'" + writer->folderName() + "' has ";
  if (counts.written + counts.lost + leftOut == 0)
    summary += "no step: " + whyNothing(*plan.capture, made);
  else
    summary += std::to_string(counts.written) + " steps in " +
               std::to_string(counts.bytes) + " bytes";
  if (leftOut)
    summary += "; " + std::to_string(leftOut) + " were left out";
  if (counts.lost)
    summary += "; " + std::to_string(counts.lost) + " were lost";
  const bool isWhole = counts.written > 0 && counts.lost + leftOut == 0;
  say(isWhole ? LogLevel::Info : LogLevel::Warning, summary);
}

} // namespace smp
