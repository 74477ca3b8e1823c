// SPDX-License-Identifier: Apache-2.0
#include "LossScale.h"
#include "Patterns.h"
#include "UpdateRules.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Training.h"
#include "smp/passes/training/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_OPTIMIZEPASS
#include "smp/passes/training/Passes.h.inc"

namespace {

/// A parameter that is trained.
struct Trained {
  VariableOp variable;
  Value gradient; ///< Of one microbatch, then of the step.
  int64_t part;   ///< Of its update.
};

/// Trains one entry.
class Trainer {
public:
  Trainer(EntryOp entry, const Optimizer &optimizer, OriginNumbers &origins)
      : entry(entry), module(entry->getParentOfType<ModuleOp>()),
        optimizer(optimizer), b(entry, origins) {}

  LogicalResult run();

private:
  LogicalResult takeGradients();
  void accumulate();
  Value squaresOfAll();
  LogicalResult rescale(StepNumbers &numbers);
  LogicalResult update(StepNumbers &numbers);

  EntryOp entry;
  ModuleOp module;
  const Optimizer &optimizer;
  UpdateBuilder b;
  std::vector<Trained> trained;
};

struct Optimize : impl::OptimizePassBase<Optimize> {
  void runOnOperation() override {
    OriginNumbers origins(getOperation());
    for (auto entry : getOperation().getOps<EntryOp>()) {
      if (!entry->hasAttr(kOptimizerAttr))
        continue;
      FailureOr<Optimizer> optimizer = readOptimizer(entry);
      if (failed(optimizer) ||
          failed(Trainer(entry, *optimizer, origins).run()))
        return signalPassFailure();
      entry->removeAttr(kOptimizerAttr);
      entry->removeAttr(kPrecisionAttr);
    }
  }
};

} // namespace

/// Takes the results `gradient/<variable>` away from the entry.
LogicalResult Trainer::takeGradients() {
  Operation *end = entry.getBody().front().getTerminator();
  llvm::BitVector taken(entry.getNumResults());
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    auto name = entry.getResultAttrOfType<StringAttr>(i, kNameAttr);
    StringRef variable = name.getValue();
    if (!variable.consume_front("gradient/"))
      continue;
    auto found = module.lookupSymbol<VariableOp>(variable);
    if (!found)
      return entry.emitOpError() << "has the result " << name << ", but '"
                                 << variable << "' is no variable";
    if (found.getType() != end->getOperand(i).getType())
      return found.emitOpError()
             << "'" << variable << "' is a " << found.getType()
             << "; its gradient is a " << end->getOperand(i).getType();
    for (auto assign : entry.getBody().getOps<AssignOp>())
      if (assign.getVariable() == variable)
        return assign.emitOpError() << "changes '" << variable
                                    << "', which the optimizer trains; freeze "
                                       "it, or leave this out";
    taken.set(i);
    trained.push_back({found, end->getOperand(i), 0});
  }
  if (trained.empty())
    return entry.emitOpError()
           << "has an optimizer but no gradients; give it " << kLossAttr
           << " and run --smp-differentiate first";
  end->eraseOperands(taken);
  return entry.eraseResults(taken);
}

void Trainer::accumulate() {
  for (Trained &one : trained) {
    b.beginPart(one.variable.getLoc());
    one.part = b.part();
    one.gradient = b.make<AccumulateOp>(one.gradient, /*mean=*/true);
    one.gradient.setLoc(
        makeSourceLoc(module.getContext(),
                      ("gradient/" + one.variable.getSymName()).str(), {}));
  }
}

/// The sum of all squares, whose order is that of rows, then that of columns.
static Value sumOfSquares(UpdateBuilder &b, Value x) {
  auto type = tensorOf(x);
  SmallVector<int64_t> inner =
      llvm::to_vector(llvm::seq<int64_t>(type.getRank() > 1, type.getRank()));
  if (inner.empty())
    return b.mul(x, x);
  Value sum = b.make<ReduceOp>(ReduceKind::SumSquares, x, inner);
  if (type.getRank() < 2)
    return sum;
  return b.make<ReduceOp>(ReduceKind::Sum, sum, ArrayRef<int64_t>{0});
}

/// The sum of the squares of all gradients, f64, in the order of names.
Value Trainer::squaresOfAll() {
  Type f64 = Float64Type::get(module.getContext());
  SmallVector<const Trained *> byName;
  for (const Trained &one : trained)
    byName.push_back(&one);
  llvm::sort(byName, [](const Trained *x, const Trained *y) {
    return StringRef(VariableOp(x->variable).getSymName()) <
           StringRef(VariableOp(y->variable).getSymName());
  });
  int64_t numbersPart = b.part();
  Value total;
  for (const Trained *one : byName) {
    Value squares;
    {
      UpdateBuilder::Within within(b, one->part);
      squares = sumOfSquares(b, one->gradient);
    }
    UpdateBuilder::Within within(b, numbersPart);
    squares = b.convert(squares, f64);
    total = total ? b.add(total, squares) : squares;
  }
  return total;
}

/// Multiplies all gradients by what undoes the scale of the loss and by
/// min(1, limit / (norm + 1e-6)), as PyTorch's clip_grad_norm_ does.
LogicalResult Trainer::rescale(StepNumbers &numbers) {
  bool clips = optimizer.clipNorm > 0, scaled = isScaled(entry);
  if (!clips && !scaled)
    return success();
  Value squares = squaresOfAll(), norm = b.make<SqrtOp>(squares), factor;
  if (scaled) {
    FailureOr<ScaledStep> step = buildLossScale(b, entry, squares);
    if (failed(step))
      return failure();
    b.setGuard(step->isFinite);
    factor = step->inverse;
    norm = b.mul(norm, factor);
  }
  if (clips) {
    Value clip = b.div(numbers.clipNorm(), b.add(norm, b.number(norm, 1e-6)));
    clip = b.make<MinOp>(clip, b.number(clip, 1));
    factor = factor ? b.mul(factor, clip) : clip;
  }
  if (failed(b.addResult("gradient_norm", b.convert(norm, b.getF32()))))
    return failure();
  for (Trained &one : trained) {
    UpdateBuilder::Within within(b, one.part);
    one.gradient = b.mul(one.gradient, numbers.spread(factor, one.gradient));
  }
  return success();
}

LogicalResult Trainer::update(StepNumbers &numbers) {
  FailureOr<Patterns> decay = Patterns::parse(entry, "decay", optimizer.decay);
  if (failed(decay))
    return failure();
  for (Trained &one : trained) {
    bool decays =
        optimizer.weightDecay > 0 &&
        one.variable.getTensorType().getRank() >= optimizer.decayMinRank &&
        decay->match(one.variable.getSymName());
    UpdateBuilder::Within within(b, one.part);
    if (failed(buildUpdate(b, optimizer, numbers, one.variable, one.gradient,
                           decays)))
      return failure();
  }
  return success();
}

LogicalResult Trainer::run() {
  if (entry.getMode() != Mode::Train)
    return entry.emitOpError()
           << "has an optimizer, but its mode is "
           << stringifyMode(entry.getMode()) << "; it must be train";
  if (failed(takeGradients()))
    return failure();
  accumulate();
  b.beginPart(entry.getLoc());
  FailureOr<StepNumbers> numbers = StepNumbers::make(b, optimizer);
  if (failed(numbers))
    return failure();
  if (failed(b.addResult("learning_rate",
                         b.convert(numbers->learningRate(), b.getF32()))) ||
      failed(rescale(*numbers)))
    return failure();
  numbers->countStep();
  return update(*numbers);
}

} // namespace smp::passes
