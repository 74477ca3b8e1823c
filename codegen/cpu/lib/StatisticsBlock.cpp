// SPDX-License-Identifier: Apache-2.0
#include "StatisticsBlock.h"
#include "StatisticsRecord.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// More elements than any value has: the function is told how many there are.
static constexpr int64_t kExtent = int64_t(1) << 40;

static MemRefType memoryOf(Type element) {
  return MemRefType::get({kExtent}, storageType(element));
}

/// How far the block is that this thread works on next, of so many elements.
/// Where there are few blocks, another thread does.
static Value nextBlock(ElementEmitter &emitter, Value elements) {
  constexpr int64_t kFew = 16;
  OpBuilder &b = emitter.builder;
  const Location loc = emitter.location;
  Value areMany =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, elements,
                            emitter.indexConstant(kFew * kStatisticsBlock));
  return arith::SelectOp::create(b, loc, areMany,
                                 emitter.indexConstant(kStatisticsBlock),
                                 emitter.indexConstant(0));
}

namespace {
/// What a function does with a block of elements of a type.
class BlockFunction {
public:
  BlockFunction(func::FuncOp function, Type element, const Level &level)
      : function(function), body(function.addEntryBlock()),
        b(OpBuilder::atBlockBegin(body)), element(element),
        emitter(b, loc(), level.lanes(computeType(element))) {
    b.setInsertionPoint(func::ReturnOp::create(b, loc()));
  }

  void takeRecord() { store(emitStatisticsRecord(emitter, block())); }
  /// Where states do not tell all, the function does that takes the record.
  void finishRecord(func::FuncOp takes) {
    const auto [record, isGood] =
        emitRecordOfStates(emitter, block(), body->getArgument(5));
    emitter.branch(
        isGood, [&, &made = record] { store(made); },
        [&] {
          func::CallOp::create(b, loc(), takes,
                               body->getArguments().drop_back());
        });
  }

private:
  Location loc() { return function.getLoc(); }
  ElementBlock block() {
    Value all = body->getArgument(3);
    Value left = arith::SubIOp::create(
        b, loc(), all, emitter.space.emit(b, loc(), number * kStatisticsBlock));
    Value length = arith::MinUIOp::create(
        b, loc(), left, emitter.indexConstant(kStatisticsBlock));
    const Index first = emitter.space.add(body->getArgument(4), 0, kExtent);
    return {body->getArgument(0), element, first, length,
            emitter.space.add(nextBlock(emitter, all), 0, kStatisticsBlock)};
  }
  void store(ValueRange record) {
    for (auto [i, value] : llvm::enumerate(record))
      emitter.store(value, body->getArgument(1), b.getF64Type(),
                    number * int64_t(kNumStatistics) + Index(int64_t(i)));
  }

  func::FuncOp function;
  Block *body;
  OpBuilder b;
  Type element;
  ElementEmitter emitter;
  const Index number = emitter.space.add(body->getArgument(2), 0,
                                         kExtent / kStatisticsBlock - 1);
};
} // namespace

/// The function of that name, which takes `types` and is filled once.
static func::FuncOp functionFor(ModuleOp module, Location loc, StringRef name,
                                Type element, TypeRange types,
                                function_ref<void(func::FuncOp)> fill) {
  std::string symbol;
  llvm::raw_string_ostream(symbol) << name << "." << element;
  if (auto made = module.lookupSymbol<func::FuncOp>(symbol))
    return made;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto function =
      func::FuncOp::create(b, loc, symbol, b.getFunctionType(types, {}));
  function.setPrivate();
  fill(function);
  return function;
}

static SmallVector<Type> argumentsFor(Type element) {
  Builder b(element.getContext());
  SmallVector<Type> types{memoryOf(element), memoryOf(b.getF64Type())};
  types.append(3, b.getIndexType());
  return types;
}

func::FuncOp statisticsFunction(ModuleOp module, Location loc, Type element,
                                const Level &level) {
  return functionFor(module, loc, "statistics", element, argumentsFor(element),
                     [&](func::FuncOp function) {
                       BlockFunction(function, element, level).takeRecord();
                     });
}

/// The same for a block whose vectors have been walked, with their states.
static func::FuncOp walkedFunction(ModuleOp module, Location loc, Type element,
                                   const Level &level) {
  func::FuncOp takes = statisticsFunction(module, loc, element, level);
  SmallVector<Type> types = argumentsFor(element);
  types.push_back(types[1]);
  return functionFor(
      module, loc, "walked_statistics", element, types,
      [&](func::FuncOp function) {
        BlockFunction(function, element, level).finishRecord(takes);
      });
}

void emitStatisticsOfBlock(ElementEmitter &emitter, ModuleOp module,
                           const Level &level, const WatchedMemory &of,
                           const Index &block, const Index &first,
                           Value states) {
  OpBuilder &b = emitter.builder;
  const Location loc = emitter.location;
  func::FuncOp function = (states ? walkedFunction : statisticsFunction)(
      module, loc, of.element, level);
  SmallVector<Value> arguments{
      of.memory, of.records, emitter.space.emit(b, loc, block),
      emitter.indexConstant(of.elements), emitter.space.emit(b, loc, first)};
  if (states)
    arguments.push_back(states);
  for (auto [argument, type] :
       llvm::zip_equal(arguments, function.getArgumentTypes()))
    if (auto memory = dyn_cast<MemRefType>(type))
      argument = memref::ReinterpretCastOp::create(
          b, loc, memory, argument, /*offset=*/0, ArrayRef(kExtent),
          ArrayRef<int64_t>(1));
  func::CallOp::create(b, loc, function, arguments);
}

} // namespace smp::codegen::cpu
