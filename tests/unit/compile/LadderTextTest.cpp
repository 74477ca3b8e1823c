// SPDX-License-Identifier: Apache-2.0
// What the ladder gives may go through text and through other passes on its way
// to a program: numbers stay the same.

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "smp/compile/Compile.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/Target.h"
#include "smp/passes/CostModel.h"
#include "smp/passes/placement/Passes.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// Outputs that are an input, the same value twice, a constant and a variable;
/// a variable that is written where it is read, and one whose old value leaves.
constexpr char kModel[] = R"mlir(
smp.variable @w state : tensor<4xf32> = #smp.splat<2.0>
smp.variable @v state : tensor<4xf32> = #smp.splat<3.0>
smp.entry @f(%x: tensor<4xf32> {smp.name = "x"}) -> (
    tensor<4xf32> {smp.name = "same"}, tensor<4xf32> {smp.name = "a"},
    tensor<2x2xf32> {smp.name = "b"}, tensor<2xf32> {smp.name = "c"},
    tensor<4xf32> {smp.name = "old"}) {
  %w = smp.read @w : tensor<4xf32>
  %v = smp.read @v : tensor<4xf32>
  %c = smp.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = smp.exp %x : tensor<4xf32>
  %b = smp.reshape %a : tensor<4xf32> to tensor<2x2xf32>
  %new = smp.add %w, %x : tensor<4xf32>
  smp.assign @w, %new : tensor<4xf32>
  %next = smp.mul %v, %x : tensor<4xf32>
  smp.assign @v, %next : tensor<4xf32>
  smp.return %x, %a, %b, %c, %v : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4xf32>
})mlir";

class LadderText : public testing::Test {
protected:
  LadderText() {
    mlir::DialectRegistry registry;
    compile::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The bytes of all outputs and variables after two steps of the program.
  std::string run(mlir::ModuleOp module, std::map<std::string, Graph> graphs) {
    const passes::RooflineModel model(ir::targetOf(module, 0));
    codegen::ExportOptions options;
    options.levels = {"v2"};
    auto exported =
        codegen::exportProgram(module, std::move(graphs), {}, model, options);
    if (failed(exported))
      return "not exported";
    auto bytes = serializeProgram(exported->program);
    auto program = SharedProgram::read(*bytes);
    auto session = program.ok() ? Session::open(*program) : program.status();
    if (!session.ok())
      return session.status().message();
    const float x[] = {0.5f, -1, 2, 0.25f};
    const int64_t shape[] = {4};
    const InputTensor input{"x", {DType::F32, shape, x}};
    std::string all;
    for (int step = 0; step < 2; ++step) {
      auto output = session->step("f", {&input, 1});
      if (!output.ok())
        return output.status().message();
      for (const OutputTensor &one : output->all())
        all.append(static_cast<const char *>(one.data), one.bytes);
    }
    for (const char *name : {"w", "v"}) {
      float value[4];
      if (!session->getVariable(name, std::as_writable_bytes(std::span(value)))
               .ok())
        return "no variable";
      all.append(reinterpret_cast<const char *>(value), sizeof value);
    }
    return all;
  }

  mlir::MLIRContext context;
};

TEST_F(LadderText, OtherPassesAndTextBetweenChangeNoNumber) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kModel, &context);
  ASSERT_TRUE(module);
  const passes::RooflineModel model(ir::targetOf(*module, 0));
  mlir::PassManager manager(&context);
  passes::buildPlacementPipeline(manager, {}, model);
  ASSERT_TRUE(succeeded(manager.run(*module)));
  std::map<std::string, Graph> graphs;
  module->walk([&](ir::EntryOp entry) {
    graphs[entry.getSymName().str()] = *ir::exportGraph(entry);
  });
  mlir::PassManager ladder(&context);
  compile::buildLadder(ladder);
  ASSERT_TRUE(succeeded(ladder.run(*module)));
  const std::string expected = run(*module, graphs);
  ASSERT_EQ(expected.size(), 2 * (4 * 4 + 2) * 4 + 2 * 4 * 4u) << expected;

  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  auto read = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(read) << text;
  EXPECT_EQ(run(*read, graphs), expected) << text;

  mlir::PassManager others(&context);
  others.addPass(mlir::createCanonicalizerPass());
  others.addPass(mlir::createCSEPass());
  ASSERT_TRUE(succeeded(others.run(*read)));
  size_t bare = 0; // Groups that give what they are given.
  read->walk([&](ir::GroupOp group) {
    bare += isa<mlir::BlockArgument>(
        group.getBody().front().getTerminator()->getOperand(0));
  });
  EXPECT_GT(bare, 0u);
  EXPECT_EQ(run(*read, graphs), expected);
}

} // namespace
