// SPDX-License-Identifier: Apache-2.0
// Every op of the dialect has its line in the round-trip test.

#include "mlir/IR/MLIRContext.h"
#include "smp/ir/Smp.h"
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>

static std::string readFile(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(OpCoverage, EveryOpIsRoundTripped) {
  std::string test = readFile(SMP_TEST_SOURCE_DIR "/lit/ir/ops.mlir");
  ASSERT_FALSE(test.empty());
  mlir::MLIRContext context;
  context.loadDialect<smp::ir::SmpDialect>();
  auto ops = context.getRegisteredOperationsByDialect("smp");
  EXPECT_GT(ops.size(), 80u);
  for (mlir::RegisteredOperationName op : ops) {
    std::string name = op.getStringRef().str();
    std::regex used("\\n *(%\\w+(:\\d)? = )?" + name + "\\b");
    EXPECT_TRUE(std::regex_search(test, used))
        << name << " is not in tests/lit/ir/ops.mlir";
  }
}

TEST(OpCoverage, EveryOpSaysItsRole) {
  using smp::ir::OpRole;
  const std::map<std::string, OpRole> others = {
      {"smp.constant", OpRole::Source},
      {"smp.read", OpRole::Source},
      {"smp.prepared", OpRole::Source},
      {"smp.iota", OpRole::Virtual},
      {"smp.broadcast", OpRole::Virtual},
      {"smp.reshape", OpRole::Alias},
      {"smp.transpose", OpRole::Movement},
      {"smp.slice", OpRole::Movement},
      {"smp.gradient", OpRole::Request},
      {"smp.accumulate", OpRole::Request},
      {"smp.microbatch", OpRole::Request},
      {"smp.assign", OpRole::Write},
      {"smp.transfer", OpRole::Control},
      {"smp.run", OpRole::Control},
      {"smp.tap", OpRole::Control},
      {"smp.return", OpRole::Control},
      {"smp.variable", OpRole::Declaration},
      {"smp.entry", OpRole::Declaration},
      {"smp.stage", OpRole::Declaration}};
  mlir::MLIRContext context;
  context.loadDialect<smp::ir::SmpDialect>();
  for (mlir::RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("smp")) {
    mlir::OperationState state(mlir::UnknownLoc::get(&context), name);
    state.addRegion();
    mlir::Operation *op = mlir::Operation::create(state);
    auto found = others.find(name.getStringRef().str());
    EXPECT_EQ(smp::ir::roleOf(op),
              found == others.end() ? OpRole::Compute : found->second)
        << name.getStringRef().str();
    op->destroy();
  }
}
