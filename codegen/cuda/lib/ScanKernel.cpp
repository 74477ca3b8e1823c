// SPDX-License-Identifier: Apache-2.0
// Strategy "scan": lines along an axis. Lines side by side take a thread each.
// A line that runs along memory is a warp's, which joins what its threads have;
// where the op fixes the order of additions, a thread takes it, and its block
// carries the elements to and from shared memory.

#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/Sequences.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;
using llvm::divideCeil;

/// Shorter lines are a thread's, whichever way they run.
static constexpr int64_t kShortLine = 16;
/// A block where a warp takes a line, or several threads carry elements.
static constexpr int64_t kThreads = 128;
/// Lines of such a block, and elements of them all in shared memory.
static constexpr int64_t kLines = 32, kStaged = 2048;
/// Elements that a thread reads from there before it adds them.
static constexpr int64_t kAhead = 8;

namespace {
class ScanEmitter {
public:
  explicit ScanEmitter(KernelFunction &kernel)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location),
        scan(*kernel.group.getBody().getOps<ir::ScanOp>().begin()),
        steps(emitter, scan), type(tensorOf(scan.getInput())),
        size(type.getDimSize(scan.getAxis())), lines(countLines(scan)) {}
  void emit();

private:
  void emitWarps();
  SmallVector<Value> joinWarp(Value mine, const Index &lane);
  void emitTiles();
  void readTile(const Index &first);
  Value scanTile(Value carried);
  void writeTile(const Index &first);
  /// Element `number` of a line, in the order of the scan.
  Position positionOf(const Index &line, const Index &number);
  Value least(const Index &index, int64_t most) {
    return arith::MinUIOp::create(b, loc, emitter.space.emit(b, loc, index),
                                  emitter.indexConstant(most));
  }
  Index bounded(const Index &index, int64_t most) {
    return emitter.space.range(index).second <= most
               ? index
               : emitter.space.add(least(index, most), 0, most);
  }

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  ir::ScanOp scan;
  const ScanSteps steps;
  RankedTensorType type;
  const int64_t size, lines;
  int64_t linesAtOnce = 0, width = 0, pitch = 0; ///< Of what is in `staged`.
  Index thread, firstLine;
  Value staged;
};
} // namespace

Position ScanEmitter::positionOf(const Index &line, const Index &number) {
  ArrayRef<int64_t> shape = type.getShape();
  const auto axis = size_t(scan.getAxis());
  SmallVector<int64_t> others(shape);
  others.erase(others.begin() + axis);
  Position at = emitter.split(line, others);
  at.insert(at.begin() + axis,
            scan.getReverse() ? number * -1 + Index(size - 1) : number);
  return at;
}

//===----------------------------------------------------------------------===//
// A line by a warp
//===----------------------------------------------------------------------===//

/// What the threads of a warp before this one have, combined, and what all of
/// them have.
SmallVector<Value> ScanEmitter::joinWarp(Value mine, const Index &lane) {
  Value before = steps.start(), all = mine;
  Value number = emitter.space.emit(b, loc, lane);
  for (int64_t mask = 1; mask < kWarpThreads; mask *= 2) {
    Value other = kernel.exchange(all, mask);
    Value isUpper = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, loc, number, emitter.indexConstant(mask)),
        emitter.indexConstant(0));
    before = arith::SelectOp::create(b, loc, isUpper,
                                     steps.combine(other, before), before);
    all = steps.combine(all, other);
  }
  return {before, all};
}

void ScanEmitter::emitWarps() {
  const int64_t perBlock = kThreads / kWarpThreads;
  Index warp, lane;
  emitter.space.divide(b, loc, kernel.thread(kThreads), kWarpThreads, warp,
                       lane);
  const Index block = kernel.block(0, int64_t(divideCeil(lines, perBlock)));
  kernel.where(block * perBlock + warp, lines, [&](const Index &line) {
    emitter.loop(0, int64_t(divideCeil(size, kWarpThreads)), 1, steps.start(),
                 [&](Index turn, ValueRange carried) -> SmallVector<Value> {
                   const Index number = turn * kWarpThreads + lane;
                   // Beyond the end the last one is read again, and leads
                   // nowhere.
                   Value mine = emitter.element(
                       scan.getInput(),
                       positionOf(line, bounded(number, size - 1)));
                   SmallVector<Value> joined = joinWarp(mine, lane);
                   Value before = steps.combine(carried[0], joined[0]);
                   Value shown = steps.step(before, mine).second;
                   kernel.where(number, size, [&](const Index &at) {
                     kernel.storeResult(0, shown, positionOf(line, at));
                   });
                   return {steps.combine(carried[0], joined[1])};
                 });
  });
}

