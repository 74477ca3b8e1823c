// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointManifest.h"
#include "ManifestReader.h"
#include "NumberText.h"
#include "smp/base/Lists.h"
#include "smp/serialization/Crc32c.h"

namespace smp {

static constexpr size_t kDeepest = 8;

std::string_view rootOf(std::string_view key) {
  return key.substr(0, key.find('/'));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Appends parts of an object to a text.
class ObjectText {
public:
  explicit ObjectText(std::string &text) : text(text) { text += '{'; }

  void add(const char *name, std::string_view value) {
    begin(name);
    text += jsonLiteral(value);
  }
  void add(const char *name, uint64_t value) {
    begin(name);
    text += std::to_string(value);
  }
  template <typename Range, typename Text = std::identity>
  void addList(const char *name, const Range &values, Text toText = {}) {
    begin(name);
    text += '[';
    text += join(values, ",", toText);
    text += ']';
  }
  void end() { text += '}'; }

private:
  void begin(const char *name) {
    if (text.back() != '{')
      text += ',';
    text += '"';
    text += name;
    text += "\":";
  }

  std::string &text;
};

static void append(std::string &text, const CheckpointManifest::File &file) {
  ObjectText object(text);
  object.add("name", file.name);
  object.add("size", file.digest.size);
  object.add("crc32c", file.digest.crc32c);
  object.addList("pieces", file.digest.pieces);
  object.end();
}

static void append(std::string &text, const CheckpointManifest::Root &root) {
  ObjectText object(text);
  object.add("name", root.name);
  object.add("program", hexText(root.program));
  object.add("kinds", root.kinds);
  object.addList("steps", root.steps);
  object.add("kernelRevision", root.kernelRevision);
  object.addList("devices", root.devices, jsonLiteral);
  object.end();
}

static std::string textOf(const CheckpointManifest::Slice &slice) {
  std::string text;
  ObjectText object(text);
  object.add("file", slice.file);
  object.add("tensor", slice.tensor);
  object.addList("offset", slice.box.offset);
  object.addList("extent", slice.box.extent);
  object.end();
  return text;
}

static void append(std::string &text, const CheckpointManifest::Item &item) {
  ObjectText object(text);
  object.add("key", item.key);
  object.add("dtype", toString(item.type.dtype));
  object.addList("shape", item.type.shape);
  object.add("layout", item.layout);
  object.addList("slices", item.slices, textOf);
  object.end();
}

static void append(std::string &text, const CheckpointManifest::Name &name) {
  ObjectText object(text);
  object.add("name", name.name);
  object.add("key", name.key);
  object.end();
}

static void append(std::string &text, const std::string &file) {
  text += jsonLiteral(file);
}

/// A list with an element per line.
template <typename T>
static void appendList(std::string &text, const char *name,
                       const std::vector<T> &list) {
  text += std::string("  \"") + name + "\": [";
  for (size_t i = 0; i < list.size(); ++i) {
    text += i ? ",\n    " : "\n    ";
    append(text, list[i]);
  }
  text += "],\n";
}

/// The end of a manifest whose text so far is `text`.
static std::string digestOf(std::string_view text) {
  return "  \"crc32c\": " +
         std::to_string(crc32c(std::as_bytes(std::span(text)))) + "\n}\n";
}

std::string formatCheckpointManifest(const CheckpointManifest &manifest) {
  std::string text = "{\n  \"format\": " + jsonLiteral(kCheckpointFormat);
  text += ",\n  \"version\": " + std::to_string(kCheckpointVersion);
  text += ",\n  \"time\": " + realText(manifest.time);
  text += ",\n  \"ranks\": " + std::to_string(manifest.ranks);
  text += ",\n  \"sharding\": " + jsonLiteral(manifest.sharding) + ",\n";
  if (manifest.metric)
    text += "  \"metric\": " + realText(*manifest.metric) + ",\n";
  appendList(text, "files", manifest.files);
  appendList(text, "roots", manifest.roots);
  appendList(text, "items", manifest.items);
  if (!manifest.names.empty())
    appendList(text, "names", manifest.names);
  if (!manifest.replaced.empty())
    appendList(text, "replaced", manifest.replaced);
  return text + digestOf(text);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Any change of any byte makes the digest, or how it is written, another.
static Status checkDigest(std::string_view text) {
  const size_t start = text.rfind("  \"crc32c\": ");
  if (start == text.npos)
    return dataLoss("it has no digest at its end: it was cut, or is no "
                    "manifest of a checkpoint");
  if (text.substr(start) != digestOf(text.substr(0, start)))
    return dataLoss("its digest does not fit: it was altered");
  return Status();
}

static StatusOr<CheckpointManifest> parse(std::string_view text, bool isPart) {
  if (text.size() > kMaxManifestBytes)
    return dataLoss("it has " + std::to_string(text.size()) +
                    " bytes, of at most " + std::to_string(kMaxManifestBytes));
  SMP_RETURN_IF_ERROR(checkDigest(text));
  SMP_ASSIGN_OR_RETURN(const JsonTree root, parseJsonObject(text, kDeepest));
  ManifestReader reader(isPart);
  CheckpointManifest manifest = reader.read(root);
  SMP_RETURN_IF_ERROR(reader.problems.status());
  return manifest;
}

StatusOr<CheckpointManifest> parseCheckpointManifest(std::string_view text) {
  return parse(text, /*isPart=*/false);
}

StatusOr<CheckpointManifest>
parseCheckpointManifestPart(std::string_view text) {
  return parse(text, /*isPart=*/true);
}

} // namespace smp
