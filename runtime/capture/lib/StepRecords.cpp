// SPDX-License-Identifier: Apache-2.0
#include "StepRecords.h"
#include "Elements.h"
#include "JsonText.h"
#include <algorithm>

namespace smp {

/// Between the lines of a list, as JsonText has it.
constexpr std::string_view kSeparator = ", ";

//===----------------------------------------------------------------------===//
// One name
//===----------------------------------------------------------------------===//

RecordOfName::RecordOfName(std::string name)
    : name(std::move(name)), literal(jsonLiteral(this->name)) {}

Status RecordOfName::append(const EventStep &step, const StepValue &value,
                            std::vector<std::byte> &records) {
  const bool isSame = event && event->fits(step) && type.dtype == value.dtype &&
                      std::ranges::equal(type.shape, value.shape);
  if (!isSame) {
    type = {value.dtype, {value.shape.begin(), value.shape.end()}};
    event.reset();
    SMP_ASSIGN_OR_RETURN(event, EventTemplate::of({.name = name,
                                                   .wallTime = step.wallTime,
                                                   .step = step.step,
                                                   .mode = step.mode,
                                                   .modeStep = step.modeStep,
                                                   .type = type,
                                                   .bytes = value.bytes}));
  }
  event->append(step, value.bytes, records);
  return Status();
}

const std::string &RecordOfName::indexLine(uint64_t start, uint64_t length) {
  if (line.empty() || start != lineStart || length != lineLength)
    line = jsonObject({{"tensorname", literal},
                       {"start_idx", std::to_string(start)},
                       {"length", std::to_string(length)}});
  lineStart = start;
  lineLength = length;
  return line;
}

std::string RecordOfName::shapeLine(std::span<const int64_t> sizes) const {
  return jsonObject({{"tensorname", literal},
                     {"originalname", literal},
                     {"shape", jsonList(sizes)}});
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

static void addLine(std::string &lines, std::string_view line) {
  if (!lines.empty())
    lines += kSeparator;
  lines += line;
}

void StepRecords::begin(const EventStep &step) {
  stamp = step;
  records.clear();
  tensors.clear();
  shapes.clear();
}

Status StepRecords::addTensor(RecordOfName &name, const StepValue &value) {
  if (value.bytes.empty())
    return Status();
  StepValue stored = value;
  stored.dtype = storedEventType(value.dtype);
  if (stored.dtype != value.dtype) {
    converted = convertToStored(value.dtype, value.bytes);
    stored.bytes = converted;
  }
  const uint64_t start = records.size();
  SMP_RETURN_IF_ERROR(name.append(stamp, stored, records));
  addLine(tensors, name.indexLine(start, records.size() - start));
  return Status();
}

Status StepRecords::addNumber(RecordOfName &name, double value) {
  constexpr int64_t kOne[] = {1};
  return addTensor(name,
                   {DType::F64, kOne, std::as_bytes(std::span(&value, 1))});
}

void StepRecords::addShape(const RecordOfName &name,
                           std::span<const int64_t> shape) {
  addLine(shapes, name.shapeLine(shape));
}

std::string StepRecords::index(std::string_view eventsFile) const {
  std::vector<JsonMember> meta = {
      {"mode", jsonLiteral(toEventMode(stamp.mode))},
      {"mode_step", std::to_string(stamp.modeStep)}};
  if (!records.empty())
    meta.emplace_back("event_file_name", jsonLiteral(eventsFile));
  std::vector<JsonMember> members;
  members.emplace_back("meta", jsonObject(meta));
  members.emplace_back("tensor_payload", "[" + tensors + "]");
  members.emplace_back("shape_payload", "[" + shapes + "]");
  return jsonObject(members);
}

} // namespace smp
