// SPDX-License-Identifier: Apache-2.0
#include "StepBlock.h"

namespace smp {

namespace {
struct Header {
  EventStep step;
  uint64_t values;
};
} // namespace

uint64_t stepBlockBytes(std::span<const PickedValue> values) {
  uint64_t bytes = sizeof(Header);
  for (const PickedValue &each : values)
    bytes += sizeof(uint64_t) + packedBytes(each.value);
  return bytes;
}

void writeStepBlock(const EventStep &step, std::span<const PickedValue> values,
                    std::byte *block) {
  *reinterpret_cast<Header *>(block) = {step, values.size()};
  block += sizeof(Header);
  for (const PickedValue &each : values) {
    *reinterpret_cast<uint64_t *>(block) = each.tensor;
    block = pack(each.value, block + sizeof(uint64_t));
  }
}

StepBlock::StepBlock(const std::byte *block)
    : stamp(reinterpret_cast<const Header *>(block)->step),
      values(reinterpret_cast<const Header *>(block)->values),
      at(block + sizeof(Header)) {}

StepValue StepBlock::next(uint32_t &tensor) {
  tensor = uint32_t(*reinterpret_cast<const uint64_t *>(at));
  at += sizeof(uint64_t);
  return unpack(at);
}

} // namespace smp
