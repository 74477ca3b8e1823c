// SPDX-License-Identifier: Apache-2.0
// The JSON of a manifest, member by member.

#ifndef SMP_SERIALIZATION_LIB_MANIFESTREADER_H
#define SMP_SERIALIZATION_LIB_MANIFESTREADER_H

#include "Problems.h"
#include "Where.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/JsonTree.h"
#include <set>

namespace smp {

inline constexpr const char *kCheckpointFormat = "smp checkpoint";

/// Reads members of objects. What follows from a problem is none of its own.
class ManifestReader {
public:
  /// `isPart`: slices may be missing.
  explicit ManifestReader(bool isPart) : isPart(isPart) {}
  CheckpointManifest read(const JsonTree &root);

  /// All that is wrong.
  Problems problems;

private:
  bool isGoodSince(size_t before) const { return problems.count() == before; }
  void fail(const Where &where, const std::string &what);
  const JsonTree *member(const JsonTree &object, const char *name,
                         const Where &where);
  std::string text(const JsonTree &object, const char *name,
                   const Where &where);
  uint64_t number(const JsonTree &object, const char *name, const Where &where,
                  uint64_t most = UINT64_MAX);
  double real(const JsonTree &object, const char *name, const Where &where);
  std::span<const JsonTree> list(const JsonTree &object, const char *name,
                                 const Where &where);
  /// Calls a member for each value of a list of the manifest.
  void readList(const JsonTree &root, const char *name,
                void (ManifestReader::*read)(const JsonTree &, const Where &));
  Shape sizes(const JsonTree &object, const char *name, const Where &where);
  std::string textOf(const JsonTree &value, const Where &where);
  uint64_t numberOf(const JsonTree &value, const Where &where,
                    uint64_t most = UINT64_MAX);

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
