// SPDX-License-Identifier: Apache-2.0
#include "TapeTarget.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "smp/ir/ModelTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace smp::test {

using codegen::KernelBuffer;

ir::TargetAttr TapeTarget::traits(MLIRContext *context) const {
  Builder b(context);
  mlir::Attribute loop = ir::StrategyAttr::get(context, ir::Strategy::Loop);
  return ir::TargetAttr::get(
      context, name(), b.getStrArrayAttr({"softmax", "layer_norm", "gelu"}),
      /*packed_bytes=*/0, /*fused=*/b.getArrayAttr(loop), /*group_ops=*/3,
      /*mixes_widths=*/true, /*loops_in_reductions=*/false,
      /*flops_per_second=*/1'000'000,
      /*bytes_per_second=*/1'000'000, /*launch_ns=*/10'000,
      /*transfer_bytes_per_second=*/1'000'000, /*transfer_ns=*/1);
}

ArrayRef<StringRef> TapeTarget::levels() const {
  static constexpr StringRef names[] = {"mono", "stereo"};
  return names;
}

/// The first launch makes the results, the second copies them to their places.
FailureOr<codegen::KernelPlan> TapeTarget::plan(ir::GroupOp group) const {
  codegen::KernelPlan plan;
  plan.launches.resize(2);
  for (uint32_t i = 0; i < group->getNumOperands(); ++i)
    plan.launches[0].inputs.push_back({KernelBuffer::Kind::Operand, i});
  for (uint32_t i = 0; i < group->getNumResults(); ++i) {
    plan.temporaries.push_back(
        ir::toModel(cast<RankedTensorType>(group->getResult(i).getType())));
    plan.launches[0].outputs.push_back({KernelBuffer::Kind::Temporary, i});
    plan.launches[1].inputs.push_back({KernelBuffer::Kind::Temporary, i});
    plan.launches[1].outputs.push_back({KernelBuffer::Kind::Result, i});
  }
  return plan;
}

/// An empty function over `arguments`.
static Block *addFunction(ModuleOp code, StringRef symbol, TypeRange arguments,
                          TypeRange results) {
  OpBuilder b = OpBuilder::atBlockEnd(code.getBody());
  auto function = ir::StageOp::create(
      b, code.getLoc(), symbol, b.getFunctionType(arguments, results), nullptr,
      nullptr, /*partition=*/0, ir::Unit::Forward);
  SmallVector<Location> locations(arguments.size(), code.getLoc());
  return b.createBlock(&function.getBody(), {}, arguments, locations);
}

FailureOr<std::vector<codegen::LaunchShape>>
TapeTarget::emit(ModuleOp code, const codegen::KernelSource &source,
                 StringRef level) const {
  ir::GroupOp group = source.group;
  // Its body alone is in its simplest shapes.
  Block &body = group.getBody().front();
  Block *compute = addFunction(code, source.symbols[0], body.getArgumentTypes(),
                               body.getTerminator()->getOperandTypes());
  IRMapping mapping;
  mapping.map(body.getArguments(), compute->getArguments());
  OpBuilder b = OpBuilder::atBlockEnd(compute);
  for (Operation &op : body)
    b.clone(op, mapping);
  Block *copy = addFunction(code, source.symbols[1], group->getResultTypes(),
                            group->getResultTypes());
  b.setInsertionPointToEnd(copy);
  ir::ReturnOp::create(b, code.getLoc(), copy->getArguments());
  codegen::LaunchShape shape;
  shape.scratchBytes = level == "stereo" ? 128 : 0;
  return std::vector<codegen::LaunchShape>(2, shape);
}

FailureOr<codegen::ObjectCode>
TapeTarget::compile(Location where, ArrayRef<codegen::KernelSource> sources,
                    StringRef level) const {
  OwningOpRef<ModuleOp> code = ModuleOp::create(where);
  codegen::ObjectCode object;
  for (const codegen::KernelSource &source : sources) {
    auto launches = emit(*code, source, level);
    llvm::append_range(object.launches, *launches);
  }
  llvm::raw_svector_ostream stream(object.bytes);
  stream << level << "\n";
  code->print(stream, OpPrintingFlags().useLocalScope());
  return object;
}

/// An image per level: the level, then modules behind each other.
FailureOr<codegen::LinkedImages>
TapeTarget::link(Location, ArrayRef<codegen::ObjectCode> objects) const {
  codegen::LinkedImages linked;
  std::vector<StringRef> levels;
  for (const codegen::ObjectCode &object : objects) {
    auto [level, text] =
        StringRef(object.bytes.data(), object.bytes.size()).split('\n');
    if (!llvm::is_contained(levels, level)) {
      levels.push_back(level);
      linked.images.emplace_back();
    }
    const auto image = uint32_t(llvm::find(levels, level) - levels.begin());
    linked.imageOf.push_back(image);
    llvm::append_range(
        linked.images[image],
        ArrayRef(reinterpret_cast<const std::byte *>(text.data()),
                 text.size()));
  }
  return linked;
}

} // namespace smp::test
