// SPDX-License-Identifier: Apache-2.0
// What a graph says of ops that were derived from others.

#include "smp/ir/GraphExport.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/ir/Smp.h"
#include <gtest/gtest.h>

using namespace smp;

TEST(GraphExport, DerivedOpsSayWhatTheyAreForAndOfWhichOpTheyArePart) {
  mlir::MLIRContext context;
  context.loadDialect<ir::SmpDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(smp.entry @f(%x: tensor<2xf32> {smp.name = "x"}) -> (tensor<2xf32> {smp.name = "y"}) {
  %a = smp.exp %x : tensor<2xf32> loc("net/a")
  %b = smp.neg %a {smp.unit = #smp.unit<backward_input>} : tensor<2xf32> loc(callsite("part" at "net/a"))
  %c = smp.neg %b {smp.unit = #smp.unit<backward_weight>} : tensor<2xf32> loc("named")
  %d = smp.neg %c {smp.unit = #smp.unit<update>} : tensor<2xf32> loc(unknown)
  smp.return %d : tensor<2xf32>
})",
      &context);
  ASSERT_TRUE(module);
  auto graph = ir::exportGraph(*module->getOps<ir::EntryOp>().begin());
  ASSERT_TRUE(succeeded(graph));
  ASSERT_EQ(graph->ops.size(), 4u);
  auto text = [&](size_t op, const char *name) {
    const auto &attributes = graph->ops[op].attributes;
    auto found = attributes.find(name);
    return found == attributes.end() ? std::string("none")
                                     : std::get<std::string>(found->second);
  };
  EXPECT_EQ(text(0, "smp.unit"), "none");
  EXPECT_EQ(text(1, "smp.unit"), "backward_input");
  EXPECT_EQ(text(2, "smp.unit"), "backward_weight");
  EXPECT_EQ(text(3, "smp.unit"), "update");
  EXPECT_EQ(graph->ops[1].name, "");
  EXPECT_EQ(text(1, "smp.part_of"), "net/a");
  for (size_t op : {0, 2, 3})
    EXPECT_EQ(text(op, "smp.part_of"), "none") << op;
}
