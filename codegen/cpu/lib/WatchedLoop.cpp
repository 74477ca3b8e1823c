// SPDX-License-Identifier: Apache-2.0
// Statistics are taken from registers, in the order in which a walk over memory
// takes them, so that the bits are the same: a loop is a matter of memory, and
// arithmetic costs little beside it. Where these do not tell all, a block is
// walked again. As what is read may be written in place, that of the block is
// kept for it.

#include "WatchedLoop.h"
#include "StatisticsBlock.h"
#include "StatisticsRecord.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/ir/Strategy.h"
#include "smp/ir/Tensors.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;

namespace smp::codegen::cpu {

namespace {
class WatchedLoop {
public:
  WatchedLoop(ModuleOp module, ir::GroupOp group, StringRef symbol,
              const Level &level)
      : module(module),
        kernel(module, group, symbol, level,
               level.vectorBytes * 8 / widestElementBits(group, 32)),
        shape(ir::tensorOf(group->getResult(0)).getShape()),
        elements(ir::tensorOf(group->getResult(0)).getNumElements()),
        numMade(ir::numElementResults(group)) {}

  LaunchShape emit();

private:
  /// What statistics are taken of: an input or a result.
  struct Watched {
    Value value;
    unsigned made; ///< Which result, if it is one.
    WatchedMemory all;
    Value kept; ///< Of an input the elements of the block.
  };
  SmallVector<Watched> watchedValues();
  bool isWalked(const WatchedMemory &memory);
  void walk(SmallVector<Watched> walked);
  void finish(const Watched &watched, ValueRange states);
  void takeFromMemory(const Watched &watched) {
    emitStatisticsOfBlock(emitter, module, kernel.level, watched.all, block,
                          first);
  }
  SmallVector<Value> makeAt(const Index &at, ArrayRef<Watched> walked);
  Value valueAt(Value tensor, const Position &place);

  ModuleOp module;
  KernelFunction kernel;
  ElementEmitter &emitter = kernel.emitter;
  const ArrayRef<int64_t> shape; ///< Of all element results.
  const int64_t elements;
  const unsigned numMade;
  const Index block = kernel.tile(0, numStatisticsBlocks(elements)),
              first = block * kStatisticsBlock;
};
} // namespace

LaunchShape WatchedLoop::emit() {
  SmallVector<Watched> walked, made;
  for (const Watched &watched : watchedValues())
    if (isWalked(watched.all))
      walked.push_back(watched);
    else if (isa<BlockArgument>(watched.value))
      takeFromMemory(watched);
    else
      made.push_back(watched);
  walk(walked);
  for (const Watched &watched : made)
    takeFromMemory(watched);
  return kernel.launch;
}

SmallVector<WatchedLoop::Watched> WatchedLoop::watchedValues() {
  OperandRange given =
      kernel.group.getBody().front().getTerminator()->getOperands();
  SmallVector<Watched> all;
  for (auto [i, result] : llvm::enumerate(given)) {
    auto statistics = result.getDefiningOp<ir::StatisticsOp>();
    if (!statistics)
      continue;
    Value of = statistics.getInput();
    auto argument = dyn_cast<BlockArgument>(of);
    const auto made = unsigned(llvm::find(given, of) - given.begin());
    all.push_back(
        {of,
         made,
         {argument ? kernel.inputMemory(argument.getArgNumber())
                   : kernel.resultMemory(made),
          ir::elementOf(of), elements, kernel.resultMemory(unsigned(i))},
         Value()});
  }
  return all;
}

/// Whether elements are at hand as they lie in memory, in vectors as statistics
/// take them.
bool WatchedLoop::isWalked(const WatchedMemory &memory) {
  return computeType(memory.element) == memory.element &&
         kernel.level.lanes(memory.element) == emitter.lanes;
}

/// Makes the results of the block, with the statistics of some.
void WatchedLoop::walk(SmallVector<Watched> walked) {
  OpBuilder &b = kernel.builder;
  const Location loc = emitter.location;
  Value left = emitter.space.emit(b, loc, first * -1 + Index(elements));
  Value length = arith::MinUIOp::create(
      b, loc, left, emitter.indexConstant(kStatisticsBlock));
  StatisticsWalk::Plan plan;
  for (Watched &watched : walked) {
    plan.folds.append(firstFolds());
    plan.type = watched.all.element;
    if (isa<BlockArgument>(watched.value))
      watched.kept = kernel.scratch(plan.type, kStatisticsBlock);
  }
  plan.take = [&](const Index &at) {
    SmallVector<Value> terms;
    for (Value x : makeAt(at, walked))
      terms.append(firstTerms(emitter, x));
    return terms;
  };
  StatisticsWalk walk(emitter, length, std::move(plan));
  const SmallVector<Value> states = walk.emitVectors();
  if (elements % emitter.lanes != 0)
    emitter.loop(walk.firstLeft(), length, 0, kStatisticsBlock, ValueRange(),
                 [&](Index at, ValueRange) {
                   makeAt(at, walked);
                   return SmallVector<Value>();
                 });
  const size_t each = firstFolds().size();
  for (auto [i, watched] : llvm::enumerate(walked))
    finish(watched, ArrayRef(states).slice(i * each, each));
}

void WatchedLoop::finish(const Watched &watched, ValueRange states) {
  Value memory = kernel.scratch(kernel.builder.getF64Type(),
                                int64_t(states.size()) * emitter.lanes);
  storeStates(emitter, states, memory);
  WatchedMemory of = watched.all;
  if (watched.kept)
    of.memory = watched.kept;
  emitStatisticsOfBlock(emitter, module, kernel.level, of, block,
                        watched.kept ? Index(0) : first, memory);
}

Value WatchedLoop::valueAt(Value tensor, const Position &place) {
  return ElementEmitter::hasLane(place) ? emitter.vectorElement(tensor, place)
                                        : emitter.element(tensor, place);
}

/// Of the block's elements at `at`, or the vector there, the values that are
/// walked. All results are computed before one is stored: memory likes runs.
SmallVector<Value> WatchedLoop::makeAt(const Index &at,
                                       ArrayRef<Watched> walked) {
  ElementEmitter::Scope scope(emitter);
  const Position place = emitter.split(first + at, shape);
  SmallVector<Value> made, taken;
  for (unsigned i = 0; i < numMade; ++i)
    made.push_back(valueAt(kernel.result(i), place));
  for (const Watched &watched : walked) {
    taken.push_back(watched.kept ? valueAt(watched.value, place)
                                 : made[watched.made]);
    if (watched.kept)
      emitter.store(taken.back(), watched.kept, watched.all.element, at);
  }
  for (auto [i, value] : llvm::enumerate(made))
    kernel.storeResult(unsigned(i), value, place);
  return taken;
}

LaunchShape emitWatchedLoopKernel(ModuleOp module, ir::GroupOp group,
                                  StringRef symbol, const Level &level) {
  return WatchedLoop(module, group, symbol, level).emit();
}

} // namespace smp::codegen::cpu
