// SPDX-License-Identifier: Apache-2.0
#include "ManifestReader.h"
#include "smp/base/Lists.h"
#include "smp/serialization/CheckpointState.h"
#include <charconv>

namespace smp {

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

void ManifestReader::replaced(const JsonTree &value, const Where &where) {
  const size_t before = problems.count();
  std::string file = textOf(value, where);
  if (isGoodSince(before) && !isPlainFileName(file))
    fail(where, "is " + quote(file) + "; it must be a file here");
  manifest.replaced.push_back(std::move(file));
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

} // namespace smp
