// SPDX-License-Identifier: Apache-2.0
#include "AbiFunctions.h"
#include "mlir/IR/Builders.h"
#include "smp/codegen/cpu/KernelFunction.h"

using namespace mlir;

namespace smp::codegen::cpu {

namespace {

/// smp_kernel_function: its arguments, as they are read from smp_kernel_args.
class AbiFunction {
public:
  AbiFunction(OpBuilder &b, Location loc, StringRef symbol)
      : b(b), loc(loc), pointer(LLVM::LLVMPointerType::get(b.getContext())),
        i64(b.getI64Type()) {
    const Type i32 = b.getI32Type();
    function = LLVM::LLVMFuncOp::create(
        b, loc, symbol,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    {pointer, i32, i32, i32}));
    entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
  }

  /// Number `index` of pointers that lie one behind the other.
  Value pointerAt(Value base, LLVM::GEPArg index) {
    return load(pointer, pointer, base, {index});
  }
  Value load(Type type, Type element, Value base,
             ArrayRef<LLVM::GEPArg> indices) {
    Value at = LLVM::GEPOp::create(b, loc, pointer, element, base, indices);
    return LLVM::LoadOp::create(b, loc, type, at);
  }

  Value buffers() { return pointerAt(entry->getArgument(0), 0); }
  Value scratch() { return pointerAt(entry->getArgument(0), 1); }
  Value fault() { return pointerAt(entry->getArgument(0), 2); }
  Value tile(unsigned dim) {
    return LLVM::ZExtOp::create(b, loc, i64, entry->getArgument(1 + dim));
  }

  void callAndReturn(LLVM::LLVMFuncOp callee, ValueRange operands) {
    LLVM::CallOp::create(b, loc, callee, operands);
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }

  OpBuilder &b;
  const Location loc;
  const Type pointer, i64;
  LLVM::LLVMFuncOp function;
  Block *entry;
};

/// The rows of kSourcesAttr, in memory.
class SourceTable {
public:
  SourceTable(OpBuilder &b, LLVM::LLVMFuncOp kernel)
      : sources(kernel->getAttrOfType<DenseIntElementsAttr>(kSourcesAttr)),
        row(LLVM::LLVMArrayType::get(b.getI64Type(), kSourceColumns)) {
    global = LLVM::GlobalOp::create(
        b, kernel.getLoc(), LLVM::LLVMArrayType::get(row, unsigned(size())),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        (kernel.getSymName() + ".sources").str(), sources);
  }

  int64_t size() const { return sources.getType().getShape().front(); }

  Value get(AbiFunction &in, Value number, SourceColumn column) {
    Value base = LLVM::AddressOfOp::create(in.b, in.loc, global);
    return in.load(in.i64, row, base, {number, int32_t(column)});
  }

private:
  DenseIntElementsAttr sources;
  const Type row;
  LLVM::GlobalOp global;
};

} // namespace

void addAbiFunction(LLVM::LLVMFuncOp kernel, int64_t numBuffers) {
  const std::string symbol = kernel.getSymName().str();
  kernel.setSymName(symbol + ".body");
  kernel.setLinkage(LLVM::Linkage::Internal);
  OpBuilder b(kernel);
  AbiFunction abi(b, kernel.getLoc(), symbol);
  SmallVector<Value> operands;
  Value buffers = abi.buffers();
  for (int64_t i = 0; i < numBuffers; ++i)
    operands.push_back(abi.pointerAt(buffers, int32_t(i)));
  operands.append({abi.scratch(), abi.fault()});
  for (unsigned dim = 0; dim < 3; ++dim)
    operands.push_back(abi.tile(dim));
  abi.callAndReturn(kernel, operands);
}

/// The number of the last source whose first tile is not behind the tile.
static Value findSource(AbiFunction &abi, SourceTable &table, Value tile) {
  OpBuilder &b = abi.b;
  const Location loc = abi.loc;
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, abi.i64, value);
  };
  auto compare = [&](LLVM::ICmpPredicate predicate, Value one,
                     Value other) -> Value {
    return LLVM::ICmpOp::create(b, loc, predicate, one, other);
  };
  Block *search = abi.function.addBlock(), *halve = abi.function.addBlock(),
        *found = abi.function.addBlock();
  Value low = search->addArgument(abi.i64, loc),
        high = search->addArgument(abi.i64, loc);
  Value one = constant(1);
  LLVM::BrOp::create(b, loc, ValueRange{constant(0), constant(table.size())},
                     search);

  b.setInsertionPointToStart(search);
  Value left = LLVM::SubOp::create(b, loc, high, low);
  LLVM::CondBrOp::create(b, loc, compare(LLVM::ICmpPredicate::ugt, left, one),
                         halve, found);

  b.setInsertionPointToStart(halve);
  Value middle =
      LLVM::AddOp::create(b, loc, low, LLVM::LShrOp::create(b, loc, left, one));
  Value isBelow = compare(LLVM::ICmpPredicate::ult, tile,
                          table.get(abi, middle, SourceColumn::FirstTile));
  LLVM::BrOp::create(
      b, loc,
      ValueRange{LLVM::SelectOp::create(b, loc, isBelow, low, middle),
                 LLVM::SelectOp::create(b, loc, isBelow, middle, high)},
      search);

  b.setInsertionPointToStart(found);
  return low;
}

void addSearchFunction(LLVM::LLVMFuncOp kernel) {
  OpBuilder b(kernel);
  SourceTable table(b, kernel);
  auto body = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
      kernel, kernel->getAttrOfType<FlatSymbolRefAttr>(kBodyAttr));
  AbiFunction abi(b, kernel.getLoc(), kernel.getSymName());
  Value buffers = abi.buffers(), tile = abi.tile(0);
  Value source = findSource(abi, table, tile);
  auto get = [&](SourceColumn column) {
    return table.get(abi, source, column);
  };
  abi.callAndReturn(body, {abi.pointerAt(buffers, get(SourceColumn::Input)),
                           abi.pointerAt(buffers, get(SourceColumn::Output)),
                           LLVM::SubOp::create(b, abi.loc, tile,
                                               get(SourceColumn::FirstTile)),
                           get(SourceColumn::Elements)});
  kernel.erase();
}

} // namespace smp::codegen::cpu
