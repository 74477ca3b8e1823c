// SPDX-License-Identifier: Apache-2.0
// Constants as plain data: equal elements as one.

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/ModelTypes.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {
class ConstantExport : public testing::Test {
protected:
  ConstantExport() { context.loadDialect<ir::SmpDialect>(); }

  /// An entry that returns its input beside these ops.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &ops) {
    const std::string text =
        "smp.entry @predict(%x: tensor<1xf32> {smp.name = \"x\"}) -> "
        "(tensor<1xf32> {smp.name = \"y\"}) {\n" +
        ops + "\nsmp.return %x : tensor<1xf32>\n}\n";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  static mlir::FailureOr<Graph> exportOf(mlir::ModuleOp module) {
    return ir::exportGraph(*module.getOps<ir::EntryOp>().begin());
  }

  /// The value that `dense<...> : tensor<...>` has in a graph.
  Attribute exported(const std::string &constant) {
    auto module = parse("%c = smp.constant " + constant);
    auto graph = exportOf(*module);
    EXPECT_TRUE(succeeded(graph));
    return graph->ops.at(0).attributes.at("value");
  }

  mlir::MLIRContext context;
};

/// "4 of f32[3]": how many bytes are kept of what.
std::string kept(const Attribute &value) {
  const auto *splat = std::get_if<Splat>(&value);
  const TensorType &type =
      splat ? splat->type : std::get<HostTensor>(value).type;
  const size_t bytes =
      splat ? splat->element.size() : std::get<HostTensor>(value).bytes.size();
  return std::to_string(bytes) + (splat ? " for " : " of ") + toString(type);
}
} // namespace

TEST_F(ConstantExport, OneElementStandsForEqualOnes) {
  EXPECT_EQ(kept(exported("dense<1.5> : tensor<3xf32>")), "4 for f32[3]");
  EXPECT_EQ(kept(exported("dense<1.5> : tensor<1048576x1048576xf64>")),
            "8 for f64[1048576x1048576]");
  EXPECT_EQ(kept(exported("dense<true> : tensor<9xi1>")), "1 for bool[9]");
  EXPECT_EQ(kept(exported("dense<0> : tensor<2x2xui16>")), "2 for u16[2x2]");
  EXPECT_EQ(std::get<Splat>(exported("dense<-2> : tensor<3xi8>")).element,
            std::vector<std::byte>{std::byte(0xFE)});
  EXPECT_EQ(std::get<Splat>(exported("dense<true> : tensor<9xi1>")).element,
            std::vector<std::byte>{std::byte(1)});
}

TEST_F(ConstantExport, EqualElementsNeedNotBeWrittenAsOne) {
  EXPECT_EQ(kept(exported("dense<[2.0, 2.0]> : tensor<2xbf16>")),
            "2 for bf16[2]");
  EXPECT_EQ(kept(exported("dense<[true, true]> : tensor<2xi1>")),
            "1 for bool[2]");
  EXPECT_EQ(kept(exported("dense<[0x7FC00001, 0x7FC00001]> : tensor<2xf32>")),
            "4 for f32[2]");
}

TEST_F(ConstantExport, EqualMeansBitByBit) {
  EXPECT_EQ(kept(exported("dense<[0.0, -0.0]> : tensor<2xf32>")),
            "8 of f32[2]");
  EXPECT_EQ(kept(exported("dense<[0x7FC00001, 0x7FC00002]> : tensor<2xf32>")),
            "8 of f32[2]");
  EXPECT_EQ(kept(exported("dense<[true, false]> : tensor<2xi1>")),
            "2 of bool[2]");
}

TEST_F(ConstantExport, OneOrNoElementIsATensor) {
  EXPECT_EQ(kept(exported("dense<1.5> : tensor<f32>")), "4 of f32[]");
  EXPECT_EQ(kept(exported("dense<1.5> : tensor<1x1xf32>")), "4 of f32[1x1]");
  EXPECT_EQ(kept(exported("dense<> : tensor<0x7xf32>")), "0 of f32[0x7]");
}

/// A folder leaves constants without a place; the reader has one.
TEST_F(ConstantExport, TooManyBytesAreAnErrorAtAPlace) {
  constexpr int64_t kElements = int64_t(1) << 26;
  std::string ops;
  for (int i = 0; i < 17; ++i)
    ops += "%c" + std::to_string(i) +
           " = smp.constant dense<0> : tensor<67108864xi8> loc(unknown)\n" +
           "%n" + std::to_string(i) + " = smp.neg %c" + std::to_string(i) +
           " : tensor<67108864xi8> loc(\"negative" + std::to_string(i) +
           "\")\n";
  auto module = parse(ops);
  std::vector<std::byte> bytes(kElements);
  bytes.front() = std::byte(1);
  auto elements = ir::toAttr(&context, {DType::I8, {kElements}}, bytes);
  module->walk([&](ir::ConstantOp op) { op.setValueAttr(elements); });
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    llvm::raw_string_ostream(error) << d.getLocation() << ": " << d;
  });
  EXPECT_TRUE(failed(exportOf(*module)));
  EXPECT_EQ(error,
            "loc(\"negative16\"): a constant of type 'tensor<67108864xi8>' "
            "brings the constants of the graph to 1140850688 bytes, of at most "
            "1073741824; make it a variable");
}
