// SPDX-License-Identifier: Apache-2.0
#include "StepRecords.h"
#include "Elements.h"
#include "JsonText.h"
#include "ModeNames.h"
#include "smp/serialization/EventRecord.h"

namespace smp {

Status StepRecords::addTensor(std::string_view name, const StepValue &value) {
  if (value.bytes.empty())
    return Status();
  const auto bytes = convertToStored(value.dtype, value.bytes);
  const uint64_t start = records.size();
  SMP_RETURN_IF_ERROR(
      appendEventRecord({.name = name,
                         .wallTime = wallTime,
                         .step = step.globalStep,
                         .mode = step.mode,
                         .modeStep = step.modeStep,
                         .type = {storedEventType(value.dtype),
                                  {value.shape.begin(), value.shape.end()}},
                         .bytes = bytes},
                        records));
  tensors.push_back(
      jsonObject({{"tensorname", jsonLiteral(name)},
                  {"start_idx", std::to_string(start)},
                  {"length", std::to_string(records.size() - start)}}));
  return Status();
}

Status StepRecords::addNumber(std::string_view name, double value) {
  constexpr int64_t kOne[] = {1};
  return addTensor(name,
                   {DType::F64, kOne, std::as_bytes(std::span(&value, 1))});
}

void StepRecords::addShape(std::string_view name,
                           std::span<const int64_t> shape) {
  shapes.push_back(jsonObject({{"tensorname", jsonLiteral(name)},
                               {"originalname", jsonLiteral(name)},
                               {"shape", jsonList(shape)}}));
}

std::string StepRecords::index(std::string_view eventsFile) const {
  std::vector<JsonMember> meta = {{"mode", jsonLiteral(upperName(step.mode))},
                                  {"mode_step", std::to_string(step.modeStep)}};
  if (!records.empty())
    meta.emplace_back("event_file_name", jsonLiteral(eventsFile));
  return jsonObject({{"meta", jsonObject(meta)},
                     {"tensor_payload", jsonList(tensors)},
                     {"shape_payload", jsonList(shapes)}});
}

} // namespace smp
