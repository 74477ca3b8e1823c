// SPDX-License-Identifier: Apache-2.0
// Random tests print their seed, and take it from SMP_TEST_SEED.

#ifndef SMP_TESTS_UNIT_SERIALIZATION_SEED_H
#define SMP_TESTS_UNIT_SERIALIZATION_SEED_H

#include <cstdint>
#include <cstdlib>
#include <random>

namespace smp {

inline uint32_t chooseSeed() {
  const char *given = std::getenv("SMP_TEST_SEED");
  return given ? uint32_t(std::strtoul(given, nullptr, 10))
               : std::random_device()();
}

} // namespace smp

#endif // SMP_TESTS_UNIT_SERIALIZATION_SEED_H
