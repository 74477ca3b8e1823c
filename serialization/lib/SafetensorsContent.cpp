// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/SafetensorsContent.h"
#include "SafetensorsOrder.h"
#include <algorithm>

namespace smp {

using Bytes = std::span<const std::byte>;

StatusOr<SafetensorsContent>
SafetensorsContent::make(std::span<const SafetensorsTensor> tensors,
                         const SafetensorsMetadata &metadata) {
  SMP_RETURN_IF_ERROR(checkMetadata(metadata));
  std::vector<SafetensorsSource> sources;
  for (const SafetensorsTensor &tensor : tensors)
    sources.push_back({tensor.name, tensor.type, {}});
  SMP_ASSIGN_OR_RETURN(const SafetensorsOrder order, orderOf(sources));
  SMP_ASSIGN_OR_RETURN(const std::string head, formatHead(order, metadata));
  SafetensorsContent content;
  content.head.assign(head.begin(), head.end());
  content.runs.push_back(
      {0, head.size(), std::as_bytes(std::span(content.head)).data()});
  content.starts.resize(tensors.size());
  for (const SafetensorsSource *source : order) {
    const auto i = size_t(source - sources.data());
    SMP_RETURN_IF_ERROR(checkSize(*source, tensors[i].bytes.size()));
    content.starts[i] = content.size();
    content.add(tensors[i].bytes);
  }
  return content;
}

void SafetensorsContent::add(Bytes bytes) {
  if (bytes.empty())
    return;
  Run &last = runs.back();
  const bool goesOn =
      runs.size() > 1 && last.data + (last.end - last.begin) == bytes.data();
  if (goesOn)
    last.end += bytes.size();
  else
    runs.push_back({size(), size() + bytes.size(), bytes.data()});
}

SafetensorsContent::Runs::const_iterator
SafetensorsContent::runAt(uint64_t offset) const {
  return std::ranges::upper_bound(runs, offset, {}, &Run::end);
}

static uint64_t alignUp(uint64_t offset) {
  return (offset + kDirectAlignment - 1) / kDirectAlignment * kDirectAlignment;
}

/// How many bytes of the run from `offset` on, a multiple of kDirectAlignment,
/// up to `end` at most, can pass by the page cache from where they lie; 0: too
/// few.
uint64_t SafetensorsContent::directBytes(const Run &run, uint64_t offset,
                                         uint64_t end) const {
  end = std::min(run.end, end);
  if (end < size())
    end -= end % kDirectAlignment;
  const bool isLarge = offset < end && end - offset >= kLeastDirect;
  const bool isAligned =
      isLarge && reinterpret_cast<uintptr_t>(run.bytes(offset, end).data()) %
                         kDirectAlignment ==
                     0;
  return isAligned ? end - offset : 0;
}

StatusOr<Borrowed> SafetensorsContent::next(uint64_t offset,
                                            std::span<std::byte> room,
                                            ByteLender *lender) const {
  const uint64_t end = std::min(offset + room.size(), size());
  auto run = runAt(offset);
  uint64_t stop = end; // Or where bytes begin that need not be copied.
  if (const uint64_t some = directBytes(*run, offset, end)) {
    const Bytes part = run->bytes(offset, offset + some);
    SMP_ASSIGN_OR_RETURN(Borrowed borrowed, Borrowed::from(lender, part));
    if (borrowed.bytes().size() == some)
      return borrowed;
    stop = offset + some; // It lies in several places by now.
  } else {
    for (; run != runs.end() && run->begin < stop; ++run)
      if (const uint64_t start = alignUp(std::max(run->begin, offset));
          start < end && directBytes(*run, start, end))
        stop = start;
  }
  room = room.first(stop - offset);
  SMP_RETURN_IF_ERROR(copy(offset, room, lender));
  return Borrowed::from(nullptr, room);
}

Status SafetensorsContent::copy(uint64_t offset, std::span<std::byte> bytes,
                                ByteLender *lender) const {
  for (auto run = runAt(offset); !bytes.empty();) {
    const size_t some = std::min<size_t>(run->end - offset, bytes.size());
    ByteLender *const from = run == runs.begin() ? nullptr : lender;
    SMP_ASSIGN_OR_RETURN(
        Borrowed part, Borrowed::from(from, run->bytes(offset, offset + some)));
    std::copy_n(part.bytes().begin(), part.bytes().size(), bytes.begin());
    part.confirm(); // It could not change.
    bytes = bytes.subspan(part.bytes().size());
    offset += part.bytes().size();
    if (offset == run->end)
      ++run;
  }
  return Status();
}

} // namespace smp
