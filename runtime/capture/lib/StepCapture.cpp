// SPDX-License-Identifier: Apache-2.0
#include "StepCapture.h"
#include "Reduce.h"
#include "ReductionNames.h"
#include "smp/base/Quote.h"
#include <algorithm>

namespace smp {

JoinedOutput::JoinedOutput(const OutputTensor &output)
    : dtype(output.dtype), shape(output.shape.begin(), output.shape.end()) {
  const bool isStacked = output.batchAxis < 0 && output.microbatches > 1;
  const auto *data = static_cast<const std::byte *>(
      isStacked ? output.microbatch(0) : output.data);
  bytes = {data, output.bytes * (isStacked ? output.microbatches : 1)};
  if (isStacked)
    shape.insert(shape.begin(), output.microbatches);
}

StatusOr<StepCapture>
StepCapture::prepare(const HookConfig &config,
                     const std::set<std::string> &outputs) {
  SMP_RETURN_IF_ERROR(checkHookConfig(config));
  SMP_ASSIGN_OR_RETURN(Collections collections, Collections::of(config));
  SMP_RETURN_IF_ERROR(collections.checkFilled());
  StepCapture capture(std::move(collections));
  for (const std::string &output : outputs) {
    capture.collections.add(output, "outputs");
    SMP_ASSIGN_OR_RETURN(auto saved, capture.collections.with(output));
    if (saved.empty())
      continue;
    if (output.find(kReductionPrefix) != output.npos)
      return invalidArgument(
          "the output " + quote(output) + " of the collection " +
          quote(saved.front()->name) + " has '" +
          std::string(kReductionPrefix) +
          "' in its name, which readers take for a reduction; rename it, or "
          "leave it out");
    capture.having[output] = std::move(saved);
  }
  return capture;
}

bool StepCapture::wants(std::string_view output, Mode mode,
                        uint64_t modeStep) const {
  const auto found = having.find(output);
  return found != having.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const Collection *collection) {
                       return collection->isSavedAt(mode, modeStep);
                     });
}

Status StepCapture::save(std::string_view output, const StepValue &value,
                         const CompletedStep &step,
                         StepRecords &records) const {
  if (value.bytes.empty())
    return Status();
  bool isWhole = false, hasShape = false;
  std::vector<TensorReduction> done;
  for (const Collection *collection : having.find(output)->second) {
    if (!collection->isSavedAt(step.mode, step.modeStep))
      continue;
    isWhole |= collection->reductions.saveRawTensor;
    hasShape |= collection->reductions.saveShape;
    for (const TensorReduction &reduction : collection->reductions.reductions) {
      if (std::find(done.begin(), done.end(), reduction) != done.end())
        continue;
      done.push_back(reduction);
      SMP_RETURN_IF_ERROR(
          records.addNumber(storedName(reduction, output),
                            reduce(reduction, value.dtype, value.bytes)));
    }
  }
  if (isWhole) // Which says the shape: with both, readers lose the value.
    return records.addTensor(output, value);
  if (hasShape)
    records.addShape(output, value.shape);
  return Status();
}

} // namespace smp
