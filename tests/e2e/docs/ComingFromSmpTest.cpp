// SPDX-License-Identifier: Apache-2.0
// The code of docs/coming-from/smp.md.

#include "TemporaryFolder.h"
#include "smp/checkpoint/CheckpointManager.h"
#include "smp/compile/CompileModel.h"
#include "smp/compile/Init.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include "smp/import/Step.h"
#include "smp/model/Philox.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"
#include <gtest/gtest.h>
#include <iostream>

namespace {

#include "check.inc"
#include "network.inc"

struct Batch {
  explicit Batch(uint64_t seed) : images(32 * 64), labels(32) {
    smp::fillNormal(std::as_writable_bytes(std::span(images)), smp::DType::F32,
                    0, 1, seed);
    for (size_t i = 0; i < labels.size(); ++i)
      labels[i] = int64_t((i + seed) % 10);
  }
  std::vector<float> images;
  std::vector<int64_t> labels;
};

class ComingFromSmp : public testing::Test {
protected:
  ~ComingFromSmp() override { smp::finalize(); }

  static smp::compile::CompiledModel buildProgram() {
#include "build.inc"
    EXPECT_TRUE(configured.ok()) << configured.message();
    return check(std::move(program));
  }

  /// Of the script; compiled once.
  static const smp::compile::CompiledModel &script() {
    static const smp::compile::CompiledModel program = buildProgram();
    return program;
  }

  static smp::Session open(const smp::compile::CompiledModel &program) {
    return check(
        smp::Session::open(check(smp::SharedProgram::read(program.bytes()))));
  }

  /// One step.
  static float train(smp::Session &session, const Batch &inputs) {
#include "run.inc"
    return trainStep(inputs);
  }

  smp::TemporaryFolder temporary;
  const std::string folder = temporary.path();
  const std::vector<Batch> trainData{Batch(1), Batch(2), Batch(3), Batch(4),
                                     Batch(5), Batch(6), Batch(7)};
};

TEST_F(ComingFromSmp, TheScriptTrains) {
  smp::Session session = open(script());
  EXPECT_EQ(session.entries()[0].microbatches, 4u);
  float first = 0, last = 0;
  for (int epoch = 0; epoch < 40; ++epoch)
    for (const Batch &batch : trainData)
      (epoch == 0 && &batch == &trainData[0] ? first : last) =
          train(session, batch);
  EXPECT_LT(last, first / 2);
}

/// Both loops as they are where people come from.
TEST_F(ComingFromSmp, TheLoopsSaveAndRestore) {
  std::vector<float> losses;
  float next = 0; // That of a step after the last checkpoint.
  {
    smp::Session session = open(script());
#include "run.inc"
#include "save.inc"
    ASSERT_EQ(manager.checkpoints().size(), 5u);
    EXPECT_EQ(manager.latest(), folder + "/ckpt-7");
    next = trainStep(trainData[1]);
  }
  const std::vector<float> saved = losses;
  losses.clear();
  smp::Session session = open(script());
#include "run.inc"
  smp::CheckpointManager manager(
      smp::Checkpoint{{"optimizer", session}, {"model", session}},
      {.directory = folder});
#include "restore.inc"
  EXPECT_EQ(losses[0], saved[0]); // Made before the restore, and lost.
  EXPECT_EQ(losses[1], next);
  EXPECT_NE(losses[1], saved[1]);
}

TEST_F(ComingFromSmp, ScopesPlace) {
#include "partition.inc"
  ASSERT_TRUE(configured.ok()) << configured.message();
  auto program =
      check(smp::compile::compileModel(check(std::move(g).finish())));
  auto loaded = check(smp::readProgram(program.bytes()));
  std::map<std::string, smp::Placement> where;
  for (const smp::GraphOp &op : loaded.program().entries[0].graph.ops)
    where[op.mnemonic] = op.placement;
  EXPECT_EQ(where.at("add").partition, 1);
  EXPECT_EQ(where.at("reduce").partition, 3);
  EXPECT_EQ(where.at("reduce").origin, smp::Origin::User);
  smp::Session session = open(program);
  auto outputs = check(session.step("predict", {}));
  EXPECT_FLOAT_EQ(*static_cast<const float *>(outputs.find("z")->data), 7);
}

TEST_F(ComingFromSmp, StepsSplitAndOutputsCombine) {
  smp::GraphBuilder g;
#include "split.inc"
  auto program =
      check(smp::compile::compileModel(check(std::move(g).finish())));
  smp::Session session = open(program);
  std::vector<float> x(16 * 8), mask(16, 2);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  const int64_t shape[] = {16, 8};
  const smp::InputTensor inputs[] = {
      {"x", {smp::DType::F32, shape, x.data()}},
      {"mask", {smp::DType::F32, {shape, 1}, mask.data()}}};
  smp::StepOutput outputs = check(session.step("eval", inputs));
#include "outputs.inc"
  ASSERT_EQ(each.size(), 4u);
  auto expectType = [](const smp::HostTensor &tensor, const char *type) {
    EXPECT_EQ(smp::toString(tensor.type), type);
  };
  expectType(each[0], "f32[2x16]");
  expectType(mean, "f32[2x16]");
  expectType(sum, "f32[2x16]");
  expectType(joined, "f32[8x16]");
  expectType(stacked, "f32[4x2x16]");
  EXPECT_EQ(merged.bytes, joined.bytes);
  EXPECT_EQ(same.bytes, mean.bytes);
  // Row r of y is column r of x; the microbatches have 2 each.
  EXPECT_EQ(joined.as<float>()[5 * 16 + 3], 2 * x[3 * 8 + 5]);
  EXPECT_EQ(each[2].as<float>()[16 + 3], 2 * x[3 * 8 + 5]);
  EXPECT_EQ(sum.as<float>()[16 + 3],
            2 * (x[24 + 1] + x[24 + 3] + x[24 + 5] + x[24 + 7]));
}

} // namespace
