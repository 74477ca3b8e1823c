// SPDX-License-Identifier: Apache-2.0
// The JSON of a manifest, member by member.

#ifndef SMP_SERIALIZATION_LIB_MANIFESTREADER_H
#define SMP_SERIALIZATION_LIB_MANIFESTREADER_H

#include "JsonFields.h"
#include "smp/serialization/CheckpointManifest.h"
#include <set>

namespace smp {

inline constexpr const char *kCheckpointFormat = "smp checkpoint";

/// Reads a manifest. What follows from a problem is none of its own.
class ManifestReader : public JsonFields {
public:
  /// `isPart`: slices may be missing.
  explicit ManifestReader(bool isPart) : isPart(isPart) {}
  CheckpointManifest read(const JsonTree &root);

private:
  /// Calls a member for each value of a list of the manifest.
  void readList(const JsonTree &root, const char *name,
                void (ManifestReader::*read)(const JsonTree &, const Where &));

  void file(const JsonTree &value, const Where &where);
  void pieces(const JsonTree &value, const Where &where, FileDigest &digest);
  void rootOf(const JsonTree &value, const Where &where);
  void item(const JsonTree &value, const Where &where);
  void name(const JsonTree &value, const Where &where);
  void replaced(const JsonTree &value, const Where &where);
  TensorType type(const JsonTree &value, const Where &where);
  /// `isTyped`: the item's type is known.
  void slice(const JsonTree &value, const Where &where, bool isTyped,
             CheckpointManifest::Item &item);
  void checkBox(const TensorSlice &box, const Where &where, const Shape &shape);
  void checkCover(const CheckpointManifest::Item &item, const Where &where);

  const bool isPart;
  uint64_t version = 0;
  bool hasFiles = false; // Their list was read.
  bool hasItems = false; // All were good.
  CheckpointManifest manifest;
  std::set<std::string> fileNames, keys, names;
  std::set<std::pair<uint32_t, std::string>> tensors;
};

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_MANIFESTREADER_H
