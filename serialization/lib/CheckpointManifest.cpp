// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointManifest.h"
#include "Where.h"
#include "smp/serialization/CheckpointState.h"
#include "smp/serialization/Crc32c.h"
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

namespace smp {

using Json = nlohmann::ordered_json;

static constexpr const char *kFormat = "smp checkpoint";
static constexpr int kDeepest = 8;

std::string_view rootOf(std::string_view key) {
  return key.substr(0, key.find('/'));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string hex(uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016llx",
                static_cast<unsigned long long>(value));
  return digits;
}

static std::string toText(const Json &value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false,
                    Json::error_handler_t::replace);
}

static Json toJson(const CheckpointManifest::File &file) {
  return {{"name", file.name}, {"size", file.size}, {"crc32c", file.crc32c}};
}
static Json toJson(const CheckpointManifest::Root &root) {
  return {{"name", root.name},
          {"program", hex(root.program)},
          {"kinds", root.kinds},
          {"steps", root.steps}};
}
static Json toJson(const CheckpointManifest::Item &item) {
  return {{"key", item.key},
          {"file", item.file},
          {"tensor", item.tensor},
          {"dtype", std::string(toString(item.type.dtype))},
          {"shape", item.type.shape}};
}

/// A list with an element per line.
template <typename T>
static std::string listText(const char *name, const std::vector<T> &list) {
  std::string text = std::string("  \"") + name + "\": [";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ",\n    " : "\n    ") + toText(toJson(list[i]));
  return text + "],\n";
}

/// The end of a manifest whose text so far is `text`.
static std::string digestOf(std::string_view text) {
  return "  \"crc32c\": " +
         std::to_string(crc32c(std::as_bytes(std::span(text)))) + "\n}\n";
}

