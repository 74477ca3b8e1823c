// SPDX-License-Identifier: Apache-2.0
// Models with a wrong structure: each is imported, or refused with one error
// that names what is wrong, in bounded time and memory.
#include "ImportOnce.h"
#include "Mutants.h"
#include "Seed.h"
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace smp;

TEST(Mutants, AreModelsOrRefusedWithOneError) {
  Mutants mutants(chooseSeed());
  int models = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = mutants.next();
    const ImportOnce import(bytes);
    ASSERT_EQ(import.complaint(), "");
    ASSERT_EQ(ImportOnce(bytes, withRows(bytes)).complaint(), "");
    ++(import.ok() ? models : refused);
  }
  // Each must be reached often, else little was tried.
  EXPECT_GT(models, 400);
  EXPECT_GT(refused, 400);
  rusage used;
  ASSERT_EQ(getrusage(RUSAGE_SELF, &used), 0);
  EXPECT_LT(used.ru_maxrss, 2 << 20) << "KiB";
}
