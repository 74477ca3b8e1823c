// SPDX-License-Identifier: Apache-2.0
#include "EventFraming.h"
#include "Proto.h"
#include "smp/base/Quote.h"
#include "smp/serialization/EventRecord.h"
#include <bit>
#include <charconv>

namespace smp {

using namespace event;
using Field = ProtoReader::Field;
using Kind = ProtoReader::Kind;

/// The number of `count` bytes from `at` on.
static uint64_t numberAt(std::span<const std::byte> bytes, size_t at,
                         size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value |= uint64_t(bytes[at + i]) << (8 * i);
  return value;
}

StatusOr<uint64_t> eventRecordBytes(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes)
    return dataLoss("a record of " + std::to_string(bytes.size()) +
                    " bytes; its header alone has " +
                    std::to_string(kHeaderBytes));
  if (numberAt(bytes, 8, 4) != maskedCrc32c(bytes.first(8)))
    return dataLoss("byte 8: the digest of the record's length does not fit "
                    "its length");
  const uint64_t payload = numberAt(bytes, 0, 8);
  if (payload > UINT64_MAX - kHeaderBytes - kFooterBytes)
    return dataLoss("byte 0: no record has " + std::to_string(payload) +
                    " bytes");
  return kHeaderBytes + payload + kFooterBytes;
}

/// Calls `read` for each field of a message.
template <typename Read>
static Status forEachField(ProtoReader message, Read read) {
  while (!message.atEnd()) {
    SMP_ASSIGN_OR_RETURN(const Field field, message.next());
    SMP_RETURN_IF_ERROR(read(field));
  }
  return Status();
}

namespace {
/// Collects what a payload says; what nobody asked about is passed over.
class PayloadReader {
public:
  Status read(ProtoReader payload) {
    SMP_RETURN_IF_ERROR(forEachField(
        payload, [&](const Field &field) { return readEvent(field); }));
    return check();
  }

  EventRecord record;

private:
  /// DataLoss when it is the second of its kind.
  Status once(const Field &field, bool &seen, const char *what) {
    if (seen)
      return damage(field, std::string("a second ") + what);
    seen = true;
    return Status();
  }
  static Status damage(const Field &field, const std::string &what) {
    return dataLoss("byte " + std::to_string(field.at) + ": " + what);
  }
  static Status nonNegative(const Field &field, const char *what) {
    if (field.number <= INT64_MAX)
      return Status();
    return damage(field, std::string(what) + " is " +
                             std::to_string(int64_t(field.number)) +
                             "; at least 0");
  }

  Status readEvent(const Field &field) {
    switch (Event(field.id)) {
    case Event::WallTime:
      SMP_RETURN_IF_ERROR(field.require(Kind::Fixed64, "the wall time"));
      record.wallTime = std::bit_cast<double>(field.number);
      return Status();
    case Event::Step:
      SMP_RETURN_IF_ERROR(field.require(Kind::Number, "the step"));
      SMP_RETURN_IF_ERROR(nonNegative(field, "the step"));
      record.step = field.number;
      return Status();
    case Event::Summary:
      SMP_RETURN_IF_ERROR(field.require(Kind::Bytes, "the summary"));
      return forEachField(ProtoReader(field), [&](const Field &inner) {
        return Summary(inner.id) == Summary::Value ? readValue(inner)
                                                   : Status();
      });
    default:
      return Status();
    }
  }

  Status readValue(const Field &field) {
    SMP_RETURN_IF_ERROR(field.require(Kind::Bytes, "the value"));
    SMP_RETURN_IF_ERROR(once(field, hasValue, "value in one record"));
    return forEachField(ProtoReader(field), [&](const Field &inner) {
      switch (Value(inner.id)) {
      case Value::Tag:
        SMP_RETURN_IF_ERROR(inner.require(Kind::Bytes, "the name"));
        record.name = inner.text();
        return Status();
      case Value::Metadata:
        SMP_RETURN_IF_ERROR(inner.require(Kind::Bytes, "the metadata"));
        return readMetadata(ProtoReader(inner));
      case Value::Tensor:
        SMP_RETURN_IF_ERROR(inner.require(Kind::Bytes, "the tensor"));
        SMP_RETURN_IF_ERROR(once(inner, hasTensor, "tensor in one record"));
        return readTensor(inner);
      default:
        return Status();
      }
    });
  }

  Status readMetadata(ProtoReader metadata) {
    return forEachField(metadata, [&](const Field &field) {
      if (Metadata(field.id) != Metadata::Plugin)
        return Status();
      SMP_RETURN_IF_ERROR(field.require(Kind::Bytes, "the plugin's data"));
      return readPlugin(field);
    });
  }

