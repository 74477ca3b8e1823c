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

void ManifestReader::readList(const JsonTree &root, const char *name,
                              void (ManifestReader::*read)(const JsonTree &,
                                                           const Where &)) {
  const Where top;
  const auto values = list(root, name, top);
  for (size_t i = 0; i < values.size(); ++i)
    (this->*read)(values[i], top.at(name, i));
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
