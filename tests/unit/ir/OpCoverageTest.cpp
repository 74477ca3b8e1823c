// SPDX-License-Identifier: Apache-2.0
// Every op of the dialect has its line in the round-trip test.

#include "mlir/IR/MLIRContext.h"
#include "smp/ir/Smp.h"
#include <fstream>
#include <gtest/gtest.h>
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
