// SPDX-License-Identifier: Apache-2.0
#include "SafetensorsHeader.h"
#include "JsonEvents.h"
#include "Where.h"
#include "smp/base/Lists.h"
#include "smp/serialization/JsonTree.h"
#include <set>

namespace smp {

using nlohmann::json;

namespace {
/// Follows the parser through the one shape that a header may have. Every
/// event returns whether to go on; when not, `error` says why.
class HeaderReader : public json::json_sax_t {
public:
  SafetensorsHeader header;
  Status error;

  bool start_object(size_t) override {
    if (place == Place::Start)
      return enter(Place::Header);
    if (place == Place::TensorStart)
      return enter(Place::Tensor);
    if (place == Place::MetadataStart)
      return enter(Place::Metadata);
    return unexpected("an object");
  }

  bool key(std::string &name) override {
    switch (place) {
    case Place::Header:
      return topLevelKey(name);
    case Place::Metadata:
      metadataKey = name;
      return true;
    default:
      return tensorKey(name);
    }
  }

  bool end_object() override {
    if (place == Place::Tensor) {
      if (fields != kAllFields)
        return fail(tensorName() + " needs dtype, shape and data_offsets");
      return enter(Place::Header);
    }
    return enter(place == Place::Metadata ? Place::Header : Place::End);
  }

  bool start_array(size_t) override {
    if (place != Place::Tensor || (field != kShape && field != kOffsets))
      return unexpected("a list");
    offsetsRead = 0;
    return enter(Place::Numbers);
  }

  bool end_array() override {
    if (field == kOffsets && offsetsRead != 2)
      return fail(tensorName() + ": data_offsets must be two numbers");
    return enter(Place::Tensor);
  }

  bool number_unsigned(uint64_t value) override {
    if (place != Place::Numbers)
      return unexpected("a number");
    if (field == kShape)
      return addSize(value);
    if (offsetsRead == 2)
      return fail(tensorName() + ": data_offsets must be two numbers");
    (offsetsRead++ == 0 ? record().begin : record().end) = value;
    return true;
  }

  bool string(std::string &value) override {
    if (place == Place::Metadata)
      return addMetadata(value);
    if (place != Place::Tensor || field != kDType)
      return unexpected("a string");
    std::optional<DType> dtype = parseSafetensorsDType(value);
    if (!dtype)
      return fail(tensorName() + " has dtype " + quote(value) +
                  ", which smp does not know");
    record().type.dtype = *dtype;
    return true;
  }

  bool number_integer(int64_t value) override {
    return fail(context() + "has the number " + std::to_string(value) +
                "; it must be 0 or more");
  }
  bool number_float(double, const std::string &text) override {
    return fail(context() + "has the number " + quote(text) +
                "; it must be a whole one of 64 bits");
  }
  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool binary(json::binary_t &) override { return unexpected("binary"); }
  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    return fail("the header is no JSON: wrong at byte " +
                std::to_string(position));
  }

private:
  enum class Place {
    Start,         ///< Before the header's object.
    Header,        ///< Between tensors.
    MetadataStart, ///< After "__metadata__".
    Metadata,
    TensorStart, ///< After a tensor's name.
    Tensor,
    Numbers, ///< In a list of a tensor.
    End,
  };
  enum Field : uint8_t { kNone = 0, kDType = 1, kShape = 2, kOffsets = 4 };
  static constexpr uint8_t kAllFields = kDType | kShape | kOffsets;

  bool enter(Place next) {
    place = next;
    return true;
  }

  bool fail(std::string message) {
    if (error.ok())
      error = dataLoss(std::move(message));
    return false;
  }

  std::string context() const {
    bool inTensor = place == Place::TensorStart || place == Place::Tensor ||
                    place == Place::Numbers;
    return inTensor ? tensorName() + " " : "the header ";
  }
  bool unexpected(const char *what) {
    return fail(context() + "has " + what + " where none may be");
  }

  SafetensorsRecord &record() { return header.records.back(); }
  std::string tensorName() const {
    return "tensor " + quote(header.records.back().name);
  }

  bool topLevelKey(const std::string &name) {
    if (!names.insert(name).second)
      return fail("the header has " + quote(name) + " twice");
    if (name == kSafetensorsMetadata)
      return enter(Place::MetadataStart);
    header.records.push_back({name, {}, 0, 0});
    fields = kNone;
    field = kNone;
    return enter(Place::TensorStart);
  }

  bool tensorKey(const std::string &name) {
    field = name == "dtype"          ? kDType
            : name == "shape"        ? kShape
            : name == "data_offsets" ? kOffsets
                                     : kNone;
    if (field == kNone)
      return fail(tensorName() + " has the unknown key " + quote(name));
    if (fields & field)
      return fail(tensorName() + " has " + name + " twice");
    fields |= field;
    return true;
  }

  bool addSize(uint64_t value) {
    if (value > uint64_t(INT64_MAX))
      return fail(tensorName() + " has the size " + std::to_string(value) +
                  "; at most " + std::to_string(INT64_MAX));
    record().type.shape.push_back(int64_t(value));
    return true;
  }

  bool addMetadata(const std::string &value) {
    if (!header.metadata.emplace(metadataKey, value).second)
      return fail("the metadata have " + quote(metadataKey) + " twice");
    return true;
  }

  Place place = Place::Start;
  Field field = kNone;
  uint8_t fields = 0; ///< Those of the tensor that were seen.
  int offsetsRead = 0;
  std::string metadataKey;
  std::set<std::string> names;
};
} // namespace

StatusOr<SafetensorsHeader> parseSafetensorsHeader(std::string_view text) {
  HeaderReader reader;
  if (!parseJson(text, reader)) {
    if (!reader.error.ok())
      return reader.error;
    return dataLoss("the header is no JSON");
  }
  return std::move(reader.header);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string formatRecord(const SafetensorsRecord &record) {
  return jsonLiteral(record.name) + ":{\"dtype\":\"" +
         std::string(toSafetensors(record.type.dtype)) + "\",\"shape\":[" +
         join(record.type.shape, ",") + "],\"data_offsets\":[" +
         std::to_string(record.begin) + "," + std::to_string(record.end) + "]}";
}

std::string formatSafetensorsHeader(const SafetensorsHeader &header) {
  std::string text = "{";
  if (!header.metadata.empty()) {
    text += jsonLiteral(kSafetensorsMetadata) + ":{";
    const char *separator = "";
    for (const auto &[key, value] : header.metadata) {
      text += separator + jsonLiteral(key) + ":" + jsonLiteral(value);
      separator = ",";
    }
    text += "}";
  }
  for (const SafetensorsRecord &record : header.records)
    text += (text.size() > 1 ? "," : "") + formatRecord(record);
  return text + "}";
}

} // namespace smp
