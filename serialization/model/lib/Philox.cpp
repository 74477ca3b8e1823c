// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Philox.h"

namespace smp {

static void round(PhiloxWords &counter, uint32_t key0, uint32_t key1) {
  const uint64_t product0 = uint64_t(0xD2511F53) * counter[0];
  const uint64_t product1 = uint64_t(0xCD9E8D57) * counter[2];
  counter = {uint32_t(product1 >> 32) ^ counter[1] ^ key0, uint32_t(product1),
             uint32_t(product0 >> 32) ^ counter[3] ^ key1, uint32_t(product0)};
}

PhiloxWords philox(PhiloxWords counter, uint64_t seed) {
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int i = 0; i < 10; ++i) {
    round(counter, key0, key1);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

} // namespace smp