std::string formatCheckpointManifest(const CheckpointManifest &manifest) {
  std::string text = "{\n  \"format\": " + toText(kFormat) + ",\n";
  text += "  \"version\": " + std::to_string(kCheckpointVersion) + ",\n";
  text += "  \"time\": " + toText(manifest.time) + ",\n";
  text += listText("files", manifest.files);
  text += listText("roots", manifest.roots);
  text += listText("items", manifest.items);
  return text + digestOf(text);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads members of objects and keeps the first error.
class ManifestReader {
public:
  CheckpointManifest read(const Json &root) {
    const Where top;
    if (text(root, "format", top) != kFormat)
      fail(top.field("format"), std::string("is not '") + kFormat + "'");
    const uint64_t version = number(root, "version", top);
    if (version != kCheckpointVersion)
      fail(top.field("version"), "is " + std::to_string(version) +
                                     "; this version of smp reads " +
                                     std::to_string(kCheckpointVersion));
    if (!error.ok())
      return {};
    if (const Json *time = member(root, "time", top))
      time->is_number() ? void(manifest.time = time->get<double>())
                        : fail(top.field("time"), "is no number");
    readList(root, "files", [&](const Json &v, const Where &w) { file(v, w); });
    readList(root, "roots",
             [&](const Json &v, const Where &w) { rootOf(v, w); });
    readList(root, "items", [&](const Json &v, const Where &w) { item(v, w); });
    return std::move(manifest);
  }

  Status error;

private:
  void fail(const Where &where, const std::string &what) {
    if (error.ok())
      error = dataLoss(where.spell() + " " + what);
  }

  const Json *member(const Json &object, const char *name, const Where &where) {
    auto found = object.is_object() ? object.find(name) : object.end();
    if (object.is_object() && found != object.end())
      return &*found;
    fail(where.field(name), "is missing");
    return nullptr;
  }
  std::string text(const Json &object, const char *name, const Where &where) {
    const Json *value = member(object, name, where);
    if (value && value->is_string())
      return value->get<std::string>();
    fail(where.field(name), "is no text");
    return {};
  }
  uint64_t number(const Json &object, const char *name, const Where &where) {
    const Json *value = member(object, name, where);
    if (value && value->is_number_unsigned())
      return value->get<uint64_t>();
    fail(where.field(name), "is no whole number from 0");
    return 0;
  }
  const Json &list(const Json &object, const char *name, const Where &where) {
    static const Json kEmpty = Json::array();
    const Json *value = member(object, name, where);
    if (value && value->is_array())
      return *value;
    fail(where.field(name), "is no list");
    return kEmpty;
  }
  template <typename Read>
  void readList(const Json &root, const char *name, Read read) {
    const Where top;
    const Json &values = list(root, name, top);
    for (size_t i = 0; i < values.size() && error.ok(); ++i)
      read(values[i], top.at(name, i));
  }

  void file(const Json &value, const Where &where) {
    CheckpointManifest::File file;
    file.name = text(value, "name", where);
    file.size = number(value, "size", where);
    const uint64_t digest = number(value, "crc32c", where);
    if (digest > UINT32_MAX)
      fail(where.field("crc32c"), "has more than 32 bits");
    file.crc32c = uint32_t(digest);
    if (!isPlainFileName(file.name) || !fileNames.insert(file.name).second)
      fail(where.field("name"),
           "is " + quote(file.name) + "; it must be a file of its own here");
    manifest.files.push_back(std::move(file));
  }

  void rootOf(const Json &value, const Where &where) {
    CheckpointManifest::Root root;
    root.name = text(value, "name", where);
    root.kinds = text(value, "kinds", where);
    const std::string program = text(value, "program", where);
    const char *end = program.data() + program.size();
    auto [rest, code] = std::from_chars(program.data(), end, root.program, 16);
    if (program.size() != 16 || code != std::errc() || rest != end)
      fail(where.field("program"), "is no number of 16 hexadecimal digits");
    const Json &steps = list(value, "steps", where);
    if (steps.size() != kNumModes)
      fail(where.field("steps"), "has " + std::to_string(steps.size()) +
                                     " numbers; there are " +
                                     std::to_string(kNumModes) + " modes");
    for (size_t i = 0; i < steps.size() && i < kNumModes; ++i)
      steps[i].is_number_unsigned()
          ? void(root.steps[i] = steps[i].get<uint64_t>())
          : fail(where.at("steps", i), "is no whole number from 0");
    manifest.roots.push_back(std::move(root));
  }

  void item(const Json &value, const Where &where) {
    CheckpointManifest::Item item;
    item.key = text(value, "key", where);
    item.tensor = text(value, "tensor", where);
    const uint64_t file = number(value, "file", where);
    if (error.ok() && file >= manifest.files.size())
      fail(where.field("file"), "is " + std::to_string(file) + " of " +
                                    std::to_string(manifest.files.size()) +
                                    " files");
    item.file = uint32_t(file);
    item.type = type(value, where);
    if (item.key.empty() || !keys.insert(item.key).second)
      fail(where.field("key"),
           "is " + quote(item.key) + "; it must be there, and once");
    if (!tensors.insert({item.file, item.tensor}).second)
      fail(where.field("tensor"),
           "is " + quote(item.tensor) + " of another item's");
    manifest.items.push_back(std::move(item));
  }

  TensorType type(const Json &value, const Where &where) {
    TensorType type;
    const std::string name = text(value, "dtype", where);
    if (const std::optional<DType> dtype = parseDType(name))
      type.dtype = *dtype;
    else
      fail(where.field("dtype"),
           "is " + quote(name) + ", which smp does not know");
    for (const Json &size : list(value, "shape", where)) {
      const bool good = size.is_number_unsigned() &&
                        size.get<uint64_t>() <= uint64_t(INT64_MAX);
      if (!good)
        fail(where.field("shape"), "has a size that is no whole number from 0");
      type.shape.push_back(good ? int64_t(size.get<uint64_t>()) : 0);
    }
    if (!checkedBytes(type))
      fail(where.field("shape"), "is too large");
    return type;
  }

  CheckpointManifest manifest;
  std::set<std::string> fileNames, keys;
  std::set<std::pair<uint32_t, std::string>> tensors;
};

/// Any change of any byte makes the digest, or how it is written, another.
Status checkDigest(std::string_view text) {
  const size_t start = text.rfind("  \"crc32c\": ");
  if (start == text.npos)
    return dataLoss("it has no digest at its end: it was cut, or is no "
                    "manifest of a checkpoint");
  if (text.substr(start) != digestOf(text.substr(0, start)))
    return dataLoss("its digest does not fit: it was altered");
  return Status();
}

} // namespace

StatusOr<CheckpointManifest> parseCheckpointManifest(std::string_view text) {
  if (text.size() > kMaxManifestBytes)
    return dataLoss("it has " + std::to_string(text.size()) +
                    " bytes, of at most " + std::to_string(kMaxManifestBytes));
  SMP_RETURN_IF_ERROR(checkDigest(text));
  bool isTooDeep = false;
  auto watchDepth = [&](int depth, Json::parse_event_t, Json &) {
    isTooDeep |= depth > kDeepest;
    return !isTooDeep;
  };
  const Json root = Json::parse(text.begin(), text.end(), watchDepth,
                                /*allow_exceptions=*/false);
  if (isTooDeep)
    return dataLoss("it is nested deeper than " + std::to_string(kDeepest));
  if (root.is_discarded() || !root.is_object())
    return dataLoss("it is no JSON object");
  ManifestReader reader;
  CheckpointManifest manifest = reader.read(root);
  if (!reader.error.ok())
    return reader.error;
  return manifest;
}

} // namespace smp
