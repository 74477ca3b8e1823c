// SPDX-License-Identifier: Apache-2.0
// Ops of a training that are pinned at random: whatever the partitioner makes
// of the rest, the bits are those of one partition. SMP_TEST_LONG=1 draws more.
#include "Seed.h"
#include "TrainedBits.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Placement.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace smp;
using namespace smp::test;

namespace {

constexpr int64_t kMostPartitions = 4;

/// Pins up to six ops of the model, neighbours or not.
void pinSome(Model &model, int64_t partitions, std::mt19937 &random) {
  std::vector<mlir::Operation *> ops;
  for (auto entry : model.parts().module->getOps<ir::EntryOp>())
    for (mlir::Operation &op : entry.getBody().front().without_terminator())
      if (!ir::getPlacement(&op))
        ops.push_back(&op);
  for (size_t count = 1 + random() % 6; count > 0; --count)
    ir::setPlacement(ops[random() % ops.size()],
                     int64_t(random() % size_t(partitions)), ir::Origin::User);
}

/// Nothing where the pins contradict each other.
std::optional<compile::CompiledModel> compilePinned(std::mt19937 &random) {
  auto model = char_lm::buildModel(smallShape());
  EXPECT_TRUE(model.ok()) << model.status().message();
  const auto partitions = int64_t(2 + random() % size_t(kMostPartitions - 1));
  pinSome(*model, partitions, random);
  compile::ModelOptions options;
  options.levels = {"v3"};
  options.placement.emplace().partitions = partitions;
  auto compiled = compile::compileModel(model.take(), options);
  if (!compiled.ok())
    EXPECT_NE(compiled.status().message().find("partition"), std::string::npos)
        << compiled.status().message();
  return compiled.ok() ? std::optional(compiled.take()) : std::nullopt;
}

TEST(RandomPins, GiveTheBitsOfOnePartition) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const Division division{.steps = 2};
  const Bits whole = trained(division);
  const unsigned sets = std::getenv("SMP_TEST_LONG") ? 150 : 12;
  unsigned kept = 0;
  for (unsigned i = 0; i < sets && !HasFailure(); ++i) {
    SCOPED_TRACE("set " + std::to_string(i));
    const auto compiled = compilePinned(random);
    if (!compiled)
      continue;
    ++kept;
    Session session = openSession(*compiled, {.devices = ""});
    Bits bits;
    train(session, bits, division);
    EXPECT_EQ(bits, whole);
  }
  EXPECT_GE(kept, sets / 3);
}

} // namespace