//===----------------------------------------------------------------------===//
// A line by a thread
//===----------------------------------------------------------------------===//

/// All elements are read before one is written.
void ScanEmitter::readTile(const Index &first) {
  SmallVector<std::pair<Value, Index>> read;
  for (int64_t i = 0; i < linesAtOnce * width; i += kThreads) {
    Index line, column;
    emitter.space.divide(b, loc, thread + Index(i), width, line, column);
    Value value = emitter.element(
        scan.getInput(), positionOf(bounded(firstLine + line, lines - 1),
                                    bounded(first + column, size - 1)));
    read.push_back({value, line * pitch + column});
  }
  for (auto &[value, at] : read)
    emitter.store(value, staged, type.getElementType(), at);
}

/// This thread's line; results take the places of elements.
Value ScanEmitter::scanTile(Value carried) {
  const int64_t ahead = std::min(kAhead, width);
  return emitter.loop(0, width / ahead, 1, carried,
                      [&](Index turn, ValueRange sums) -> SmallVector<Value> {
                        const Index first = thread * pitch + turn * ahead;
                        SmallVector<Value> values;
                        for (int64_t i = 0; i < ahead; ++i)
                          values.push_back(emitter.load(
                              staged, type.getElementType(), first + Index(i)));
                        Value sum = sums[0];
                        for (auto [i, value] : llvm::enumerate(values)) {
                          auto [next, shown] = steps.step(sum, value);
                          emitter.store(shown, staged, type.getElementType(),
                                        first + Index(int64_t(i)));
                          sum = next;
                        }
                        return {sum};
                      })[0];
}

void ScanEmitter::writeTile(const Index &first) {
  for (int64_t i = 0; i < linesAtOnce * width; i += kThreads) {
    Index line, column;
    emitter.space.divide(b, loc, thread + Index(i), width, line, column);
    kernel.where(firstLine + line, lines, [&](const Index &at) {
      kernel.where(first + column, size, [&](const Index &number) {
        Value value =
            emitter.load(staged, type.getElementType(), line * pitch + column);
        kernel.storeResult(0, value, positionOf(at, number));
      });
    });
  }
}

void ScanEmitter::emitTiles() {
  linesAtOnce = std::min(kLines, int64_t(llvm::PowerOf2Ceil(uint64_t(lines))));
  width = std::clamp(int64_t(llvm::PowerOf2Ceil(uint64_t(size))),
                     kThreads / linesAtOnce, kStaged / linesAtOnce);
  // Threads that read a column each meet different banks.
  pitch = width + 1;
  thread = kernel.thread(kThreads);
  firstLine =
      kernel.block(0, int64_t(divideCeil(lines, linesAtOnce))) * linesAtOnce;
  staged =
      kernel.shared(storageType(type.getElementType()), linesAtOnce * pitch);
  Value isScanning = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           emitter.space.emit(b, loc, thread),
                                           emitter.indexConstant(linesAtOnce));
  emitter.loop(
      0, int64_t(divideCeil(size, width)), 1, steps.start(),
      [&](Index tile, ValueRange carried) {
        const Index first = tile * width;
        readTile(first);
        kernel.barrier();
        SmallVector<Value> next = emitter.branch(
            isScanning, carried.getTypes(),
            [&]() -> SmallVector<Value> { return {scanTile(carried[0])}; },
            [&] { return llvm::to_vector<6>(carried); });
        kernel.barrier();
        writeTile(first);
        kernel.barrier();
        return next;
      });
}

void ScanEmitter::emit() {
  const bool runsAlongMemory =
      llvm::all_of(type.getShape().drop_front(size_t(scan.getAxis()) + 1),
                   [](int64_t extent) { return extent == 1; });
  if (runsAlongMemory && size >= kShortLine)
    return steps.isOrdered() ? emitTiles() : emitWarps();
  kernel.forEach(lines, [&](const Index &line) {
    emitScanLine(emitter, scan, line, [&](Value value, const Position &at) {
      kernel.storeResult(0, value, at);
    });
  });
}

void emitScanKernel(KernelFunction &kernel) { ScanEmitter(kernel).emit(); }

} // namespace smp::codegen::cuda
