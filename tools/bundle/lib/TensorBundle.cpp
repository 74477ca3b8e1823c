// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/TensorBundle.h"
#include "BundleIndex.h"
#include "BundlePaths.h"
#include "BundleTexts.h"
#include "MaskedCrc.h"
#include "smp/base/Quote.h"
#include <algorithm>
#include <new>

namespace smp {

using Bytes = std::span<const std::byte>;

static std::string_view textOf(Bytes bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

TensorBundle::TensorBundle() = default;
TensorBundle::TensorBundle(TensorBundle &&) noexcept = default;
TensorBundle &TensorBundle::operator=(TensorBundle &&) noexcept = default;
TensorBundle::~TensorBundle() = default;

StatusOr<TensorBundle> TensorBundle::open(const std::string &prefix) {
  const std::string path = bundleIndexPath(prefix);
  SMP_ASSIGN_OR_RETURN(const MappedFile table, MappedFile::open(path));
  SMP_ASSIGN_OR_RETURN(BundleIndex index,
                       BundleIndex::read(textOf(table.bytes())).in(path));
  TensorBundle bundle;
  for (const uint32_t shard : index.usedShards()) {
    const std::string data = bundleDataPath(prefix, shard, index.numShards());
    StatusOr<MappedFile> file = MappedFile::open(data);
    if (!file.ok())
      return dataLoss("the bundle '" + prefix +
                      "' lacks a file: " + file.status().message());
    SMP_RETURN_IF_ERROR(index.attach(shard, file->bytes()).in(data));
    bundle.files.push_back(file.take());
  }
  bundle.prefix = prefix;
  bundle.index = std::make_unique<BundleIndex>(std::move(index));
  return bundle;
}

StatusOr<TensorBundle> TensorBundle::parse(std::string_view table,
                                           std::span<const Bytes> shards,
                                           const std::string &prefix) {
  SMP_ASSIGN_OR_RETURN(BundleIndex index,
                       BundleIndex::read(table).in(bundleIndexPath(prefix)));
  for (const uint32_t shard : index.usedShards()) {
    const std::string data = bundleDataPath(prefix, shard, index.numShards());
    if (shard >= shards.size())
      return dataLoss("the bundle '" + prefix + "' lacks a file: '" + data +
                      "'");
    SMP_RETURN_IF_ERROR(index.attach(shard, shards[shard]).in(data));
  }
  TensorBundle bundle;
  bundle.prefix = prefix;
  bundle.index = std::make_unique<BundleIndex>(std::move(index));
  return bundle;
}

std::span<const BundleTensor> TensorBundle::tensors() const {
  return index->tensors();
}

const BundleTensor *TensorBundle::find(std::string_view key) const {
  const auto all = tensors();
  const auto found =
      std::lower_bound(all.begin(), all.end(), key,
                       [](const BundleTensor &tensor, std::string_view key) {
                         return tensor.key < key;
                       });
  return found != all.end() && found->key == key ? &*found : nullptr;
}

Status TensorBundle::inFile(const Status &status, const BundleTensor &tensor,
                            uint32_t shard) const {
  return status.in(bundleDataPath(prefix, shard, index->numShards()) +
                   ": key " + quote(tensor.key));
}

Status TensorBundle::check(const BundleTensor &tensor) const {
  if (tensor.type == kTensorFlowResource || tensor.type == kTensorFlowVariant)
    return invalidArgument(prefix + ": key " + quote(tensor.key) + " is of " +
                           nameOfTensorFlowType(tensor.type) +
                           ", which cannot be checked");
  for (const BundlePiece &piece : index->piecesOf(tensor)) {
    const Bytes bytes = index->bytesOf(piece);
    Status status;
    if (tensor.type == kTensorFlowString) {
      const Shape &shape = tensor.isSliced ? piece.box.extent : tensor.shape;
      status =
          decodeTexts(textOf(bytes), uint64_t(numElements(shape)), piece.digest)
              .status();
    } else if (const uint32_t digest = maskCrc(crc32c(bytes));
               digest != piece.digest) {
      status = wrongDigest(digest, piece.digest);
    }
    if (!status.ok())
      return inFile(status, tensor, piece.shard);
  }
  return Status();
}

StatusOr<BundleBytes> TensorBundle::read(const BundleTensor &tensor) const {
  const std::optional<DType> dtype = fromTensorFlow(tensor.type);
  if (!dtype)
    return invalidArgument(prefix + ": key " + quote(tensor.key) + " is of " +
                           nameOfTensorFlowType(tensor.type) +
                           ", which smp has no element type for");
  SMP_RETURN_IF_ERROR(check(tensor));
  const auto pieces = index->piecesOf(tensor);
  if (!tensor.isSliced)
    return BundleBytes{index->bytesOf(pieces.front()), nullptr};
  const auto size = size_t(TensorType{*dtype, tensor.shape}.bytes());
  std::unique_ptr<std::byte[]> joined(new (std::nothrow) std::byte[size]);
  if (!joined)
    return resourceExhausted(prefix + ": no memory for the " +
                             std::to_string(size) + " bytes of key " +
                             quote(tensor.key));
  for (const BundlePiece &piece : pieces)
    copyCommon(piece.box, index->bytesOf(piece).data(), wholeOf(tensor.shape),
               joined.get(), sizeOf(*dtype));
  return BundleBytes{{joined.get(), size}, std::move(joined)};
}

void TensorBundle::copy(const BundleTensor &tensor, const TensorSlice &box,
                        std::span<std::byte> bytes) const {
  const size_t elementBytes = sizeOf(*fromTensorFlow(tensor.type));
  for (const BundlePiece &piece : index->piecesOf(tensor))
    copyCommon(tensor.isSliced ? piece.box : wholeOf(tensor.shape),
               index->bytesOf(piece).data(), box, bytes.data(), elementBytes);
}

StatusOr<Bytes> TensorBundle::readBits(const BundleTensor &tensor) const {
  if (tensor.isSliced)
    return invalidArgument(prefix + ": key " + quote(tensor.key) + " is of " +
                           nameOfTensorFlowType(tensor.type) +
                           " and in slices, which smp cannot join");
  SMP_RETURN_IF_ERROR(check(tensor));
  return index->bytesOf(index->piecesOf(tensor).front());
}

StatusOr<std::vector<std::string>>
TensorBundle::readTexts(const BundleTensor &tensor) const {
  if (tensor.type != kTensorFlowString || tensor.isSliced)
    return invalidArgument(prefix + ": key " + quote(tensor.key) + " is of " +
                           nameOfTensorFlowType(tensor.type) +
                           (tensor.isSliced ? " and in slices" : "") +
                           "; texts are asked for");
  const BundlePiece &piece = index->piecesOf(tensor).front();
  auto texts = decodeTexts(textOf(index->bytesOf(piece)),
                           uint64_t(numElements(tensor.shape)), piece.digest);
  if (!texts.ok())
    return inFile(texts.status(), tensor, piece.shard);
  return texts;
}

} // namespace smp
