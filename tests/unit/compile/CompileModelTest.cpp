// SPDX-License-Identifier: Apache-2.0
// From GraphBuilder to a running program, in one process.

#include "smp/compile/CompileModel.h"
#include "smp/compile/Init.h"
#include "smp/import/Layers.h"
#include "smp/model/Philox.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace smp;

namespace {

class CompileModelTest : public testing::Test {
protected:
  void TearDown() override { finalize(); }
};

/// One level is enough for these tests.
compile::ModelOptions quick() {
  compile::ModelOptions options;
  options.levels = {"v2"};
  return options;
}

compile::ModelOptions quick(int64_t partitions, passes::PartitionMode mode) {
  compile::ModelOptions options = quick();
  options.placement.emplace();
  options.placement->partitions = partitions;
  options.placement->mode = mode;
  return options;
}

std::vector<std::byte> runProgram(std::span<const std::byte> program,
                                  std::span<const InputTensor> inputs) {
  auto shared = SharedProgram::read(program);
  EXPECT_TRUE(shared.ok()) << shared.status().message();
  auto session = Session::open(*shared);
  EXPECT_TRUE(session.ok()) << session.status().message();
  auto output = session->step("predict", inputs);
  EXPECT_TRUE(output.ok()) << output.status().message();
  if (!output.ok())
    return {};
  const OutputTensor &first = output->all()[0];
  const auto *data = static_cast<const std::byte *>(first.data);
  return {data, data + first.bytes};
}

/// Where the ops of a program are: "1 user".
std::map<std::string, std::string>
placements(std::span<const std::byte> bytes) {
  auto program = readProgram(bytes);
  EXPECT_TRUE(program.ok()) << program.status().message();
  std::map<std::string, std::string> result;
  for (const GraphOp &op : program->program().entries[0].graph.ops)
    result[op.name] = (op.placement.partition == Placement::kAll
                           ? "all"
                           : std::to_string(op.placement.partition)) +
                      (op.placement.origin == Origin::User ? " user" : "");
  return result;
}

//===----------------------------------------------------------------------===//
// The example of the documentation that scopes come from
//===----------------------------------------------------------------------===//

/// x outside of all scopes, y on 1, z on 3.
StatusOr<Model> buildNested() {
  GraphBuilder g;
  Tensor in = g.input("in", {DType::F32, {2}});
  Tensor x = g.named(g.mul(in, 1.2), "x");
  auto one = partition(1);
  Tensor y = g.named(g.add(x, 2.5), "y");
  auto three = partition(3);
  g.output("z", g.named(g.sum(y), "z"));
  return std::move(g).finish();
}

const char kFourPartitions[] =
    R"({"partitions": 4, "auto_partition": false, "default_partition": 0})";

TEST_F(CompileModelTest, NestedScopesRunOnTheirPartitions) {
  ASSERT_TRUE(init(kFourPartitions).ok());
  auto model = buildNested();
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto program = compile::compileModel(model.take(), quick());
  ASSERT_TRUE(program.ok()) << program.status().message();
  auto where = placements(program->bytes());
  EXPECT_EQ(where["x"].substr(0, 1), "0");
  EXPECT_EQ(where["y"], "1 user");
  EXPECT_EQ(where["z"], "3 user");
  const float in[] = {5, 10};
  const int64_t shape[] = {2};
  InputTensor input{"in", {DType::F32, shape, in}};
  auto z = runProgram(program->bytes(), {&input, 1});
  ASSERT_EQ(z.size(), sizeof(float));
  const float expected = (5 * 1.2f + 2.5f) + (10 * 1.2f + 2.5f);
  EXPECT_EQ(*reinterpret_cast<const float *>(z.data()), expected);
}

TEST_F(CompileModelTest, ScopeIsRefusedAfterInit) {
  ASSERT_TRUE(init(R"({"partitions": 3, "auto_partition": false,
                       "default_partition": 0})")
                  .ok());
  auto model = buildNested();
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.status().message().find(
                "partition 3 is not one of the 3 partitions (0..2)"),
            std::string::npos)
      << model.status().message();
}

TEST_F(CompileModelTest, WithoutInitTheCompilerRefuses) {
  auto model = buildNested();
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto program = compile::compileModel(model.take(),
                                       quick(3, passes::PartitionMode::Manual));
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(
      program.status().message(),
      "'z' is pinned to partition 3, but there are 3 (0..2); pin it to one "
      "of them or compile for at least 4");
}

TEST_F(CompileModelTest, ConstantsKeepTheirPins) {
  ASSERT_TRUE(init(kFourPartitions).ok());
  GraphBuilder g;
  Tensor x = g.named(g.constant({DType::F32, {2}}, {1.5, 1.5}), "x");
  auto one = partition(1);
  Tensor y = g.named(g.add(x, 2.5), "y");
  auto three = partition(3);
  g.output("z", g.named(g.sum(y), "z"));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto program = compile::compileModel(model.take(), quick());
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(placements(program->bytes())["z"], "3 user");
  auto z = runProgram(program->bytes(), {});
  ASSERT_EQ(z.size(), sizeof(float));
  EXPECT_EQ(*reinterpret_cast<const float *>(z.data()), 8.0f);
}

