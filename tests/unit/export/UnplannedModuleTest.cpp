// SPDX-License-Identifier: Apache-2.0
// What no pass has prepared, or somebody has written otherwise, is refused.
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "smp/codegen/cpu/CpuTarget.h"
#include "smp/codegen/export/Export.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Target.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;

namespace {

/// A stage of two groups, with these attributes, that returns `results`.
std::string stageOf(const std::string &first, const std::string &second,
                    const std::string &stage,
                    const std::string &results = "%b") {
  const std::string body = " : (tensor<16xf32>) -> tensor<16xf32> {\n"
                           "  ^bb0(%0: tensor<16xf32>):\n"
                           "    %1 = smp.exp %0 : tensor<16xf32>\n"
                           "    smp.return %1 : tensor<16xf32>\n"
                           "  }\n";
  std::string types = "tensor<16xf32>";
  for (char c : results)
    if (c == ',')
      types += ", tensor<16xf32>";
  return "smp.stage @s(%x: tensor<16xf32>) -> (" + types +
         ") attributes {partition = 0 : i64" + stage + "} {\n" +
         "  %a = smp.group loop(%x) {" + first + "}" + body +
         "  %b = smp.group loop(%a) {" + second + "}" + body + "  smp.return " +
         results + " : " + types + "\n}\n";
}

/// What is said of a module of that stage; empty if it is laid out.
std::string refusalOf(const std::string &text) {
  MLIRContext context;
  DialectRegistry registry;
  codegen::addTarget<codegen::cpu::CpuTarget>(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<ir::SmpDialect>();
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return "parse: " + said;
  const ir::WeightStore weights;
  auto plan = codegen::planProgram(
      *module, weights, passes::RooflineModel(ir::targetOf(*module, 0)), {});
  EXPECT_EQ(failed(plan), !said.empty());
  return said;
}

const std::string kOffset0 = "smp.offsets = array<i64: 0>",
                  kLeaves = "smp.offsets = array<i64: -1>",
                  kArena64 = ", smp.arena_bytes = 64 : i64";

} // namespace

TEST(UnplannedModule, APlannedOneIsLaidOut) {
  EXPECT_EQ(refusalOf(stageOf(kOffset0, kLeaves, kArena64)), "");
}

TEST(UnplannedModule, AResultHasAPlace) {
  const std::string refusal = "'smp.group' op has no place for result 0; run "
                              "--smp-plan-memory";
  EXPECT_EQ(refusalOf(stageOf("", "", kArena64)), refusal);
  EXPECT_EQ(refusalOf(stageOf(kLeaves, kLeaves, kArena64)), refusal);
}

TEST(UnplannedModule, APlaceIsInTheArena) {
  const std::string refusal =
      "'smp.stage' op has results that overlap or do not lie in its arena of ";
  EXPECT_EQ(refusalOf(stageOf(kOffset0, kLeaves, "")),
            refusal + "0 bytes; run --smp-plan-memory");
  EXPECT_EQ(refusalOf(stageOf("smp.offsets = array<i64: 32>", kLeaves,
                              ", smp.arena_bytes = 128 : i64")),
            refusal + "128 bytes; run --smp-plan-memory");
}

TEST(UnplannedModule, WhatLeavesIsWrittenForItAlone) {
  const std::string refusal =
      "'smp.stage' op has a result or an assigned value that no group writes "
      "for it alone; run --smp-materialize-results";
  EXPECT_EQ(refusalOf(stageOf(kOffset0, kLeaves, kArena64, "%b, %b")), refusal);
  EXPECT_EQ(refusalOf(stageOf(kOffset0, kLeaves, kArena64, "%b, %x")), refusal);
}

TEST(UnplannedModule, WhatIsWrittenInPlaceIsSaidToBe) {
  auto moduleWith = [](const std::string &attributes) {
    return "smp.variable @w state : tensor<16xf32> = #smp.splat<0.0>\n"
           "smp.stage @s(%a: tensor<16xf32>) attributes {partition = 0 : i64} "
           "{\n"
           "  %w = smp.read @w : tensor<16xf32>\n"
           "  %b = smp.group loop(%w, %a) {smp.offsets = array<i64: -1>" +
           attributes +
           "} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {\n"
           "  ^bb0(%0: tensor<16xf32>, %c: tensor<16xf32>):\n"
           "    %1 = smp.add %0, %c : tensor<16xf32>\n"
           "    smp.return %1 : tensor<16xf32>\n"
           "  }\n"
           "  smp.assign @w, %b : tensor<16xf32>\n"
           "  smp.return\n}\n";
  };
  EXPECT_EQ(refusalOf(moduleWith(", smp.in_place = array<i64: 0, 0>")), "");
  for (const std::string attributes : {"", ", smp.in_place = array<i64: 1, 0>"})
    EXPECT_EQ(refusalOf(moduleWith(attributes)),
              "'smp.group' op writes result 0 where it reads operand 0; run "
              "--smp-materialize-results");
}

TEST(UnplannedModule, ATargetIsThereAndHasAKernel) {
  const std::string stage = stageOf(kOffset0, kLeaves, kArena64);
  EXPECT_EQ(refusalOf("module attributes {smp.targets = [#smp.target<\"a\">]} "
                      "{\n" +
                      stage + "}\n"),
            "there is no target 'a'; there is cpu");
}
