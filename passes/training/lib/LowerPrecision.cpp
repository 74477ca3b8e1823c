// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/training/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_LOWERPRECISIONPASS
#include "smp/passes/training/Passes.h.inc"

namespace {

/// Gives the products of one entry operands of 16 bits.
class Lowerer {
public:
  Lowerer(EntryOp entry, FloatType type) : entry(entry), type(type) {}

  void run() {
    SmallVector<Operation *> products;
    for (Operation &op : entry.getBody().front())
      if (isa<DotGeneralOp, ConvOp>(op) && isF32(op.getResult(0)))
        products.push_back(&op);
    for (Operation *op : products)
      lower(op);
  }

private:
  static bool isF32(Value value) {
    return getElementTypeOrSelf(value.getType()).isF32();
  }

  /// The value in 16 bits, made once, where the value is.
  Value lowered(Value value, Operation *user) {
    Value &known = loweredValues[value];
    if (known)
      return known;
    OpBuilder b(entry.getContext());
    b.setInsertionPointAfterValue(value);
    auto from = tensorOf(value);
    auto made =
        ConvertOp::create(b, partOf(user->getLoc()), from.clone(type), value);
    // It belongs to what makes the value, so that 16 bits are sent and kept.
    Operation *maker = value.getDefiningOp();
    inherit(maker && !isSource(maker) ? maker : user, made);
    return known = made;
  }

  void lower(Operation *op) {
    Value result = op->getResult(0);
    for (OpOperand &operand : op->getOpOperands())
      operand.set(lowered(operand.get(), op));
    auto whole = tensorOf(result);
    result.setType(whole.clone(type));
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    auto back = ConvertOp::create(b, partOf(op->getLoc()), whole, result);
    inherit(op, back);
    result.replaceAllUsesExcept(back.getResult(), back);
  }

  EntryOp entry;
  FloatType type;
  llvm::DenseMap<Value, Value> loweredValues;
};

struct LowerPrecision : impl::LowerPrecisionPassBase<LowerPrecision> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<EntryOp>()) {
      auto attribute = entry->getAttr(kPrecisionAttr);
      if (!attribute)
        continue;
      auto named = dyn_cast<TypeAttr>(attribute);
      auto type = named ? dyn_cast<FloatType>(named.getValue()) : FloatType();
      if (!type || !(type.isBF16() || type.isF16())) {
        entry.emitOpError() << kPrecisionAttr << " is " << attribute
                            << "; it must be bf16 or f16";
        return signalPassFailure();
      }
      Lowerer(entry, type).run();
      if (!entry->hasAttr(kOptimizerAttr))
        entry->removeAttr(kPrecisionAttr);
    }
  }
};

} // namespace
} // namespace smp::passes
