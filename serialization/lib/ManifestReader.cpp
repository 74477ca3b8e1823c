// SPDX-License-Identifier: Apache-2.0
#include "ManifestReader.h"
#include "smp/base/Lists.h"
#include "smp/serialization/CheckpointState.h"
#include <charconv>

namespace smp {

/// As TensorFlow has it. What checks slices takes time by the square of it.
static constexpr size_t kMaxRank = 254;

CheckpointManifest ManifestReader::read(const JsonTree &root) {
  const Where top;
  if (text(root, "format", top) != kCheckpointFormat)
    fail(top.field("format"),
         std::string("is not '") + kCheckpointFormat + "'");
  version = number(root, "version", top);
  if (problems.count() == 0 && version > kCheckpointVersion)
    problems.add(failedPrecondition("version is " + std::to_string(version) +
                                    "; this version of smp reads 1 to " +
                                    std::to_string(kCheckpointVersion) +
                                    ": use a newer one"));
  if (problems.count() == 0 && version < 1)
    fail(top.field("version"), "is 0");
  if (problems.count() != 0)
    return {};
  manifest.time = real(root, "time", top);
  if (root.find("metric"))
    manifest.metric = real(root, "metric", top);
  if (version > 1) {
    manifest.ranks = uint32_t(number(root, "ranks", top, UINT32_MAX));
    manifest.sharding = text(root, "sharding", top);
  }
  const size_t before = problems.count();
  readList(root, "files", &ManifestReader::file);
  hasFiles = isGoodSince(before) || !manifest.files.empty();
  readList(root, "roots", &ManifestReader::rootOf);
  const size_t beforeItems = problems.count();
  readList(root, "items", &ManifestReader::item);
  hasItems = isGoodSince(beforeItems);
  if (root.find("names"))
    readList(root, "names", &ManifestReader::name);
  if (root.find("replaced"))
    readList(root, "replaced", &ManifestReader::replaced);
  return std::move(manifest);
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

void ManifestReader::fail(const Where &where, const std::string &what) {
  problems.add(dataLoss(where.spell() + " " + what));
}

const JsonTree *ManifestReader::member(const JsonTree &object, const char *name,
                                       const Where &where) {
  const JsonTree *found = object.find(name);
  if (!found)
    fail(where.field(name), "is missing");
  return found;
}

std::string ManifestReader::textOf(const JsonTree &value, const Where &where) {
  if (value.kind == JsonTree::Kind::Text)
    return value.parts->text;
  fail(where, "is no text");
  return {};
}

uint64_t ManifestReader::numberOf(const JsonTree &value, const Where &where,
                                  uint64_t most) {
  if (value.kind != JsonTree::Kind::Whole)
    fail(where, "is no whole number from 0");
  else if (value.whole > most)
    fail(where, "has more than 32 bits");
  return value.whole;
}

double ManifestReader::real(const JsonTree &object, const char *name,
                            const Where &where) {
  const JsonTree *value = member(object, name, where);
  if (value && value->kind != JsonTree::Kind::Whole &&
      value->kind != JsonTree::Kind::Number)
    fail(where.field(name), "is no number");
  return value ? value->number : 0;
}

std::string ManifestReader::text(const JsonTree &object, const char *name,
                                 const Where &where) {
  const JsonTree *value = member(object, name, where);
  return value ? textOf(*value, where.field(name)) : std::string();
}

uint64_t ManifestReader::number(const JsonTree &object, const char *name,
                                const Where &where, uint64_t most) {
  const JsonTree *value = member(object, name, where);
  return value ? numberOf(*value, where.field(name), most) : 0;
}

std::span<const JsonTree> ManifestReader::list(const JsonTree &object,
                                               const char *name,
                                               const Where &where) {
  const JsonTree *value = member(object, name, where);
  if (value && value->kind == JsonTree::Kind::List)
    return value->values();
  if (value)
    fail(where.field(name), "is no list");
  return {};
}

void ManifestReader::readList(const JsonTree &root, const char *name,
                              void (ManifestReader::*read)(const JsonTree &,
                                                           const Where &)) {
  const Where top;
  const auto values = list(root, name, top);
  for (size_t i = 0; i < values.size(); ++i)
    (this->*read)(values[i], top.at(name, i));
}

Shape ManifestReader::sizes(const JsonTree &object, const char *name,
                            const Where &where) {
  Shape sizes;
  for (const JsonTree &size : list(object, name, where)) {
    const bool good =
        size.kind == JsonTree::Kind::Whole && size.whole <= uint64_t(INT64_MAX);
    if (!good)
      fail(where.field(name), "has a size that is no whole number from 0");
    sizes.push_back(good ? int64_t(size.whole) : 0);
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void ManifestReader::file(const JsonTree &value, const Where &where) {
  CheckpointManifest::File file;
  const size_t before = problems.count();
  file.name = text(value, "name", where);
  const bool isNamed = isGoodSince(before);
  FileDigest &digest = file.digest;
  digest.size = number(value, "size", where);
  digest.crc32c = uint32_t(number(value, "crc32c", where, UINT32_MAX));
  if (version > 1 && isGoodSince(before))
    pieces(value, where, digest);
  if (isNamed &&
      (!isPlainFileName(file.name) || !fileNames.insert(file.name).second))
    fail(where.field("name"),
         "is " + quote(file.name) + "; it must be a file of its own here");
  manifest.files.push_back(std::move(file));
}

void ManifestReader::pieces(const JsonTree &value, const Where &where,
                            FileDigest &digest) {
  const size_t before = problems.count();
  const auto list = this->list(value, "pieces", where);
  for (size_t i = 0; i < list.size(); ++i)
    digest.pieces.push_back(
        uint32_t(numberOf(list[i], where.at("pieces", i), UINT32_MAX)));
  const uint64_t wanted =
      digest.size / kPieceBytes + (digest.size % kPieceBytes != 0);
  if (!isGoodSince(before))
    return;
  if (list.size() != wanted)
    fail(where.field("pieces"), "has " + std::to_string(list.size()) +
                                    " digests; the file has " +
                                    std::to_string(wanted) + " pieces");
  else if (digest.joinedPieces() != digest.crc32c)
    fail(where.field("crc32c"), "is not that of the pieces");
}

void ManifestReader::rootOf(const JsonTree &value, const Where &where) {
  CheckpointManifest::Root root;
  root.name = text(value, "name", where);
  root.kinds = text(value, "kinds", where);
  const std::string program = text(value, "program", where);
  const char *end = program.data() + program.size();
  auto [rest, code] = std::from_chars(program.data(), end, root.program, 16);
  if (program.size() != 16 || code != std::errc() || rest != end)
    fail(where.field("program"), "is no number of 16 hexadecimal digits");
  const auto steps = list(value, "steps", where);
  if (steps.size() != kNumModes)
    fail(where.field("steps"), "has " + std::to_string(steps.size()) +
                                   " numbers; there are " +
                                   std::to_string(kNumModes) + " modes");
  for (size_t i = 0; i < steps.size() && i < kNumModes; ++i)
    root.steps[i] = numberOf(steps[i], where.at("steps", i));
  if (version > 1) {
    root.kernelRevision =
        uint32_t(number(value, "kernelRevision", where, UINT32_MAX));
    const auto devices = list(value, "devices", where);
    for (size_t i = 0; i < devices.size(); ++i)
      root.devices.push_back(textOf(devices[i], where.at("devices", i)));
  }
  manifest.roots.push_back(std::move(root));
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

void ManifestReader::item(const JsonTree &value, const Where &where) {
  CheckpointManifest::Item item;
  const size_t before = problems.count();
  item.key = text(value, "key", where);
  const bool isNamed = isGoodSince(before);
  const size_t beforeType = problems.count();
  item.type = type(value, where);
  const bool isTyped = isGoodSince(beforeType);
  if (version > 1) {
    item.layout = text(value, "layout", where);
    const auto slices = list(value, "slices", where);
    for (size_t i = 0; i < slices.size(); ++i)
      slice(slices[i], where.at("slices", i), isTyped, item);
    if (isGoodSince(before))
      checkCover(item, where);
  } else {
    slice(value, where, isTyped, item);
  }
  if (isNamed && (item.key.empty() || !keys.insert(item.key).second))
    fail(where.field("key"),
         "is " + quote(item.key) + "; it must be there, and once");
  manifest.items.push_back(std::move(item));
}

void ManifestReader::name(const JsonTree &value, const Where &where) {
  CheckpointManifest::Name name;
  name.name = text(value, "name", where);
  name.key = text(value, "key", where);
  if (!name.key.empty() && !keys.contains(name.key) && !isPart && hasItems)
    fail(where.field("key"), "is " + quote(name.key) + ", of no item");
  if (name.name.empty() || keys.contains(name.name) ||
      !names.insert(name.name).second)
    fail(where.field("name"),
         "is " + quote(name.name) + "; it must be there, and once");
  manifest.names.push_back(std::move(name));
}

void ManifestReader::replaced(const JsonTree &value, const Where &where) {
  const size_t before = problems.count();
  std::string file = textOf(value, where);
  if (isGoodSince(before) && !isPlainFileName(file))
    fail(where, "is " + quote(file) + "; it must be a file here");
  manifest.replaced.push_back(std::move(file));
}

TensorType ManifestReader::type(const JsonTree &value, const Where &where) {
  TensorType type;
  const std::string name = text(value, "dtype", where);
  if (const std::optional<DType> dtype = parseDType(name))
    type.dtype = *dtype;
  else
    fail(where.field("dtype"),
         "is " + quote(name) + ", which smp does not know");
  type.shape = sizes(value, "shape", where);
  if (type.shape.size() > kMaxRank)
    fail(where.field("shape"), "has " + std::to_string(type.shape.size()) +
                                   " dimensions, of at most " +
                                   std::to_string(kMaxRank));
  else if (!checkedBytes(type))
    fail(where.field("shape"), "is too large");
  return type;
}

void ManifestReader::slice(const JsonTree &value, const Where &where,
                           bool isTyped, CheckpointManifest::Item &item) {
  CheckpointManifest::Slice slice;
  const size_t before = problems.count();
  slice.tensor = text(value, "tensor", where);
  const uint64_t file = number(value, "file", where);
  slice.file = uint32_t(file);
  const bool isRead = isGoodSince(before);
  if (isRead && hasFiles && file >= manifest.files.size())
    fail(where.field("file"), "is " + std::to_string(file) + " of " +
                                  std::to_string(manifest.files.size()) +
                                  " files");
  else if (isRead && !tensors.insert({slice.file, slice.tensor}).second)
    fail(where.field("tensor"),
         "is " + quote(slice.tensor) + " of another item's");
  if (version > 1) {
    const size_t beforeBox = problems.count();
    slice.box = {sizes(value, "offset", where), sizes(value, "extent", where)};
    if (isTyped && isGoodSince(beforeBox))
      checkBox(slice.box, where, item.type.shape);
  } else {
    slice.box = wholeOf(item.type.shape);
  }
  item.slices.push_back(std::move(slice));
}

void ManifestReader::checkBox(const TensorSlice &box, const Where &where,
                              const Shape &shape) {
  const size_t rank = shape.size();
  bool isInside = box.offset.size() == rank && box.extent.size() == rank;
  for (size_t d = 0; isInside && d < rank; ++d)
    isInside =
        box.offset[d] <= shape[d] && box.extent[d] <= shape[d] - box.offset[d];
  if (!isInside)
    fail(where, "has the offset [" + join(box.offset, ",") +
                    "] and the extent [" + join(box.extent, ",") + "], of [" +
                    join(shape, ",") + "]");
}

void ManifestReader::checkCover(const CheckpointManifest::Item &item,
                                const Where &where) {
  if (isPart)
    return;
  if (item.slices.empty())
    return fail(where.field("slices"), "is empty");
  std::vector<TensorSlice> boxes;
  for (const CheckpointManifest::Slice &slice : item.slices)
    boxes.push_back(slice.box);
  if (auto fault = findCoverFault(item.type.shape, boxes))
    fail(where.field("slices"),
         "has the element [" + join(fault->element, ",") + "] of " +
             quote(item.key) + " " + std::to_string(fault->times) + " times");
}

} // namespace smp
