// SPDX-License-Identifier: Apache-2.0
#include "BundleIndex.h"
#include "OrderedCode.h"
#include "SortedTable.h"
#include "TensorBundle.pb.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include <algorithm>
#include <set>

namespace smp {

/// The version of the format that this reads.
static constexpr int32_t kVersion = 1;
/// A shape has no more axes than this; TensorFlow's limit.
static constexpr int kMaxRank = 254;

template <typename Message>
static StatusOr<Message> parseMessage(std::string_view bytes) {
  Message message;
  if (bytes.size() > INT32_MAX ||
      !message.ParseFromArray(bytes.data(), int(bytes.size())))
    return dataLoss("its value is no protobuf message");
  return message;
}

static StatusOr<Shape> shapeOf(const proto::TensorShape &proto) {
  if (proto.unknown_rank())
    return dataLoss("it has no shape");
  if (proto.dim_size() > kMaxRank)
    return dataLoss("its shape has " + std::to_string(proto.dim_size()) +
                    " axes, of at most " + std::to_string(kMaxRank));
  Shape shape;
  for (const auto &dim : proto.dim())
    shape.push_back(dim.size());
  if (!checkedNumElements(shape))
    return dataLoss("its shape " + toString(shape) +
                    " has a negative size or too many elements");
  return shape;
}

/// The slice with these extents, of which those that are -1 long are all of
/// their axis. Fails unless it lies in the shape.
static StatusOr<TensorSlice> boxOf(const Shape &shape,
                                   std::span<const SliceExtent> extents) {
  if (extents.size() != shape.size())
    return dataLoss("a slice has " + std::to_string(extents.size()) +
                    " axes; the tensor has " + std::to_string(shape.size()));
  TensorSlice box;
  for (size_t i = 0; i < shape.size(); ++i) {
    auto [start, length] = extents[i];
    if (length == -1 && start == 0)
      length = shape[i];
    if (start < 0 || length < 0 || start > shape[i] ||
        length > shape[i] - start)
      return dataLoss("a slice has " + std::to_string(length) + " from " +
                      std::to_string(start) + " of axis " + std::to_string(i) +
                      ", which has " + std::to_string(shape[i]));
    box.offset.push_back(start);
    box.extent.push_back(length);
  }
  return box;
}

static Status checkCover(const Shape &shape,
                         std::span<const TensorSlice> slices) {
  const std::optional<CoverFault> fault = findCoverFault(shape, slices);
  if (!fault)
    return Status();
  return dataLoss("its element " + join(fault->element, ",") + " is in " +
                  std::to_string(fault->times) + " of its slices, not in 1");
}

namespace {
/// An entry of the table: a tensor, a slice of one, or a tensor that has
/// slices.
struct Entry {
  TensorFlowType type = 0;
  Shape shape;
  BundlePiece piece;
  std::vector<TensorSlice> slices;
};
} // namespace

/// Puts an index together from its table.
class IndexReader {
public:
  StatusOr<BundleIndex> read(std::string_view table) {
    SMP_RETURN_IF_ERROR(readTable(
        table, [&](std::string_view key, std::string_view value) -> Status {
          if (key.empty())
            return addHeader(value).in("the header");
          if (!hasHeader)
            return dataLoss("it has no header, the value of the key ''");
          return add(key, value).in("key " + quote(key));
        }));
    if (!hasHeader)
      return dataLoss("it has no header, the value of the key ''");
    for (auto &[key, entry] : tensors)
      SMP_RETURN_IF_ERROR(addTensor(key, entry).in("key " + quote(key)));
    if (slicesUsed != slices.size())
      return dataLoss("it has " + std::to_string(slices.size()) +
                      " slices; its tensors are made of " +
                      std::to_string(slicesUsed));
    return std::move(index);
  }

private:
  Status addHeader(std::string_view value) {
    SMP_ASSIGN_OR_RETURN(const auto header,
                         parseMessage<proto::BundleHeader>(value));
    if (header.endianness() != 0)
      return invalidArgument("the bytes are of a big-endian machine; write the "
                             "bundle on a little-endian one");
    if (header.version().min_consumer() > kVersion ||
        std::count(header.version().bad_consumers().begin(),
                   header.version().bad_consumers().end(), kVersion))
      return invalidArgument("it is for readers of version " +
                             std::to_string(header.version().min_consumer()) +
                             "; this version of smp reads " +
                             std::to_string(kVersion));
    if (header.num_shards() < 1)
      return dataLoss("it has " + std::to_string(header.num_shards()) +
                      " shards; at least 1");
    index.shardCount = uint32_t(header.num_shards());
    hasHeader = true;
    return Status();
  }

  Status add(std::string_view key, std::string_view value) {
    SMP_ASSIGN_OR_RETURN(const auto proto,
                         parseMessage<proto::BundleEntry>(value));
    Entry entry;
    entry.type = proto.dtype();
    SMP_ASSIGN_OR_RETURN(entry.shape, shapeOf(proto.shape()));
    for (const proto::TensorSlice &slice : proto.slices()) {
      std::vector<SliceExtent> extents;
      for (const auto &extent : slice.extent())
        extents.push_back(
            {extent.start(), extent.has_length() ? extent.length() : -1});
      SMP_ASSIGN_OR_RETURN(TensorSlice box, boxOf(entry.shape, extents));
      entry.slices.push_back(std::move(box));
      keys[std::string(key)].push_back(sliceKey(key, extents));
    }
    if (entry.slices.empty())
      SMP_RETURN_IF_ERROR(setPiece(proto, entry));
    (key.front() == '\0' ? slices : tensors)[std::string(key)] =
        std::move(entry);
    return Status();
  }

