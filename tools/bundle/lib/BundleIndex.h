// SPDX-License-Identifier: Apache-2.0
// The index of a bundle, checked.

#ifndef SMP_TOOLS_BUNDLE_LIB_BUNDLEINDEX_H
#define SMP_TOOLS_BUNDLE_LIB_BUNDLEINDEX_H

#include "smp/model/Slices.h"
#include "smp/tools/TensorBundle.h"
#include <map>

namespace smp {

/// Where the bytes of a tensor are, or of a slice of it.
struct BundlePiece {
  uint32_t shard = 0;
  uint64_t offset = 0, size = 0;
  uint32_t digest = 0; ///< Masked.
  TensorSlice box;     ///< Of a tensor that is kept in slices.
};

class BundleIndex {
public:
  /// Everything but whether the bytes are in their files.
  static StatusOr<BundleIndex> read(std::string_view table);

  uint32_t numShards() const { return shardCount; }
  /// Those that have bytes of a tensor, sorted.
  std::vector<uint32_t> usedShards() const;
  /// Gives the bytes of a shard; fails when they do not have what they should.
  Status attach(uint32_t shard, std::span<const std::byte> bytes);

  std::span<const BundleTensor> tensors() const { return list; }
  std::span<const BundlePiece> piecesOf(const BundleTensor &tensor) const {
    return pieces[size_t(&tensor - list.data())];
  }
  std::span<const std::byte> bytesOf(const BundlePiece &piece) const {
    return shards.at(piece.shard).subspan(piece.offset, piece.size);
  }

private:
  friend class IndexReader;

  uint32_t shardCount = 0;
  std::vector<BundleTensor> list;               // Sorted by key.
  std::vector<std::vector<BundlePiece>> pieces; // By tensor.
  std::map<uint32_t, std::span<const std::byte>> shards;
};

} // namespace smp

#endif // SMP_TOOLS_BUNDLE_LIB_BUNDLEINDEX_H
