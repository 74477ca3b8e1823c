// SPDX-License-Identifier: Apache-2.0
// A random test, whose failures say its seed.

#ifndef SMP_TESTS_UNIT_SERIALIZATION_SEEDEDTEST_H
#define SMP_TESTS_UNIT_SERIALIZATION_SEEDEDTEST_H

#include "Seed.h"
#include <gtest/gtest.h>
#include <string>

namespace smp {

class SeededTest : public testing::Test {
protected:
  const uint32_t seed = chooseSeed();
  testing::ScopedTrace trace{__FILE__, __LINE__,
                             "SMP_TEST_SEED=" + std::to_string(seed)};
  std::mt19937 random{seed};
};

} // namespace smp

#endif // SMP_TESTS_UNIT_SERIALIZATION_SEEDEDTEST_H
