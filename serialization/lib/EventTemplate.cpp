// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/EventTemplate.h"
#include "EventFraming.h"
#include "Proto.h"
#include <algorithm>
#include <bit>
#include <charconv>

namespace smp {

using namespace event;
using Field = ProtoReader::Field;

//===----------------------------------------------------------------------===//
// Numbers as records have them
//===----------------------------------------------------------------------===//

static size_t varintBytes(uint64_t number) {
  return std::max<size_t>(1, (size_t(std::bit_width(number)) + 6) / 7);
}

static size_t digitsOf(uint64_t number) {
  size_t digits = 1;
  for (; number >= 10; number /= 10)
    ++digits;
  return digits;
}

static void putVarint(uint64_t number, std::byte *to) {
  for (; number >= 0x80; number >>= 7)
    *to++ = std::byte(number | 0x80);
  *to = std::byte(number);
}

static void putDigits(uint64_t number, std::byte *to, size_t digits) {
  char *text = reinterpret_cast<char *>(to);
  std::to_chars(text, text + digits, number);
}

static void putFixed(uint64_t number, std::byte *to, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    to[i] = std::byte(number >> (8 * i));
}

//===----------------------------------------------------------------------===//
// The template
//===----------------------------------------------------------------------===//

template <typename Id>
static StatusOr<Field> findField(ProtoReader message, Id id) {
  while (!message.atEnd()) {
    SMP_ASSIGN_OR_RETURN(const Field field, message.next());
    if (field.id == uint32_t(id))
      return field;
  }
  return internalError("a record without its field " +
                       std::to_string(uint32_t(id)));
}

/// The text of the metadata's plugin of that name.
static StatusOr<Field> findPlugin(ProtoReader metadata, std::string_view name) {
  while (!metadata.atEnd()) {
    SMP_ASSIGN_OR_RETURN(const Field plugin, metadata.next());
    SMP_ASSIGN_OR_RETURN(const Field found,
                         findField(ProtoReader(plugin), Plugin::Name));
    if (found.text() == name)
      return findField(ProtoReader(plugin), Plugin::Content);
  }
  return internalError("a record without its " + std::string(name));
}

StatusOr<EventTemplate> EventTemplate::of(const EventRecord &record) {
  if (!record.texts.empty())
    return invalidArgument("a record of texts is no template");
  EventTemplate made;
  SMP_RETURN_IF_ERROR(appendEventRecord(record, made.head));
  made.step.bytes = varintBytes(record.step);
  SMP_RETURN_IF_ERROR(made.findNumbers(made.head.size()));
  made.head.resize(made.head.size() - kFooterBytes - record.bytes.size());
  return made;
}

Status EventTemplate::findNumbers(size_t recordBytes) {
  const auto record = std::span(head).subspan(
      kHeaderBytes, recordBytes - kHeaderBytes - kFooterBytes);
  const ProtoReader event(record, kHeaderBytes);
  SMP_ASSIGN_OR_RETURN(const Field time, findField(event, Event::WallTime));
  SMP_ASSIGN_OR_RETURN(const Field number, findField(event, Event::Step));
  SMP_ASSIGN_OR_RETURN(const Field summary, findField(event, Event::Summary));
  SMP_ASSIGN_OR_RETURN(const Field value,
                       findField(ProtoReader(summary), Summary::Value));
  SMP_ASSIGN_OR_RETURN(const Field metadata,
                       findField(ProtoReader(value), Value::Metadata));
  SMP_ASSIGN_OR_RETURN(const Field modeText,
                       findPlugin(ProtoReader(metadata), "mode"));
  SMP_ASSIGN_OR_RETURN(const Field stepText,
                       findPlugin(ProtoReader(metadata), "mode_step"));
  wallTime = {time.valueAt, sizeof(double)};
  step.at = number.valueAt;
  mode = {modeText.valueAt, 1};
  modeStep = {stepText.valueAt, stepText.bytes.size()};
  return Status();
}

bool EventTemplate::fits(const EventStep &other) const {
  return other.step <= INT64_MAX && other.modeStep <= INT64_MAX &&
         varintBytes(other.step) == step.bytes &&
         digitsOf(other.modeStep) == modeStep.bytes;
}

void EventTemplate::append(const EventStep &other,
                           std::span<const std::byte> elements,
                           std::vector<std::byte> &file) const {
  const size_t start = file.size();
  file.insert(file.end(), head.begin(), head.end());
  std::byte *record = file.data() + start;
  putFixed(std::bit_cast<uint64_t>(other.wallTime), record + wallTime.at,
           wallTime.bytes);
  putVarint(other.step, record + step.at);
  putDigits(uint64_t(other.mode), record + mode.at, mode.bytes);
  putDigits(other.modeStep, record + modeStep.at, modeStep.bytes);
  file.insert(file.end(), elements.begin(), elements.end());
  file.resize(file.size() + kFooterBytes);
  putFixed(kFooter, &*(file.end() - kFooterBytes), kFooterBytes);
}

} // namespace smp
