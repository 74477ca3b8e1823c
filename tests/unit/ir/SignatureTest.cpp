// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Signature.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/ir/Placement.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// A stage with a group whose body is `body`, over %x and %y of the type,
/// giving %z.
mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context,
                                        const std::string &body,
                                        const std::string &type) {
  context.loadDialect<ir::SmpDialect>();
  const std::string text =
      "smp.stage @s(%a: " + type + ", %b: " + type + ") -> " + type +
      " attributes {partition = 0 : i64, unit = #smp.unit<forward>} {\n"
      "%r = smp.group loop(%a, %b) : (" +
      type + ", " + type + ") -> " + type + " {\n^bb0(%x: " + type +
      ", %y: " + type + "):\n" + body + "\nsmp.return %z : " + type +
      "\n}\nsmp.return %r : " + type + "\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  return module;
}

ir::GroupOp groupOf(mlir::ModuleOp module) {
  ir::GroupOp found;
  module.walk([&](ir::GroupOp group) { found = group; });
  return found;
}

uint64_t digest(const std::string &body,
                const std::string &type = "tensor<4x8xf32>") {
  mlir::MLIRContext context;
  auto module = parse(context, body, type);
  return module ? ir::digestOf(groupOf(*module)) : 0;
}

constexpr char kAdd[] = "%z = smp.add %x, %y : tensor<4x8xf32>";

TEST(Signature, DoesNotSayWhereOpsAreAndWhatTheyDeriveFrom) {
  const uint64_t plain = digest(kAdd);
  EXPECT_NE(plain, 0u);
  EXPECT_EQ(
      digest("%z = smp.add %x, %y {smp.origin = 3 : i64, smp.model_op = 7 "
             ": i64, smp.unit = #smp.unit<backward_input>, "
             "smp.placement = #smp.placement<1, solver>} : "
             "tensor<4x8xf32> loc(\"name\")"),
      plain);
}

TEST(Signature, SaysWhatIsComputedOfWhat) {
  const uint64_t plain = digest(kAdd);
  EXPECT_NE(digest("%z = smp.mul %x, %y : tensor<4x8xf32>"), plain);
  EXPECT_NE(digest("%z = smp.add %x, %x : tensor<4x8xf32>"), plain);
  EXPECT_NE(digest("%z = smp.add %y, %x : tensor<4x8xf32>"), plain);
  EXPECT_NE(digest("%z = smp.add %x, %y : tensor<8x4xf32>", "tensor<8x4xf32>"),
            plain);
  EXPECT_NE(digest("%z = smp.add %x, %y : tensor<4x8xf64>", "tensor<4x8xf64>"),
            plain);
}

TEST(Signature, HasADigestThatStays) {
  // Files have it: it must not change from build to build.
  EXPECT_EQ(ir::digestOf(llvm::StringRef("a signature")),
            17960934628042690942u);
  EXPECT_EQ(digest(kAdd), 18005904025938797915u);
}

TEST(Signature, IsOfTheSimplestShapes) {
  mlir::MLIRContext context;
  auto module = parse(context, "%z = smp.add %x, %y : tensor<2x3x4xf32>",
                      "tensor<2x3x4xf32>");
  ASSERT_TRUE(module);
  mlir::OwningOpRef<mlir::ModuleOp> copies =
      mlir::ModuleOp::create(module->getLoc());
  ir::GroupOp copy = ir::isolateGroup(*copies, groupOf(*module));
  EXPECT_EQ(
      copy->getResult(0).getType(),
      mlir::RankedTensorType::get({24}, mlir::Float32Type::get(&context)));
  EXPECT_NE(ir::signatureOf(copy).find("tensor<24xf32>"), std::string::npos);
  EXPECT_EQ(ir::digestOf(ir::signatureOf(copy)),
            ir::digestOf(groupOf(*module)));
}

} // namespace
