// SPDX-License-Identifier: Apache-2.0
// Strategy "sort": top_k along an axis. Elements become integers of the order
// that the op asks for, which are sorted with their numbers; elements are read
// again where their numbers end up.

#include "Sorting.h"
#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::elementOf;
using ir::tensorOf;

static ir::TopKOp topKOf(ir::GroupOp group) {
  return *group.getBody().getOps<ir::TopKOp>().begin();
}

static SortPlan sortPlanOf(ir::TopKOp op) {
  RankedTensorType type = tensorOf(op.getInput());
  const int64_t size = type.getDimSize(op.getAxis());
  return {type.getNumElements() / std::max<int64_t>(size, 1), size,
          int64_t(op.getK()),
          std::max(computeType(type.getElementType()).getIntOrFloatBitWidth(),
                   32u)};
}

FailureOr<KernelPlan> planSort(ir::GroupOp group) {
  ir::TopKOp op = topKOf(group);
  const int64_t size = ir::tensorOf(op.getInput()).getDimSize(op.getAxis());
  if (size > SortPlan::kMostElements)
    return group.emitOpError()
           << "sorts lines of " << size
           << " elements; a kernel of target 'cuda' sorts "
           << SortPlan::kMostElements << " at most: split the dimension";
  const KernelPlan whole = KernelPlan::inOneLaunch(group);
  const SortPlan sort = sortPlanOf(topKOf(group));
  const size_t steps = sort.steps.size();
  KernelPlan plan;
  plan.temporaries = sort.temporaries(steps - 1);
  for (size_t step = 0; step < steps; ++step) {
    PlannedLaunch &launch = plan.launches.emplace_back();
    if (step == 0 || step + 1 == steps)
      launch.inputs = whole.launches[0].inputs;
    if (step > 0)
      llvm::append_range(launch.inputs, sort.given(step - 1));
    launch.outputs =
        step + 1 < steps ? sort.given(step) : whole.launches[0].outputs;
  }
  return plan;
}

namespace {
class SortEmitter {
public:
  explicit SortEmitter(KernelFunction &kernel)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), op(topKOf(kernel.group)),
        plan(sortPlanOf(op)), others(tensorOf(op.getInput()).getShape()) {
    others.erase(others.begin() + op.getAxis());
  }
  void emit();

private:
  Position positionOf(const Index &line, const Index &number);
  Value keyOf(Value element);
  Value floatKey(Value element, unsigned bits);
  void store(const Index &line, const Index &place, const Index &number);
  Value integer(unsigned bits, uint64_t value) {
    return arith::ConstantOp::create(
        b, loc,
        b.getIntegerAttr(b.getIntegerType(bits), APInt(64, value).trunc(bits)));
  }

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  ir::TopKOp op;
  const SortPlan plan;
  SmallVector<int64_t> others; ///< All dimensions but the axis.
};
} // namespace

Position SortEmitter::positionOf(const Index &line, const Index &number) {
  Position at = emitter.split(line, others);
  at.insert(at.begin() + op.getAxis(), number);
  return at;
}

/// Its bits as an unsigned integer of the same order: of numbers below zero all
/// bits turned, of others the sign's. Zeros are equal, and so are NaNs, which
/// are the greatest.
Value SortEmitter::floatKey(Value element, unsigned bits) {
  using F = arith::CmpFPredicate;
  const uint64_t sign = uint64_t(1) << (bits - 1);
  Type type = b.getIntegerType(bits);
  Value number = arith::BitcastOp::create(b, loc, type, element);
  Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number,
                                      integer(bits, 0));
  Value turned = arith::XOrIOp::create(
      b, loc, number,
      arith::SelectOp::create(b, loc, below, integer(bits, ~uint64_t(0)),
                              integer(bits, sign)));
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(element.getType()));
  Value isZero = arith::CmpFOp::create(b, loc, F::OEQ, element, zero);
  Value isNan = arith::CmpFOp::create(b, loc, F::UNO, element, element);
  turned = arith::SelectOp::create(b, loc, isZero, integer(bits, sign), turned);
  return arith::SelectOp::create(b, loc, isNan, integer(bits, ~uint64_t(0)),
                                 turned);
}

Value SortEmitter::keyOf(Value element) {
  Type type = elementOf(op.getInput());
  const unsigned bits = plan.keyBits;
  Type wide = b.getIntegerType(bits);
  Value key = element;
  if (isa<FloatType>(type)) {
    key = floatKey(element, bits);
  } else {
    const bool isUnsigned = type.isUnsignedInteger();
    if (element.getType() != wide)
      key = isUnsigned
                ? arith::ExtUIOp::create(b, loc, wide, element).getResult()
                : arith::ExtSIOp::create(b, loc, wide, element).getResult();
    if (!isUnsigned)
      key = arith::XOrIOp::create(b, loc, key,
                                  integer(bits, uint64_t(1) << (bits - 1)));
  }
  return op.getLargest()
             ? arith::XOrIOp::create(b, loc, key, integer(bits, ~uint64_t(0)))
                   .getResult()
             : key;
}

void SortEmitter::store(const Index &line, const Index &place,
                        const Index &number) {
  const Position at = positionOf(line, place);
  Value value = emitter.element(op.getInput(), positionOf(line, number));
  Value index = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                           emitter.space.emit(b, loc, number));
  for (unsigned i = 0; i < kernel.numResults(); ++i)
    kernel.storeResult(i, kernel.result(i) == op.getValues() ? value : index,
                       at);
}

void SortEmitter::emit() {
  auto key = [&](const Index &line, const Index &number) {
    return keyOf(emitter.element(op.getInput(), positionOf(line, number)));
  };
  auto take = [&](const Index &line, const Index &place, const Index &number) {
    store(line, place, number);
  };
  SortEnds ends{key, nullptr};
  if (kernel.part + 1 == plan.steps.size())
    ends.take = take;
  emitSortStep(kernel, plan, kernel.part, ends);
}

void emitSortKernel(KernelFunction &kernel) { SortEmitter(kernel).emit(); }

} // namespace smp::codegen::cuda
