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

static void fillFunction(func::FuncOp function, Type element, int64_t lanes) {
  Block *body = function.addEntryBlock();
  OpBuilder b = OpBuilder::atBlockBegin(body);
  const Location loc = function.getLoc();
  b.setInsertionPoint(func::ReturnOp::create(b, loc));
  ElementEmitter emitter(b, loc, lanes);
  const Index block = emitter.space.add(body->getArgument(2), 0,
                                        kExtent / kStatisticsBlock - 1),
              first = block * kStatisticsBlock;
  Value left = arith::SubIOp::create(b, loc, body->getArgument(3),
                                     emitter.space.emit(b, loc, first));
  Value length = arith::MinUIOp::create(
      b, loc, left, emitter.indexConstant(kStatisticsBlock));
  const Index ahead = emitter.space.add(
      nextBlock(emitter, body->getArgument(3)), 0, kStatisticsBlock);
  const auto record =
      emitStatisticsRecord(emitter, {body->getArgument(0), element, first,
                                     length, kStatisticsBlock, ahead});
  for (auto [i, value] : llvm::enumerate(record))
    emitter.store(value, body->getArgument(1), b.getF64Type(),
                  block * int64_t(kNumStatistics) + Index(int64_t(i)));
}

func::FuncOp statisticsFunction(ModuleOp module, Location loc, Type element,
                                const Level &level) {
  std::string symbol;
  llvm::raw_string_ostream(symbol) << "statistics." << element;
  if (auto made = module.lookupSymbol<func::FuncOp>(symbol))
    return made;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  const Type index = b.getIndexType();
  auto function = func::FuncOp::create(
      b, loc, symbol,
      b.getFunctionType(
          {memoryOf(element), memoryOf(b.getF64Type()), index, index}, {}));
  function.setPrivate();
  // Of two registers each, so that no operation waits for the one before it.
  fillFunction(function, element,
               2 * level.vectorBytes * 8 / (element.isF64() ? 64 : 32));
  return function;
}

void emitStatisticsOfBlock(ElementEmitter &emitter, func::FuncOp function,
                           Value memory, Value records, const Index &block,
                           int64_t elements) {
  OpBuilder &b = emitter.builder;
  const Location loc = emitter.location;
  auto asArgument = [&](Value buffer, unsigned number) -> Value {
    return memref::ReinterpretCastOp::create(
        b, loc, cast<MemRefType>(function.getArgumentTypes()[number]), buffer,
        /*offset=*/0, ArrayRef(kExtent), ArrayRef<int64_t>(1));
  };
  func::CallOp::create(b, loc, function,
                       ValueRange{asArgument(memory, 0), asArgument(records, 1),
                                  emitter.space.emit(b, loc, block),
                                  emitter.indexConstant(elements)});
}

} // namespace smp::codegen::cpu
