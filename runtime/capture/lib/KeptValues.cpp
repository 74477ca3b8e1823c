// SPDX-License-Identifier: Apache-2.0
#include "KeptValues.h"
#include <algorithm>

namespace smp {

namespace {
/// Of a block; the value and the entry's name follow.
struct Header {
  EventStep step;
  uint64_t entryBytes;
};
} // namespace

/// For as many values of that size as are kept, with what those were that are
/// there.
Status KeptValues::growFor(uint64_t blockBytes) {
  // One more, as blocks lie whole: what is left at the end may be too small.
  const uint64_t wanted = blockBytes > mostBytes / (mostValues + 1)
                              ? mostBytes
                              : blockBytes * (mostValues + 1);
  if (wanted <= ring.capacity())
    return Status();
  SMP_ASSIGN_OR_RETURN(ByteRing larger, ByteRing::make(wanted));
  ring.forEach([&](std::span<const std::byte> block) {
    std::copy(block.begin(), block.end(), larger.push(block.size()));
  });
  ring = std::move(larger);
  return Status();
}

Status KeptValues::keep(std::string_view entry, const EventStep &step,
                        const GivenValue &value) {
  const uint64_t bytes = sizeof(Header) + packedBytes(value) + entry.size();
  const uint64_t blockBytes = ByteRing::blockBytes(bytes);
  if (mostValues == 0 || blockBytes > mostBytes)
    return Status();
  SMP_RETURN_IF_ERROR(growFor(blockBytes));
  if (ring.count() == mostValues)
    ring.pop();
  std::byte *block;
  while (!(block = ring.push(bytes)))
    ring.pop();
  *reinterpret_cast<Header *>(block) = {step, entry.size()};
  std::byte *behind = pack(value, block + sizeof(Header));
  std::copy_n(reinterpret_cast<const std::byte *>(entry.data()), entry.size(),
              behind);
  return Status();
}

std::vector<CapturedValue> KeptValues::all() const {
  std::vector<CapturedValue> values;
  ring.forEach([&](std::span<const std::byte> block) {
    const auto &header = *reinterpret_cast<const Header *>(block.data());
    const std::byte *at = block.data() + sizeof(Header);
    const StepValue value = unpack(at);
    values.push_back(
        {std::string(reinterpret_cast<const char *>(at), header.entryBytes),
         header.step.mode,
         header.step.modeStep,
         header.step.step,
         value.dtype,
         {value.shape.begin(), value.shape.end()},
         {value.bytes.begin(), value.bytes.end()}});
  });
  return values;
}

} // namespace smp
