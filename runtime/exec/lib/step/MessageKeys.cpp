// SPDX-License-Identifier: Apache-2.0
#include "MessageKeys.h"

namespace smp {

namespace {
enum class KeyKind : uint64_t {
  Channel = 1,
  Output = 2,
  Gate = 3,
  Ready = 4,
  Wish = 5
};
} // namespace

static uint64_t makeKey(KeyKind kind, uint32_t entry, uint32_t index) {
  return uint64_t(kind) << 60 | uint64_t(entry) << 33 | uint64_t(index) << 1;
}
uint64_t channelKey(uint32_t entry, uint32_t channel) {
  return makeKey(KeyKind::Channel, entry, channel);
}
uint64_t outputKey(uint32_t entry, uint32_t output) {
  return makeKey(KeyKind::Output, entry, output);
}
uint64_t gateKey() { return makeKey(KeyKind::Gate, 0, 0); }
uint64_t readyKey() { return makeKey(KeyKind::Ready, 0, 0); }
uint64_t wishKey() { return makeKey(KeyKind::Wish, 0, 0); }

} // namespace smp
