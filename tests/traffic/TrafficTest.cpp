// SPDX-License-Identifier: Apache-2.0
// Bytes that kernels move, counted in sectors, over bytes that their inputs and
// outputs hold: a count, which no machine changes.

#include "EntryRun.h"
#include "smp/serialization/ProgramFile.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

constexpr uint64_t kSectorBytes = 32, kNoBound = uint64_t(1) << 36;
constexpr double kMostMoved = 1.1;

/// Entries of which more is known to be moved, and why.
const std::map<std::string, double> kMoves = {
    // A warp's 128 bytes begin between sectors: 5 are read for 4.
    {"pad_columns", 1.13},
};

TEST(Traffic, NothingIsMovedTwice) {
  StatusOr<LoadedProgram> opened = openProgram(SMP_TRAFFIC_KERNELS);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const LoadedProgram loaded = opened.take();
  const Program &program = loaded.program();
  EXPECT_GE(program.entries.size(), 10u);
  std::printf("| entry | bytes held | bytes moved | moved / held |\n"
              "|---|---|---|---|\n");
  for (const Entry &entry : program.entries) {
    const EntryRun run(program, entry);
    const Outcome outcome =
        run.run(run.images().front(), {Values::InRange}, /*seed=*/1, kNoBound);
    ASSERT_EQ(outcome.refused, "") << entry.name;
    ASSERT_FALSE(outcome.fault) << outcome.fault->message;
    const uint64_t moved = outcome.sectors * kSectorBytes;
    const double ratio = double(moved) / double(run.bytes());
    std::printf("| %s | %llu | %llu | %.3f |\n", entry.name.c_str(),
                static_cast<unsigned long long>(run.bytes()),
                static_cast<unsigned long long>(moved), ratio);
    const auto known = kMoves.find(entry.name);
    const double most = known == kMoves.end() ? kMostMoved : known->second;
    EXPECT_LE(ratio, most) << entry.name;
    EXPECT_GE(ratio, 0.999) << entry.name << " moves less than there is";
  }
}

} // namespace
