// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Constants.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Training.h"
#include "smp/model/Config.h"
#include "smp/passes/training/Passes.h"
#include <map>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_ACCUMULATEPASS
#include "smp/passes/training/Passes.h.inc"

namespace {

/// What an op is computed for.
enum class Rate : uint8_t {
  Any,        ///< It depends on variables and constants alone.
  Microbatch, ///< Each microbatch.
  Step,       ///< Once, after the last microbatch.
};

/// Divides one entry into what runs per microbatch and what runs once.
class Divider {
public:
  explicit Divider(EntryOp entry)
      : entry(entry), module(entry->getParentOfType<ModuleOp>()),
        body(entry.getBody().front()) {}

  LogicalResult run();

private:
  LogicalResult findMicrobatches();
  void supplyMicrobatch();
  LogicalResult findRates();
  LogicalResult findRate(Operation *op);
  Rate rateOf(Value value);
  bool isOncePerStep(AssignOp assign);
  void moveToUpdate(Operation *op);
  Value inUpdate(Value value);
  void copyToUpdate(Operation *op);
  Value isFirstMicrobatch(Unit unit);
  void lower(AccumulateOp op, int64_t number);

  EntryOp entry;
  ModuleOp module;
  Block &body;
  int64_t microbatches = 1;
  Value microbatch; ///< Its number.
  std::map<Unit, Value> isFirst;
  llvm::DenseMap<Operation *, Rate> rates;
  llvm::DenseMap<Value, Value> copies; ///< In the update.
};

struct Accumulate : impl::AccumulatePassBase<Accumulate> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<EntryOp>())
      if (failed(Divider(entry).run()))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult Divider::findMicrobatches() {
  auto attribute = entry->getAttr(kMicrobatchesAttr);
  if (!attribute)
    return success();
  auto count = dyn_cast<IntegerAttr>(attribute);
  if (!count || count.getInt() < 1 || count.getInt() > kMostMicrobatches)
    return entry.emitOpError() << kMicrobatchesAttr << " is " << attribute
                               << "; it must be an integer of 1 at least and "
                               << kMostMicrobatches << " at most";
  microbatches = count.getInt();
  return success();
}

/// Makes the number of the microbatch an argument, which the runtime gives.
void Divider::supplyMicrobatch() {
  auto ops = llvm::to_vector(body.getOps<MicrobatchOp>());
  bool sums = microbatches > 1 && !body.getOps<AccumulateOp>().empty();
  if (ops.empty() && !sums)
    return;
  Builder b(entry.getContext());
  auto type = RankedTensorType::get({1}, b.getI64Type());
  NamedAttrList attributes;
  attributes.set(kNameAttr, b.getStringAttr("smp.microbatch"));
  attributes.set(kBatchAxisAttr, b.getI64IntegerAttr(0));
  attributes.set(kIsMicrobatchAttr, b.getUnitAttr());
  unsigned number = entry.getNumArguments();
  [[maybe_unused]] LogicalResult inserted = entry.insertArgument(
      number, type, attributes.getDictionary(b.getContext()), entry.getLoc());
  assert(succeeded(inserted) && "an entry takes arguments");
  microbatch = entry.getArgument(number);
  for (MicrobatchOp op : ops) {
    op.replaceAllUsesWith(microbatch);
    op.erase();
  }
}

/// An input without a batch axis is the same for all microbatches.
Rate Divider::rateOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return rates.lookup(op);
  unsigned number = cast<BlockArgument>(value).getArgNumber();
  return entry.getArgAttr(number, kBatchAxisAttr) ? Rate::Microbatch
                                                  : Rate::Any;
}

bool Divider::isOncePerStep(AssignOp assign) {
  auto variable = module.lookupSymbol<VariableOp>(assign.getVariable());
  return variable.getKind() != VariableKind::State;
}

static std::string nameOf(Value value) {
  StringRef name = getValueName(value);
  return name.empty() ? "a value" : ("'" + name + "'").str();
}

LogicalResult Divider::findRate(Operation *op) {
  Value ofMicrobatch, ofStep;
  for (Value operand : op->getOperands()) {
    if (rateOf(operand) == Rate::Microbatch)
      ofMicrobatch = operand;
    if (rateOf(operand) == Rate::Step)
      ofStep = operand;
  }
  if (isa<AccumulateOp>(op) && ofStep) {
    InFlightDiagnostic error = op->emitOpError()
                               << "takes " << nameOf(ofStep)
                               << ", which is there once per step; only "
                                  "values of microbatches are accumulated";
    error.attachNote(ofStep.getLoc()) << "this is of the whole step";
    return error;
  }
  auto assign = dyn_cast<AssignOp>(op);
  bool once =
      isa<AccumulateOp>(op) || ofStep || (assign && isOncePerStep(assign));
  if (once && ofMicrobatch && !isa<AccumulateOp>(op)) {
    InFlightDiagnostic error = op->emitOpError()
                               << "runs once per step, but uses "
                               << nameOf(ofMicrobatch)
                               << " of one microbatch; put smp.accumulate "
                                  "in between";
    if (ofStep)
      error.attachNote(ofStep.getLoc()) << "this is of the whole step";
    return error;
  }
  rates[op] = once ? Rate::Step : ofMicrobatch ? Rate::Microbatch : Rate::Any;
  return success();
}