  Status setPiece(const proto::BundleEntry &proto, Entry &entry) const {
    if (proto.shard_id() < 0 || uint32_t(proto.shard_id()) >= index.shardCount)
      return dataLoss("it is in shard " + std::to_string(proto.shard_id()) +
                      " of " + std::to_string(index.shardCount));
    if (proto.offset() < 0 || proto.size() < 0)
      return dataLoss("it has " + std::to_string(proto.size()) +
                      " bytes from byte " + std::to_string(proto.offset()));
    const std::optional<DType> dtype = fromTensorFlow(entry.type);
    if (dtype) {
      const auto wanted = checkedBytes({*dtype, entry.shape});
      if (!wanted)
        return dataLoss("its shape " + toString(entry.shape) +
                        " has too many bytes");
      if (*wanted != proto.size())
        return dataLoss("it has " + std::to_string(proto.size()) +
                        " bytes; a " +
                        toString(TensorType{*dtype, entry.shape}) + " has " +
                        std::to_string(*wanted));
    }
    entry.piece = {uint32_t(proto.shard_id()),
                   uint64_t(proto.offset()),
                   uint64_t(proto.size()),
                   proto.crc32c(),
                   {}};
    return Status();
  }

  Status addTensor(const std::string &key, Entry &entry) {
    std::vector<BundlePiece> pieces;
    if (entry.slices.empty())
      pieces.push_back(std::move(entry.piece));
    else
      SMP_RETURN_IF_ERROR(findSlices(key, entry, pieces));
    uint64_t bytes = 0;
    for (const BundlePiece &piece : pieces)
      bytes += piece.size;
    index.list.push_back({key, entry.type, std::move(entry.shape),
                          !entry.slices.empty(), bytes});
    index.pieces.push_back(std::move(pieces));
    return Status();
  }

  Status findSlices(const std::string &key, const Entry &entry,
                    std::vector<BundlePiece> &pieces) {
    SMP_RETURN_IF_ERROR(checkCover(entry.shape, entry.slices));
    const auto dtype = fromTensorFlow(entry.type);
    if (dtype && !checkedBytes({*dtype, entry.shape}))
      return dataLoss("its shape " + toString(entry.shape) +
                      " has too many bytes");
    for (size_t i = 0; i < entry.slices.size(); ++i) {
      const TensorSlice &slice = entry.slices[i];
      const auto found = slices.find(keys[key][i]);
      if (found == slices.end())
        return dataLoss("its slice " + toString(slice) + " is not there");
      const Entry &part = found->second;
      if (part.type != entry.type || part.shape != slice.extent)
        return dataLoss("its slice " + toString(slice) + " is there as " +
                        nameOfTensorFlowType(part.type) + " " +
                        toString(part.shape) + ", not as " +
                        nameOfTensorFlowType(entry.type));
      pieces.push_back(part.piece);
      pieces.back().box = slice;
      ++slicesUsed;
    }
    return Status();
  }

  bool hasHeader = false;
  BundleIndex index;
  std::map<std::string, Entry> tensors, slices;
  std::map<std::string, std::vector<std::string>> keys; // Of a tensor's slices.
  size_t slicesUsed = 0;
};

StatusOr<BundleIndex> BundleIndex::read(std::string_view table) {
  return IndexReader().read(table);
}

std::vector<uint32_t> BundleIndex::usedShards() const {
  std::set<uint32_t> used;
  for (const auto &ofTensor : pieces)
    for (const BundlePiece &piece : ofTensor)
      used.insert(piece.shard);
  return {used.begin(), used.end()};
}

Status BundleIndex::attach(uint32_t shard, std::span<const std::byte> bytes) {
  struct Range {
    uint64_t offset, size;
    const BundleTensor *tensor;
  };
  std::vector<Range> ranges;
  for (size_t i = 0; i < list.size(); ++i)
    for (const BundlePiece &piece : pieces[i])
      if (piece.shard == shard && piece.size > 0)
        ranges.push_back({piece.offset, piece.size, &list[i]});
  std::sort(ranges.begin(), ranges.end(),
            [](const auto &a, const auto &b) { return a.offset < b.offset; });
  uint64_t end = 0;
  for (const Range &range : ranges) {
    const std::string what = "key " + quote(range.tensor->key) + " has " +
                             std::to_string(range.size) + " bytes from byte " +
                             std::to_string(range.offset);
    if (range.offset > bytes.size() || range.size > bytes.size() - range.offset)
      return dataLoss(what + "; the file has " + std::to_string(bytes.size()));
    if (range.offset < end)
      return dataLoss(what + "; those of another tensor end at byte " +
                      std::to_string(end));
    end = range.offset + range.size;
  }
  shards[shard] = bytes;
  return Status();
}

} // namespace smp