  Status readPlugin(const Field &plugin) {
    std::string_view name, content;
    SMP_RETURN_IF_ERROR(
        forEachField(ProtoReader(plugin), [&](const Field &field) {
          const bool isName = Plugin(field.id) == Plugin::Name;
          if (!isName && Plugin(field.id) != Plugin::Content)
            return Status();
          (isName ? name : content) = field.text();
          return field.require(Kind::Bytes, "a plugin's text");
        }));
    if (name != "mode" && name != "mode_step")
      return Status();
    int64_t number = 0;
    const char *end = content.data() + content.size();
    const auto [stop, error] = std::from_chars(content.data(), end, number);
    const bool isMode = name == "mode";
    if (error != std::errc() || stop != end || number < (isMode ? 1 : 0) ||
        (isMode && number > int64_t(kNumModes)))
      return damage(plugin, std::string(name) + " is " + quote(content) +
                                (isMode ? "; 1 to 4" : "; a number from 0"));
    if (isMode)
      record.mode = Mode(number);
    else
      record.modeStep = uint64_t(number);
    (isMode ? hasMode : hasModeStep) = true;
    return Status();
  }

  Status readTensor(const Field &tensor) {
    std::optional<uint64_t> type;
    SMP_RETURN_IF_ERROR(
        forEachField(ProtoReader(tensor), [&](const Field &field) {
          switch (Tensor(field.id)) {
          case Tensor::Type:
            type = field.number;
            return field.require(Kind::Number, "the element type");
          case Tensor::Shape:
            SMP_RETURN_IF_ERROR(field.require(Kind::Bytes, "the shape"));
            return readShape(ProtoReader(field));
          case Tensor::Content:
            record.bytes = field.bytes;
            return field.require(Kind::Bytes, "the content");
          case Tensor::Texts:
            record.texts.push_back(field.text());
            return field.require(Kind::Bytes, "a text");
          default:
            return Status();
          }
        }));
    return checkTensor(tensor, type.value_or(0));
  }

  Status readShape(ProtoReader shape) {
    return forEachField(shape, [&](const Field &field) {
      if (ShapeOf(field.id) != ShapeOf::Dimension)
        return Status();
      SMP_RETURN_IF_ERROR(field.require(Kind::Bytes, "a dimension"));
      record.type.shape.push_back(0);
      return forEachField(ProtoReader(field), [&](const Field &inner) {
        if (Dimension(inner.id) != Dimension::Size)
          return Status();
        SMP_RETURN_IF_ERROR(inner.require(Kind::Number, "a size"));
        SMP_RETURN_IF_ERROR(nonNegative(inner, "a size"));
        record.type.shape.back() = int64_t(inner.number);
        return Status();
      });
    });
  }

  /// Type 0 is text.
  Status checkTensor(const Field &tensor, uint64_t type) {
    if (type == 0)
      return checkTexts(tensor);
    const TypeNumber *known = nullptr;
    for (const TypeNumber &one : kTypeNumbers)
      if (one.number == type)
        known = &one;
    if (!known)
      return damage(tensor, "elements of type " + std::to_string(type) +
                                ", which smp has not");
    record.type.dtype = known->type;
    const auto bytes = checkedBytes(record.type);
    if (!bytes || *bytes == 0)
      return damage(tensor, bytes ? "a tensor without elements"
                                  : "a shape of more than 2^63 bytes");
    if (uint64_t(*bytes) != record.bytes.size() || !record.texts.empty())
      return damage(tensor, "has " + std::to_string(record.bytes.size()) +
                                " bytes and " +
                                std::to_string(record.texts.size()) +
                                " texts; " + toString(record.type) + " has " +
                                std::to_string(*bytes) + " bytes");
    return Status();
  }

  Status checkTexts(const Field &tensor) {
    const Shape &shape = record.type.shape;
    if (record.texts.empty() || !record.bytes.empty() || shape.size() != 1 ||
        uint64_t(shape[0]) != record.texts.size())
      return damage(
          tensor, "a tensor of text with the shape " + toString(shape) + ", " +
                      std::to_string(record.texts.size()) + " texts and " +
                      std::to_string(record.bytes.size()) + " bytes");
    record.type = {};
    return Status();
  }

  Status check() const {
    if (record.name.empty() || !hasTensor)
      return dataLoss("the record has no named tensor");
    if (!hasMode || !hasModeStep)
      return dataLoss("the record has no mode, or no step of it");
    return Status();
  }

  bool hasValue = false, hasTensor = false, hasMode = false,
       hasModeStep = false;
};
} // namespace

StatusOr<EventRecord> decodeEventRecord(std::span<const std::byte> bytes) {
  SMP_ASSIGN_OR_RETURN(const uint64_t size, eventRecordBytes(bytes));
  if (size != bytes.size())
    return dataLoss("the record says that it has " + std::to_string(size) +
                    " bytes; there are " + std::to_string(bytes.size()));
  const size_t footerAt = bytes.size() - kFooterBytes;
  if (numberAt(bytes, footerAt, kFooterBytes) != kFooter)
    return dataLoss("byte " + std::to_string(footerAt) +
                    ": not the footer that ends a record");
  PayloadReader reader;
  SMP_RETURN_IF_ERROR(reader.read(ProtoReader(
      bytes.subspan(kHeaderBytes, footerAt - kHeaderBytes), kHeaderBytes)));
  return std::move(reader.record);
}

} // namespace smp
