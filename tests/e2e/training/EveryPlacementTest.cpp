// SPDX-License-Identifier: Apache-2.0
// The models of the demos, in parts that are anywhere: every schedule gives the
// bits of one partition, in one process and in two. SMP_TEST_LONG=1 takes all
// placements on up to three partitions.
#include "ConvModel.h"
#include "Shapes.h"
#include "TrainedBits.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Placement.h"
#include "smp/serialization/ProgramFile.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

/// By part of the model, its partition; the first is the rest.
using Parts = std::vector<int64_t>;

struct DemoModel {
  const char *name;
  StatusOr<Model> (*build)();
  std::vector<std::string> parts; ///< How names in them begin.
  /// Trains for some steps and makes others that need no update.
  void (*work)(Session &, Bits &);
};

void stepOnce(Session &session, Bits &bits, const char *entry, int step,
              std::span<const InputTensor> inputs) {
  auto output = session.step(entry, inputs);
  ASSERT_TRUE(output.ok()) << output.status().message();
  for (const OutputTensor &tensor : output->all())
    add(bits, step, tensor);
}

StatusOr<Model> buildCharacters() { return char_lm::buildModel(smallShape()); }

/// And scores a text of 5 microbatches.
void workOnCharacters(Session &session, Bits &bits) {
  train(session, bits, {.steps = 2});
  const char_lm::Shape shape = smallShape();
  const std::vector<int64_t> dims = {5, shape.block};
  std::vector<int64_t> tokens, targets;
  for (int64_t i = 0; i < 5 * shape.block; ++i) {
    tokens.push_back(i * 7919 % shape.characters);
    targets.push_back((i + 1) * 7919 % shape.characters);
  }
  stepOnce(session, bits, "eval", 2,
           std::vector<InputTensor>{
               {"tokens", {DType::I64, dims, tokens.data()}},
               {"targets", {DType::I64, dims, targets.data()}}});
}

StatusOr<Model> buildShapes() { return conv_net::buildModel(/*steps=*/100); }

void workOnShapes(Session &session, Bits &bits) {
  using namespace conv_net;
  constexpr int64_t kRows = kBatch * kMicrobatches;
  for (int step = 0; step < 2; ++step)
    stepOnce(session, bits, "train", step,
             Pictures(1, step * kRows, kRows).inputs());
  stepOnce(session, bits, "eval", 2, Pictures(2, 0, kRows).inputs());
  collect(session, bits);
}

const DemoModel kCharacters{"characters",
                            buildCharacters,
                            {"layer0", "layer1", "layer2"},
                            workOnCharacters};
const DemoModel kShapes{"shapes",
                        buildShapes,
                        {"features16", "features32", "features64"},
                        workOnShapes};

/// In which order training works.
struct Order {
  const char *name;
  PipelineKind kind = PipelineKind::Interleaved;
  uint32_t searchRounds = 0;
  ScheduleTable table = {};
};

