// SPDX-License-Identifier: Apache-2.0
#include "StepBlock.h"

namespace smp {

namespace {
struct Header {
  EventStep step;
  uint64_t values;
};
/// Before each value.
struct ValueHeader {
  uint32_t tensor;
  uint32_t isMetric;
  std::optional<uint64_t> statisticsOf;
  MicrobatchLayout microbatches;
};
} // namespace

uint64_t stepBlockBytes(std::span<const PickedValue> values) {
  uint64_t bytes = sizeof(Header);
  for (const PickedValue &each : values)
    bytes += sizeof(ValueHeader) + packedBytes(each.value);
  return bytes;
}

void writeStepBlock(const EventStep &step, std::span<const PickedValue> values,
                    std::byte *block) {
  *reinterpret_cast<Header *>(block) = {step, values.size()};
  block += sizeof(Header);
  for (const PickedValue &each : values) {
    *reinterpret_cast<ValueHeader *>(block) = {
        each.tensor, each.isMetric, each.statisticsOf, each.microbatches};
    block = pack(each.value, block + sizeof(ValueHeader));
  }
}

StepBlock::StepBlock(const std::byte *block)
    : stamp(reinterpret_cast<const Header *>(block)->step),
      values(reinterpret_cast<const Header *>(block)->values),
      at(block + sizeof(Header)) {}

StepBlock::Value StepBlock::next() {
  const auto header = *reinterpret_cast<const ValueHeader *>(at);
  at += sizeof(ValueHeader);
  return {header.tensor, header.isMetric != 0, header.statisticsOf,
          header.microbatches, unpack(at)};
}

} // namespace smp