//===----------------------------------------------------------------------===//
// Distributed models
//===----------------------------------------------------------------------===//

class TwoLayers : public DistributedModel {
  std::vector<Tensor> call(GraphBuilder &g,
                           const std::vector<Tensor> &inputs) override {
    Tensor x = inputs.front();
    {
      auto scope = partition(0);
      x = g.relu(layers::linear(g, x, 64, "first"));
    }
    auto scope = partition(1);
    return {layers::linear(g, x, 16, "second")};
  }
};

/// Twice the model's result; the doubling is outside of the model.
StatusOr<Model> buildTwoLayers() {
  GraphBuilder g("two layers", 7);
  g.beginEntry("predict");
  Tensor x = g.input("x", {DType::F32, {4, 32}}, 0);
  Tensor y = TwoLayers()(g, {g.named(x * 0.5, "halved")}).front();
  g.output("y", g.named(y * 2, "doubled"), 0);
  return std::move(g).finish();
}

std::vector<std::byte> resultOf(const compile::ModelOptions &options) {
  auto model = buildTwoLayers();
  EXPECT_TRUE(model.ok()) << model.status().message();
  auto program = compile::compileModel(model.take(), options);
  EXPECT_TRUE(program.ok()) << program.status().message();
  if (!program.ok())
    return {};
  HostTensor x = HostTensor::zeros({DType::F32, {12, 32}});
  fillNormal(x.bytes, DType::F32, 0, 1, 5);
  InputTensor input{"x", {DType::F32, x.type.shape, x.bytes.data()}};
  return runProgram(program->bytes(), {&input, 1});
}

TEST_F(CompileModelTest, SplitsGiveTheSameBits) {
  using passes::PartitionMode;
  auto whole = resultOf(quick(1, PartitionMode::IgnoreAnnotations));
  EXPECT_EQ(whole.size(), 12u * 16u * sizeof(float));
  EXPECT_EQ(whole, resultOf(quick(2, PartitionMode::Manual)));
  EXPECT_EQ(whole, resultOf(quick(2, PartitionMode::IgnoreAnnotations)));
  EXPECT_EQ(whole, resultOf(quick(3, PartitionMode::Auto)));
}

TEST_F(CompileModelTest, OpsOutsideOfTheModelRunOnAll) {
  auto model = buildTwoLayers();
  ASSERT_TRUE(model.ok());
  auto program = compile::compileModel(model.take(),
                                       quick(2, passes::PartitionMode::Manual));
  ASSERT_TRUE(program.ok()) << program.status().message();
  auto where = placements(program->bytes());
  EXPECT_EQ(where["halved"], "all");
  EXPECT_EQ(where["doubled"], "all");
  EXPECT_EQ(where["second/dot_general"], "1 user");
}

TEST_F(CompileModelTest, TellsThePlan) {
  auto model = buildTwoLayers();
  ASSERT_TRUE(model.ok());
  compile::ModelOptions options = quick(2, passes::PartitionMode::Manual);
  std::string plan;
  options.plan = &plan;
  auto program = compile::compileModel(model.take(), options);
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_NE(plan.find("partition"), std::string::npos) << plan;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST_F(CompileModelTest, WritesProgramsAndModels) {
  const std::string folder = testing::TempDir();
  GraphBuilder g;
  HostTensor table = HostTensor::zeros({DType::F32, {64, 64}});
  fillNormal(table.bytes, DType::F32, 0, 1, 9);
  Tensor w = g.parameter("w", table.type, InitialValue::data(table));
  g.output("y", g.sum(w * 2, {0}));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  Status written = compile::writeModel(*model, folder + "/written.mlir");
  ASSERT_TRUE(written.ok()) << written.message();
  std::ifstream text(folder + "/written.mlir");
  const std::string all{std::istreambuf_iterator<char>(text), {}};
  EXPECT_NE(all.find("written.safetensors"), std::string::npos) << all;

  compile::ModelOptions options = quick();
  options.weightsFile = "program.safetensors";
  auto program = compile::compileModel(model.take(), options);
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_FALSE(program->weights().empty());
  ASSERT_TRUE(program->write(folder + "/program.smp").ok());
  auto session = Session::open(folder + "/program.smp");
  ASSERT_TRUE(session.ok()) << session.status().message();
  auto output = session->step("predict", {});
  ASSERT_TRUE(output.ok()) << output.status().message();
  std::string unwritable = folder + "/no/such/folder/program.smp";
  EXPECT_FALSE(program->write(unwritable).ok());
  std::filesystem::create_directories(folder + "/full/program.safetensors");
  EXPECT_FALSE(program->write(folder + "/full/program.smp").ok());
  EXPECT_FALSE(std::filesystem::exists(folder + "/full/program.smp"));
  std::filesystem::create_directories(folder + "/taken/program.smp");
  EXPECT_FALSE(program->write(folder + "/taken/program.smp").ok());
  EXPECT_FALSE(std::filesystem::exists(folder + "/taken/program.safetensors"));
  const Status beside = program->write("/dev/stdout");
  EXPECT_EQ(beside.message(),
            "'program.safetensors' would have to lie beside '/dev/stdout', "
            "which is no file; name a file");
}

} // namespace
