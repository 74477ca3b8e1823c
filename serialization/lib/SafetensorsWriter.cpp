// SPDX-License-Identifier: Apache-2.0
#include "SafetensorsHeader.h"
#include "Where.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/Safetensors.h"
#include "smp/serialization/WeightsPath.h"
#include <algorithm>
#include <set>

namespace smp {

using Bytes = std::span<const std::byte>;

/// Where the data begins: tensors keep this alignment in a page-aligned
/// section.
static constexpr size_t kDataAlignment = 64;

/// Names and metadata are JSON strings: they must be UTF-8.
static bool isUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    unsigned char lead = static_cast<unsigned char>(text[i]);
    size_t length = lead < 0x80                   ? 1
                    : lead >= 0xc2 && lead < 0xe0 ? 2
                    : lead >= 0xe0 && lead < 0xf0 ? 3
                    : lead >= 0xf0 && lead < 0xf5 ? 4
                                                  : 0;
    if (length == 0 || i + length > text.size())
      return false;
    unsigned char second =
        length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    // Overlong forms, surrogates, and what is beyond the last code point.
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f))
      return false;
    for (size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80)
        return false;
    i += length;
  }
  return true;
}

static Status checkTensor(const SafetensorsSource &tensor) {
  const std::string what = "tensor " + quote(tensor.name);
  if (tensor.name == kSafetensorsMetadata || !isUtf8(tensor.name))
    return invalidArgument(what + " cannot be saved under that name");
  if (!checkedBytes(tensor.type))
    return invalidArgument(what + " has the shape " +
                           toString(tensor.type.shape) +
                           ", which is too large");
  return Status();
}

static Status checkMetadata(const SafetensorsMetadata &metadata) {
  for (const auto &[key, value] : metadata)
    if (!isUtf8(key) || !isUtf8(value))
      return invalidArgument("metadata " + quote(key) + " are no UTF-8");
  return Status();
}

using Order = std::vector<const SafetensorsSource *>;

/// The tensors in file order, checked.
static StatusOr<Order> orderOf(std::span<const SafetensorsSource> tensors) {
  Order order;
  std::set<std::string_view> names;
  for (const SafetensorsSource &tensor : tensors) {
    SMP_RETURN_IF_ERROR(checkTensor(tensor));
    if (!names.insert(tensor.name).second)
      return invalidArgument("two tensors have the name " + quote(tensor.name));
    order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(), [](const auto *a, const auto *b) {
    size_t wide = sizeOf(a->type.dtype), other = sizeOf(b->type.dtype);
    return wide != other ? wide > other : a->name < b->name;
  });
  return order;
}

/// Length, JSON, and spaces up to the data.
static StatusOr<std::string> formatHead(const Order &order,
                                        const SafetensorsMetadata &metadata) {
  SafetensorsHeader header{{}, metadata};
  uint64_t offset = 0;
  for (const SafetensorsSource *tensor : order) {
    uint64_t end = offset + uint64_t(tensor->type.bytes());
    header.records.push_back({tensor->name, tensor->type, offset, end});
    offset = end;
  }
  std::string head(8, '\0');
  head += formatSafetensorsHeader(header);
  head.resize((head.size() + kDataAlignment - 1) / kDataAlignment *
                  kDataAlignment,
              ' ');
  uint64_t length = head.size() - 8;
  if (length > kMaxSafetensorsHeader)
    return invalidArgument("the header would have " + std::to_string(length) +
                           " bytes, of at most " +
                           std::to_string(kMaxSafetensorsHeader) +
                           "; use more than one file");
  for (size_t i = 0; i < 8; ++i)
    head[i] = char(length >> (8 * i));
  return head;
}

static Status checkSize(const SafetensorsSource &tensor, uint64_t size) {
  const auto wanted = uint64_t(tensor.type.bytes());
  if (size == wanted)
    return Status();
  return invalidArgument(
      "tensor " + quote(tensor.name) + " has " + std::to_string(size) +
      " bytes; a " + toString(tensor.type) + " has " + std::to_string(wanted));
}

static Status writeTensor(const SafetensorsSource &tensor,
                          const ByteSink &write) {
  uint64_t size = 0;
  SMP_RETURN_IF_ERROR(tensor.bytes([&](Bytes piece) {
    size += piece.size();
    return size > uint64_t(tensor.type.bytes()) ? Status() : write(piece);
  }));
  return checkSize(tensor, size);
}

