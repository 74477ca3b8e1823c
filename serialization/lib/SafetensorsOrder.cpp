// SPDX-License-Identifier: Apache-2.0
#include "SafetensorsOrder.h"
#include "SafetensorsHeader.h"
#include "Where.h"
#include "smp/base/Pieces.h"
#include <algorithm>
#include <set>

namespace smp {

/// Where the data begins, at least: tensors keep this alignment in a
/// page-aligned section.
static constexpr uint64_t kDataAlignment = 64;

/// What tensors of that size keep for those behind them, up to
/// kDirectAlignment. In this order all begin at a multiple of their own, and so
/// of their elements' size.
static uint64_t alignmentOf(const SafetensorsSource &tensor) {
  const auto size = uint64_t(tensor.type.bytes());
  return size ? std::min(size & -size, kDirectAlignment) : kDirectAlignment;
}

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

Status checkMetadata(const SafetensorsMetadata &metadata) {
  for (const auto &[key, value] : metadata)
    if (!isUtf8(key) || !isUtf8(value))
      return invalidArgument("metadata " + quote(key) + " are no UTF-8");
  return Status();
}

StatusOr<SafetensorsOrder> orderOf(std::span<const SafetensorsSource> tensors) {
  SafetensorsOrder order;
  std::set<std::string_view> names;
  for (const SafetensorsSource &tensor : tensors) {
    SMP_RETURN_IF_ERROR(checkTensor(tensor));
    if (!names.insert(tensor.name).second)
      return invalidArgument("two tensors have the name " + quote(tensor.name));
    order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(), [](const auto *a, const auto *b) {
    const uint64_t one = alignmentOf(*a), other = alignmentOf(*b);
    return one != other ? one > other : a->name < b->name;
  });
  return order;
}

/// Large tensors may be written past the page cache from where they lie.
static uint64_t headAlignment(const SafetensorsOrder &order) {
  uint64_t alignment = kDataAlignment;
  for (const SafetensorsSource *tensor : order)
    if (uint64_t(tensor->type.bytes()) >= kLeastDirect)
      alignment = std::max(alignment, alignmentOf(*tensor));
  return alignment;
}

StatusOr<std::string> formatHead(const SafetensorsOrder &order,
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
  const uint64_t alignment = headAlignment(order);
  head.resize((head.size() + alignment - 1) / alignment * alignment, ' ');
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

Status checkSize(const SafetensorsSource &tensor, uint64_t size) {
  const auto wanted = uint64_t(tensor.type.bytes());
  if (size == wanted)
    return Status();
  return invalidArgument(
      "tensor " + quote(tensor.name) + " has " + std::to_string(size) +
      " bytes; a " + toString(tensor.type) + " has " + std::to_string(wanted));
}

} // namespace smp