compile::CompiledModel compilePlaced(const DemoModel &demo, const Parts &parts,
                                     const Order &order = {"usual"}) {
  auto model = demo.build();
  EXPECT_TRUE(model.ok()) << model.status().message();
  for (auto entry : model->parts().module->getOps<ir::EntryOp>())
    for (mlir::Operation &op : entry.getBody().front().without_terminator())
      for (size_t i = 0; i < demo.parts.size(); ++i)
        if (ir::getSourceName(&op).starts_with(demo.parts[i]))
          ir::setPlacement(&op, parts[i + 1], ir::Origin::User);
  compile::ModelOptions options;
  options.levels = {"v3"};
  options.pipeline = order.kind;
  options.searchRounds = order.searchRounds;
  options.schedule = order.table;
  options.placement.emplace().partitions =
      *std::max_element(parts.begin(), parts.end()) + 1;
  options.placement->mode = passes::PartitionMode::Manual;
  options.placement->defaultPartition = parts.front();
  auto compiled = compile::compileModel(model.take(), options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  return compiled.take();
}

Bits bitsOf(const DemoModel &demo, const compile::CompiledModel &compiled) {
  auto program = SharedProgram::read(compiled.bytes());
  EXPECT_TRUE(program.ok()) << program.status().message();
  auto session = Session::open(*program);
  EXPECT_TRUE(session.ok()) << session.status().message();
  Bits bits;
  demo.work(*session, bits);
  return bits;
}

/// That what is there is as it is of one partition.
void expectSame(const Bits &bits, const Bits &whole) {
  EXPECT_FALSE(bits.empty());
  for (const auto &[name, value] : bits)
    EXPECT_EQ(value, whole.at(name)) << name;
}

/// Even partitions on rank 0, odd ones on rank 1.
void expectSameOnTwoProcesses(const DemoModel &demo,
                              const compile::CompiledModel &compiled,
                              size_t partitions, const Bits &whole) {
  const char *devices[] = {"0/cpu:0,1/cpu:0", "0/cpu:0,1/cpu:0,0/cpu:1"};
  onTwoProcesses(compiled, devices[partitions - 2],
                 [&](Session &session, uint32_t) {
                   Bits bits;
                   demo.work(session, bits);
                   expectSame(bits, whole);
                 });
}

/// Each way to put the parts on partitions once, whatever the partitions are
/// called: a part goes to one that there is or to the next.
std::vector<Parts> allPlacements(size_t parts, int64_t mostPartitions) {
  std::vector<Parts> placements = {{0}};
  for (size_t i = 1; i < parts; ++i) {
    std::vector<Parts> longer;
    for (const Parts &placement : placements) {
      const int64_t next =
          *std::max_element(placement.begin(), placement.end()) + 1;
      for (int64_t p = 0; p < std::min(next + 1, mostPartitions); ++p) {
        longer.push_back(placement);
        longer.back().push_back(p);
      }
    }
    placements = std::move(longer);
  }
  return placements;
}

/// All of them, or parts dealt round, and a partition before and after others.
std::vector<Parts> placements() {
  if (std::getenv("SMP_TEST_LONG"))
    return allPlacements(4, 3);
  return {{0, 1, 0, 1}, {0, 1, 2, 0}};
}

/// The order of a program, as a table.
ScheduleTable tableOf(const compile::CompiledModel &compiled) {
  const auto loaded = readProgram(compiled.bytes());
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  const Program &program = loaded->program();
  ScheduleTable table;
  for (const Entry &entry : program.entries)
    if (entry.microbatches > 0)
      table.add(entry.name, pipelineShape(program, entry),
                scheduleOf(program, entry, entry.microbatches));
  return table;
}

/// Those that have a name, that of another one as a table, and two that are
/// searched.
std::vector<Order> orders(const DemoModel &demo, const Parts &parts) {
  std::vector<Order> all;
  for (PipelineKind kind :
       {PipelineKind::Interleaved, PipelineKind::Simple,
        PipelineKind::ZeroBubbleH1, PipelineKind::ZeroBubbleH2,
        PipelineKind::ZeroBubbleV})
    all.push_back({toString(kind), kind});
  const Order &simple = all[1];
  all.push_back({"table", PipelineKind::Interleaved, 0,
                 tableOf(compilePlaced(demo, parts, simple))});
  all.push_back({"searched", PipelineKind::Interleaved, 300});
  all.push_back({"zb-h1, searched", PipelineKind::ZeroBubbleH1, 300});
  return all;
}

class EveryPlacement : public testing::TestWithParam<const DemoModel *> {};

TEST_P(EveryPlacement, EveryScheduleGivesTheSameBits) {
  const DemoModel &demo = *GetParam();
  const Bits whole = bitsOf(demo, compilePlaced(demo, {0, 0, 0, 0}));
  ASSERT_TRUE(whole.count("step 0 loss") && whole.count("step 2 loss"));
  ASSERT_NE(whole.at("step 0 loss"), whole.at("step 1 loss"));
  for (const Parts &parts : placements())
    for (const Order &order : orders(demo, parts)) {
      std::string trace = order.name;
      for (int64_t partition : parts)
        trace += " " + std::to_string(partition);
      SCOPED_TRACE(trace);
      const compile::CompiledModel compiled = compilePlaced(demo, parts, order);
      const Bits bits = bitsOf(demo, compiled);
      EXPECT_EQ(bits.size(), whole.size());
      expectSame(bits, whole);
      const auto last = *std::max_element(parts.begin(), parts.end());
      if (last > 0)
        expectSameOnTwoProcesses(demo, compiled, size_t(last + 1), whole);
      ASSERT_FALSE(HasFailure());
    }
}

INSTANTIATE_TEST_SUITE_P(Demos, EveryPlacement,
                         testing::Values(&kCharacters, &kShapes),
                         [](const auto &info) { return info.param->name; });

} // namespace