/// Calls `write` with the file's bytes, piece after piece.
static Status writePieces(std::span<const SafetensorsSource> tensors,
                          const SafetensorsMetadata &metadata,
                          const ByteSink &write) {
  SMP_RETURN_IF_ERROR(checkMetadata(metadata));
  SMP_ASSIGN_OR_RETURN(Order order, orderOf(tensors));
  SMP_ASSIGN_OR_RETURN(std::string head, formatHead(order, metadata));
  SMP_RETURN_IF_ERROR(write(std::as_bytes(std::span(head))));
  for (const SafetensorsSource *tensor : order)
    SMP_RETURN_IF_ERROR(writeTensor(*tensor, write));
  return Status();
}

StatusOr<FileDigest>
writeSafetensors(std::span<const SafetensorsSource> tensors,
                 const SafetensorsMetadata &metadata, const std::string &path,
                 FileSystem &files) {
  SMP_RETURN_IF_ERROR(refusePickle(path));
  SMP_ASSIGN_OR_RETURN(
      AtomicFile file,
      AtomicFile::create(path, OutputPath::kPeerSeconds, files));
  FileDigest digest;
  SMP_RETURN_IF_ERROR(writePieces(tensors, metadata, [&](Bytes piece) {
    digest.add(piece);
    return file.write(piece);
  }));
  SMP_RETURN_IF_ERROR(file.commit());
  return digest;
}

namespace {
/// The bytes of a file of tensors that are there, checked.
class Content {
public:
  static StatusOr<Content> make(std::span<const SafetensorsTensor> tensors,
                                const SafetensorsMetadata &metadata) {
    SMP_RETURN_IF_ERROR(checkMetadata(metadata));
    std::vector<SafetensorsSource> sources;
    for (const SafetensorsTensor &tensor : tensors)
      sources.push_back({tensor.name, tensor.type, {}});
    SMP_ASSIGN_OR_RETURN(const Order order, orderOf(sources));
    Content content;
    SMP_ASSIGN_OR_RETURN(content.head, formatHead(order, metadata));
    content.add(std::as_bytes(std::span(content.head)));
    for (const SafetensorsSource *source : order) {
      const Bytes bytes = tensors[size_t(source - sources.data())].bytes;
      SMP_RETURN_IF_ERROR(checkSize(*source, bytes.size()));
      content.add(bytes);
    }
    return content;
  }

  uint64_t size() const { return ends.empty() ? 0 : ends.back(); }

  /// Copies the bytes from `offset` on; what is of tensors is awaited.
  Status copy(uint64_t offset, std::span<std::byte> bytes,
              const AwaitBytes &await = {}) const {
    auto end = std::upper_bound(ends.begin(), ends.end(), offset);
    for (; !bytes.empty(); ++end) {
      const Bytes part = parts[size_t(end - ends.begin())];
      const Bytes rest = part.last(*end - offset);
      const size_t some = std::min(rest.size(), bytes.size());
      if (await && end != ends.begin())
        SMP_RETURN_IF_ERROR(await(rest.first(some)));
      std::copy_n(rest.begin(), some, bytes.begin());
      bytes = bytes.subspan(some);
      offset += some;
    }
    return Status();
  }

private:
  void add(Bytes part) {
    ends.push_back(size() + part.size());
    parts.push_back(part);
  }

  std::string head; // Long: it stays where it is when this is moved.
  std::vector<Bytes> parts;
  std::vector<uint64_t> ends; // Of the parts in the file.
};
} // namespace

StatusOr<FileDigest>
writeSafetensors(std::span<const SafetensorsTensor> tensors,
                 const SafetensorsMetadata &metadata, const std::string &path,
                 FileSystem &files, const AwaitBytes &await) {
  SMP_RETURN_IF_ERROR(refusePickle(path));
  SMP_ASSIGN_OR_RETURN(const Content content, Content::make(tensors, metadata));
  SMP_ASSIGN_OR_RETURN(
      AtomicFile file,
      AtomicFile::create(path, OutputPath::kPeerSeconds, files));
  FileDigest digest;
  digest.size = content.size();
  digest.pieces.resize((digest.size + kPieceBytes - 1) / kPieceBytes);
  SMP_RETURN_IF_ERROR(file.writePieces(
      digest.size, [&](uint64_t offset, std::span<std::byte> room) {
        SMP_RETURN_IF_ERROR(content.copy(offset, room, await));
        digest.pieces[offset / kPieceBytes] = crc32c(room);
        return Status();
      }));
  SMP_RETURN_IF_ERROR(file.commit());
  digest.crc32c = digest.joinedPieces();
  return digest;
}

StatusOr<std::vector<std::byte>>
serializeSafetensors(std::span<const SafetensorsTensor> tensors,
                     const SafetensorsMetadata &metadata) {
  SMP_ASSIGN_OR_RETURN(const Content content, Content::make(tensors, metadata));
  std::vector<std::byte> bytes(content.size());
  SMP_RETURN_IF_ERROR(content.copy(0, bytes));
  return bytes;
}

} // namespace smp
