// SPDX-License-Identifier: Apache-2.0
// TensorFlow's bundles, the files of its checkpoints: `<prefix>.index`, a
// sorted table of what there is, and the bytes in
// `<prefix>.data-00000-of-00002` and so on. The format is that of
// tensorflow/core/util/tensor_bundle, version 1.

#ifndef SMP_TOOLS_TENSORBUNDLE_H
#define SMP_TOOLS_TENSORBUNDLE_H

#include "smp/base/Status.h"
#include "smp/model/Slices.h"
#include "smp/serialization/ByteSource.h"
#include "smp/serialization/MappedFile.h"
#include <memory>

namespace smp {

/// A number of TensorFlow's enum DataType.
using TensorFlowType = int32_t;
inline constexpr TensorFlowType kTensorFlowString = 7, kTensorFlowResource = 20,
                                kTensorFlowVariant = 21;

/// Nothing when smp has no such element type.
std::optional<DType> fromTensorFlow(TensorFlowType type);
TensorFlowType toTensorFlow(DType type);
/// TensorFlow's word: "float32", "string"; "type 99".
std::string nameOfTensorFlowType(TensorFlowType type);

/// The tensor of a bundle that has its graph of objects; see ObjectGraph.h.
inline constexpr std::string_view kObjectGraphKey =
    "_CHECKPOINTABLE_OBJECT_GRAPH";

/// A tensor as a bundle has it.
struct BundleTensor {
  std::string key;
  TensorFlowType type = 0;
  Shape shape;
  bool isSliced = false;
  uint64_t bytes = 0; ///< In the files.
};

/// The bytes of a tensor, row-major: in the file, which the bundle holds, or of
/// slices that were joined, which are here.
struct BundleBytes {
  std::span<const std::byte> bytes;
  std::unique_ptr<std::byte[]> joined; ///< Null: in the file.
};

class BundleIndex;

/// A bundle whose index was checked: digests, types, shapes, that every slice
/// is there and they cover their tensors once, and that all bytes lie in the
/// files and no two tensors have the same. A tensor's own digest is checked
/// when it is read. Messages name the file, the key, the value and the bound.
class TensorBundle {
public:
  /// `prefix` is what the names of the files begin with. Maps the files.
  static StatusOr<TensorBundle> open(const std::string &prefix);
  /// Of bytes that outlive the result. Messages call them `prefix`'s.
  static StatusOr<TensorBundle>
  parse(std::string_view index,
        std::span<const std::span<const std::byte>> shards,
        const std::string &prefix);
  TensorBundle(TensorBundle &&) noexcept;
  TensorBundle &operator=(TensorBundle &&) noexcept;
  ~TensorBundle();

  /// Sorted by key.
  std::span<const BundleTensor> tensors() const;
  /// Null when there is none of the key.
  const BundleTensor *find(std::string_view key) const;

  /// Whether the bytes are what was written; of every type but resource and
  /// variant, which have no digest that says so.
  Status check(const BundleTensor &tensor) const;
  /// The tensor, checked. Fails for types that smp does not have. The bundle
  /// outlives the result.
  StatusOr<BundleBytes> read(const BundleTensor &tensor) const;
  /// A box of such a tensor, row-major. It is not checked: check() does that.
  void copy(const BundleTensor &tensor, const TensorSlice &box,
            std::span<std::byte> bytes) const;
  /// The bytes of a tensor of any type that is not in slices, checked. The
  /// bundle outlives them.
  StatusOr<std::span<const std::byte>>
  readBits(const BundleTensor &tensor) const;
  /// The elements of a tensor of the type string, checked.
  StatusOr<std::vector<std::string>>
  readTexts(const BundleTensor &tensor) const;

private:
  TensorBundle();
  Status inFile(const Status &status, const BundleTensor &tensor,
                uint32_t shard) const;

  std::string prefix;
  std::unique_ptr<BundleIndex> index;
  std::vector<MappedFile> files;
};

/// Where the index of a bundle is.
std::string bundleIndexPath(const std::string &prefix);

/// A tensor for a bundle: bytes of a type of smp's, row-major, or one text.
struct TensorToBundle {
  std::string key;                  ///< Not empty; its first byte is not zero.
  TensorType type;                  ///< Of `bytes`; not used for a text.
  std::span<const std::byte> bytes; ///< Borrowed.
  std::optional<std::string> text;  ///< A scalar of the type string.
  ByteSource source = {};           ///< In the place of `bytes`, if not null.
};

/// Writes a bundle with one file of data. The index appears last, so that the
/// bundle is complete or not there. Fails when there is one already. Keys are
/// unique, bytes fit their types.
Status writeTensorBundle(std::span<const TensorToBundle> tensors,
                         const std::string &prefix,
                         FileSystem &files = FileSystem::disk());

} // namespace smp

#endif // SMP_TOOLS_TENSORBUNDLE_H
