// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/cpu/CpuTarget.h"
#include "Product.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "smp/codegen/cpu/Image.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Collapse.h"
#include "smp/ir/Packing.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Bytes of the widest panel of columns that a level packs: every level's panel
/// divides it, so that one size of a packed operand serves all.
static int64_t widestPanelBytes() {
  return levels().back().vectorBytes * kPanelVectors;
}

void CpuTarget::insertDialects(DialectRegistry &registry) {
  insertKernelDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

ir::TargetAttr CpuTarget::traits(MLIRContext *context) const {
  // One core of docs/benchmarks/cpu.md: its slowest products, 90 GF/s, and the
  // row "add" over 32 M elements, 28 GB/s. A launch, a transfer and its rate
  // are of the order that its section "Handing over" has (0.15 to 0.6 us, 13 us
  // and 12 GB/s): a launch is held to be dearer, to keep small ops together.
  return ir::TargetAttr::get(
      context, name(),
      /*whole=*/Builder(context).getStrArrayAttr({"statistics"}),
      /*packed_bytes=*/widestPanelBytes(), /*fused=*/nullptr,
      /*group_ops=*/128, /*mixes_widths=*/false, /*loops_in_reductions=*/false,
      /*flops_per_second=*/90'000'000'000,
      /*bytes_per_second=*/25'000'000'000, /*launch_ns=*/1'000,
      /*transfer_bytes_per_second=*/8'000'000'000, /*transfer_ns=*/5'000);
}

ArrayRef<StringRef> CpuTarget::levels() const {
  static const SmallVector<StringRef> names = [] {
    SmallVector<StringRef> all;
    for (const Level &level : cpu::levels())
      all.push_back(level.name);
    return all;
  }();
  return names;
}

static const Level &levelOf(StringRef name) {
  const Level *level = llvm::find_if(
      levels(), [&](const Level &each) { return each.name == name; });
  assert(level != levels().end() && "a level is one of levels()");
  return *level;
}

void CpuTarget::loadDialects(MLIRContext *context) const {
  loadLoweringDialects(context);
}

/// The packed operand that the op makes or reads, in the type that this target
/// gives it; null when there is none.
static std::pair<Value, Type> packedOf(Operation *op) {
  auto typed = [](Value packed, Type element, int64_t products, int64_t depth,
                  int64_t columns) {
    return std::pair<Value, Type>(
        packed,
        ir::packedType(element, products, depth, columns, widestPanelBytes()));
  };
  if (auto pack = dyn_cast<ir::PackOp>(op)) {
    auto input = ir::tensorOf(pack.getInput());
    return typed(pack.getResult(), input.getElementType(), input.getDimSize(0),
                 input.getDimSize(1), input.getDimSize(2));
  }
  if (!isa<ir::PackedMatmulOp, ir::PackedConvOp>(op))
    return {};
  const Product product = Product::of(op);
  auto input = ir::tensorOf(product.input);
  return typed(product.packed, input.getElementType(), product.groups,
               product.depth * product.taps(), product.columns);
}

FailureOr<KernelPlan> CpuTarget::plan(ir::GroupOp group) const {
  if (group.getStrategy() == ir::Strategy::Whole &&
      group.getBody().getOps<ir::StatisticsOp>().empty())
    return group.emitOpError() << "is of strategy whole, which target '"
                               << name() << "' has no kernels for; run "
                               << "--smp-decompose before groups are formed";
  if (group.getStrategy() == ir::Strategy::Loop && !ir::isInOrder(group) &&
      !group.getBody().getOps<ir::StatisticsOp>().empty())
    return group.emitOpError()
           << "takes statistics in a loop that does not go through its "
              "elements in order; leave that to --smp-join-statistics";
  for (Operation &op : group.getBody().front())
    if (auto [packed, expected] = packedOf(&op);
        packed && packed.getType() != expected)
      return group.emitOpError()
             << "has a packed operand " << packed.getType() << " where target '"
             << name() << "' needs " << expected;
  return KernelPlan::inOneLaunch(group);
}

FailureOr<std::vector<LaunchShape>> CpuTarget::emit(ModuleOp code,
                                                    const KernelSource &source,
                                                    StringRef level) const {
  return std::vector<LaunchShape>{
      emitKernel(code, source.group, source.symbols.front(), levelOf(level))};
}

/// Tiles of products are emitted with constant offsets. Those of v2 are 2 to
/// 4 % faster with the addresses that LLVM finds.
static Addresses addressesOf(ArrayRef<KernelSource> sources,
                             const Level &level) {
  const bool areProducts =
      llvm::all_of(sources, [](const KernelSource &source) {
        return ir::GroupOp(source.group).getStrategy() == ir::Strategy::Product;
      });
  return areProducts && level.vectorBytes > 16 ? Addresses::ConstantOffsets
                                               : Addresses::Any;
}

FailureOr<ObjectCode> CpuTarget::compile(Location where,
                                         ArrayRef<KernelSource> sources,
                                         StringRef level) const {
  OwningOpRef<ModuleOp> code = ModuleOp::create(where);
  ObjectCode object;
  for (const KernelSource &source : sources) {
    auto launches = emit(*code, source, level);
    if (failed(launches))
      return failure();
    llvm::append_range(object.launches, *launches);
  }
  if (failed(lowerKernels(*code)))
    return failure();
  auto bytes = compileObject(*code, levelOf(level),
                             addressesOf(sources, levelOf(level)));
  if (failed(bytes))
    return failure();
  object.bytes = std::move(*bytes);
  return object;
}

FailureOr<LinkedImages> CpuTarget::link(Location where,
                                        ArrayRef<ObjectCode> objects) const {
  SmallVector<ArrayRef<char>> parts;
  for (const ObjectCode &object : objects)
    parts.push_back(object.bytes);
  std::string error;
  auto image = linkImage(parts, error);
  if (!image)
    return emitError(where) << "cannot link the kernels: " << error;
  LinkedImages linked;
  linked.images.push_back(std::move(*image));
  linked.imageOf.assign(objects.size(), 0);
  return linked;
}

} // namespace smp::codegen::cpu