LogicalResult Divider::findRates() {
  for (Operation &op : body.without_terminator())
    if (failed(findRate(&op)))
      return failure();
  return success();
}

/// What the update uses of that which depends on variables alone, it computes
/// for itself.
Value Divider::inUpdate(Value value) {
  auto needsCopy = [&](Value used) {
    Operation *op = used.getDefiningOp();
    return op && rates.lookup(op) == Rate::Any && !isa<ConstantOp>(op) &&
           getUnit(op) != Unit::Update && !copies.contains(used);
  };
  if (needsCopy(value))
    visitProducersFirst(value.getDefiningOp(), needsCopy,
                        [&](Operation *op) { copyToUpdate(op); });
  Value copy = copies.lookup(value);
  return copy ? copy : value;
}

/// What makes its operands has its copy, if it needs one.
void Divider::copyToUpdate(Operation *op) {
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  Operation *copy = b.clone(*op);
  copy->setLoc(partOf(op->getLoc()));
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
    copies[from] = to;
  moveToUpdate(copy);
}

void Divider::moveToUpdate(Operation *op) {
  op->setAttr(kUnitAttr, ir::UnitAttr::get(op->getContext(), Unit::Update));
  for (OpOperand &operand : op->getOpOperands())
    operand.set(inUpdate(operand.get()));
}

/// Whether this is the step's first microbatch, on every partition.
Value Divider::isFirstMicrobatch(Unit unit) {
  Value &known = isFirst[unit];
  if (known)
    return known;
  OpBuilder b(&body, body.begin());
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  Location loc = entry.getLoc();
  Value number = ReshapeOp::create(b, loc, scalar, microbatch);
  known = CompareOp::create(b, loc, Direction::EQ, number,
                            splat(b, loc, scalar, 0));
  for (Operation *op : {number.getDefiningOp(), known.getDefiningOp()}) {
    op->setAttr(kUnitAttr, ir::UnitAttr::get(b.getContext(), unit));
    setPlacement(op, PlacementAttr::kAll, Origin::Propagated);
  }
  return known;
}

/// The sum so far is a variable, which the first microbatch begins anew.
void Divider::lower(AccumulateOp op, int64_t number) {
  Location loc = partOf(op.getLoc());
  auto type = tensorOf(op);
  OpBuilder b(entry);
  auto variable = VariableOp::create(
      b, loc, ("accumulator/" + entry.getSymName() + "/" + Twine(number)).str(),
      VariableKind::Accumulator, SplatAttr::get(b.getContext(), APFloat(0.0)),
      type);
  b.setInsertionPoint(op);
  Operation *producer = op.getInput().getDefiningOp();
  auto mark = [&](Operation *made, Unit unit) {
    made->setAttr(kUnitAttr, ir::UnitAttr::get(b.getContext(), unit));
    if (Attribute origin = op->getAttr(kOriginAttr))
      made->setAttr(kOriginAttr, origin);
    inheritPlacement(op, made);
  };
  Unit unit = producer ? getUnit(producer) : Unit::Forward;
  auto make = [&](auto made) {
    mark(made, unit);
    return made->getResult(0);
  };
  Value sum = op.getInput();
  if (microbatches > 1) {
    Value old = make(ReadOp::create(b, loc, type, variable.getSymName()));
    Value added = make(AddOp::create(b, loc, old, op.getInput()));
    Value isFirst =
        make(BroadcastOp::create(b, loc, type.clone(b.getI1Type()),
                                 isFirstMicrobatch(unit), ArrayRef<int64_t>()));
    sum = make(SelectOp::create(b, loc, isFirst, op.getInput(), added));
  }
  mark(AssignOp::create(b, loc, variable.getSymName(), sum), unit);
  const bool divides = op.getMean() && microbatches > 1;
  auto whole = ReadOp::create(b, divides ? loc : op.getLoc(), type,
                              variable.getSymName());
  mark(whole, Unit::Update);
  Value result = whole.getValue();
  if (divides) {
    auto mean = MulOp::create(b, op.getLoc(), result,
                              splat(b, loc, type, 1.0 / double(microbatches)));
    mark(mean, Unit::Update);
    result = mean.getResult();
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

LogicalResult Divider::run() {
  if (failed(findMicrobatches()))
    return failure();
  supplyMicrobatch();
  if (failed(findRates()))
    return failure();
  bool updates = false;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    if (rates.lookup(&op) == Rate::Step && !isa<AccumulateOp>(op)) {
      moveToUpdate(&op);
      updates = true;
    }
  int64_t number = 0;
  for (auto op : llvm::make_early_inc_range(body.getOps<AccumulateOp>())) {
    lower(op, number++);
    updates = true;
  }
  if (updates)
    entry->setAttr(kMicrobatchesAttr,
                   Builder(entry).getI64IntegerAttr(microbatches));
  else
    entry->removeAttr(kMicrobatchesAttr);
  return success();
}

} // namespace smp::passes
