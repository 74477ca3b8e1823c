// SPDX-License-Identifier: Apache-2.0
#include "EventFraming.h"
#include "Proto.h"
#include "smp/base/Quote.h"
#include "smp/serialization/EventRecord.h"

namespace smp {

using namespace event;

static Status checkTensor(const EventRecord &record) {
  const TensorType &type = record.type;
  if (const DType stored = storedEventType(type.dtype); stored != type.dtype)
    return invalidArgument("readers know no " +
                           std::string(toString(type.dtype)) +
                           "; convert it to " + std::string(toString(stored)));
  const auto bytes = checkedBytes(type);
  if (!bytes)
    return invalidArgument("the shape has more elements than 2^63 bytes hold, "
                           "or a size below 0");
  if (*bytes == 0)
    return invalidArgument("it has no elements, which records cannot hold");
  if (uint64_t(*bytes) != record.bytes.size())
    return invalidArgument("has " + std::to_string(record.bytes.size()) +
                           " bytes; " + toString(type) + " has " +
                           std::to_string(*bytes));
  return Status();
}

static Status checkRecord(const EventRecord &record) {
  if (record.name.empty())
    return invalidArgument("a record needs the name of its tensor");
  if (record.mode < Mode::Train || record.mode > Mode::Global)
    return invalidArgument("no mode has the number " +
                           std::to_string(int(record.mode)));
  if (record.step > INT64_MAX || record.modeStep > INT64_MAX)
    return invalidArgument("a step is at most " + std::to_string(INT64_MAX));
  return record.texts.empty() ? checkTensor(record) : Status();
}

template <typename Id>
static uint32_t field(Id id) {
  return uint32_t(id);
}

static ProtoWriter encodePlugin(std::string_view name, uint64_t content) {
  ProtoWriter plugin;
  plugin.text(field(Plugin::Name), name);
  plugin.text(field(Plugin::Content), std::to_string(content));
  return plugin;
}

static ProtoWriter encodeShape(const Shape &shape) {
  ProtoWriter message;
  for (const int64_t size : shape) {
    ProtoWriter dimension;
    dimension.number(field(Dimension::Size), uint64_t(size));
    message.message(field(ShapeOf::Dimension), dimension);
  }
  return message;
}

/// 0, which no element type has, when it is text.
static uint32_t typeNumber(const EventRecord &record) {
  for (const TypeNumber &known : kTypeNumbers)
    if (record.texts.empty() && known.type == record.type.dtype)
      return known.number;
  return 0;
}

static ProtoWriter encodeTensor(const EventRecord &record) {
  ProtoWriter tensor;
  tensor.number(field(Tensor::Type), typeNumber(record));
  if (record.texts.empty()) {
    tensor.message(field(Tensor::Shape), encodeShape(record.type.shape));
    tensor.bytes(field(Tensor::Content), record.bytes);
    return tensor;
  }
  tensor.message(field(Tensor::Shape),
                 encodeShape({int64_t(record.texts.size())}));
  for (const std::string_view text : record.texts)
    tensor.text(field(Tensor::Texts), text);
  return tensor;
}

static ProtoWriter encodePayload(const EventRecord &record) {
  ProtoWriter metadata, value, summary, payload;
  metadata.message(field(Metadata::Plugin),
                   encodePlugin("mode_step", record.modeStep));
  metadata.message(field(Metadata::Plugin),
                   encodePlugin("mode", uint64_t(record.mode)));
  value.text(field(Value::Tag), record.name);
  value.message(field(Value::Metadata), metadata);
  value.message(field(Value::Tensor), encodeTensor(record));
  summary.message(field(Summary::Value), value);
  payload.real(field(Event::WallTime), record.wallTime);
  payload.number(field(Event::Step), record.step);
  payload.message(field(Event::Summary), summary);
  return payload;
}

Status appendEventRecord(const EventRecord &record,
                         std::vector<std::byte> &file) {
  SMP_RETURN_IF_ERROR(checkRecord(record).in(quote(record.name)));
  appendFramed(encodePayload(record).all(), kFooter, file);
  return Status();
}

} // namespace smp
