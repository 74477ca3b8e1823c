// SPDX-License-Identifier: Apache-2.0
// smp.statistics: records of blocks of elements, each from two walks over the
// block, which then lies in a cache. The first has extremes and sums, the
// second the squared differences from the means.
//
// Elements of 32 bits and less are summed in f32, so many at a time that no
// sum loses more than a few bits, and these sums in f64. Where a block has a
// NaN, an infinity, or elements whose squares overflow or vanish in f32, its
// elements are taken once more, one by one, in f64, and those that are no
// numbers are counted. The order is a matter of the level alone.

#include "Product.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/codegen/Reducer.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Elements whose sums are formed in the elements' compute type.
static constexpr int64_t kRun = 1024;
/// Of elements of which not even the greatest is much larger than 2^-40,
/// squares may vanish in f32.
static constexpr double kLeastSquareSum = 0x1p-80;
/// Vectors side by side, so that additions need not wait for each other.
static constexpr int64_t kChains = 2;

namespace {
using Values = SmallVector<Value>;

class StatisticsEmitter {
public:
  StatisticsEmitter(KernelFunction &kernel, ir::StatisticsOp op)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), element(ir::elementOf(op.getInput())),
        elements(ir::tensorOf(op.getInput()).getNumElements()),
        lanes(kernel.emitter.lanes) {}

  void emit();

private:
  /// What a walk forms of each element: candidates for the least of all, then
  /// summands, the last of which are squared.
  struct Walk {
    unsigned numExtremes, numSums, numSquares;
    std::function<Values(Value x)> map;

    unsigned numStates() const { return numExtremes + numSums; }
    bool isExtreme(unsigned i) const { return i < numExtremes; }
    bool isSquare(unsigned i) const { return i >= numStates() - numSquares; }
  };

  void emitBlock(const Index &block, int64_t length);
  Values walk(const Index &first, int64_t length, const Walk &walk);
  Values walkRun(const Index &first, int64_t length, const Walk &walk,
                 ValueRange extremes);
  Values walkAlone(const Index &first, int64_t length, const Walk &walk);
  Walk firstWalk();
  Walk secondWalk(Value mean, Value absMean, Type type);
  Values measure(const Index &first, int64_t length);
  Values measureAlone(const Index &first, int64_t length);
  Values finish(Values sums, Values spreads, Values counts);
  Value isExact(const Values &record);
  void store(const Index &block, const Values &record);

  Value load(const Index &at) {
    return emitter.load(kernel.inputMemory(0), element, at);
  }
  /// The element itself, whatever it is, in f64.
  Value loadAlone(const Index &at) { return toF64(emitter, load(at)); }
  Value least(Value x, Value y) {
    // A NaN makes sums not finite, which are looked at.
    Value isLess =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
    return arith::SelectOp::create(b, loc, isLess, x, y);
  }
  /// A sum with one more element.
  Value accumulate(const Walk &walk, unsigned i, Value sum, Value x) {
    return walk.isSquare(i) ? emitFma(b, loc, x, x, sum) : add(sum, x);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value absolute(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value negated(Value x) { return arith::NegFOp::create(b, loc, x); }
  /// `number`, of the type or a vector of it, as `like` is.
  Value as(Value number, Value like) {
    return isa<VectorType>(like.getType()) ? emitter.broadcast(number) : number;
  }
  Value f64(double number) { return emitter.constant(b.getF64Type(), number); }
  Value joinLanes(Value vector, function_ref<Value(Value, Value)> join);

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  Type element;
  int64_t elements, lanes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

Value StatisticsEmitter::joinLanes(Value vector,
                                   function_ref<Value(Value, Value)> join) {
  for (int64_t size = lanes / 2; size >= 1; size /= 2) {
    auto half = [&](int64_t offset) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, vector, ArrayRef(offset), ArrayRef(size),
          ArrayRef<int64_t>(1));
    };
    vector = join(half(0), half(size));
  }
  return vector::ExtractOp::create(b, loc, vector, int64_t(0));
}

/// The sums of a run of whole vectors, each as a vector of f64, behind the
/// extremes so far.
Values StatisticsEmitter::walkRun(const Index &first, int64_t length,
                                  const Walk &walk, ValueRange extremes) {
  const int64_t vectors = length / lanes, chains = std::min(vectors, kChains);
  const unsigned perChain = walk.numStates();
  Values states;
  for (int64_t c = 0; c < chains; ++c) {
    llvm::append_range(states, extremes);
    for (unsigned i = 0; i < walk.numSums; ++i)
      states.push_back(emitter.broadcast(emitter.constant(element, 0)));
  }
  const auto take = [&](int64_t chain, const Index &at,
                        MutableArrayRef<Value> all) {
    const Values made = walk.map(load(at));
    for (unsigned i = 0; i < perChain; ++i) {
      Value &state = all[size_t(chain) * perChain + i];
      state = walk.isExtreme(i) ? least(made[i], state)
                                : accumulate(walk, i, state, made[i]);
    }
  };
  const int64_t perTurn = chains * lanes;
  states = emitter.loop(
      0, vectors / chains, 1, states, [&](Index turn, ValueRange carried) {
        Values next(carried);
        for (int64_t c = 0; c < chains; ++c)
          take(c,
               first + turn * perTurn + Index(c * lanes) + emitter.space.lane(),
               next);
        return next;
      });
  for (int64_t v = vectors / chains * chains; v < vectors; ++v)
    take(v % chains, first + Index(v * lanes) + emitter.space.lane(), states);
  Values result(states.begin(), states.begin() + perChain);
  for (int64_t c = 1; c < chains; ++c)
    for (unsigned i = 0; i < perChain; ++i) {
      Value other = states[size_t(c) * perChain + i];
      result[i] =
          walk.isExtreme(i) ? least(other, result[i]) : add(result[i], other);
    }
  for (unsigned i = walk.numExtremes; i < perChain; ++i)
    result[i] = toF64(emitter, result[i]);
  return result;
}

/// Of a block's elements: extremes in their compute type, sums in f64.
Values StatisticsEmitter::walk(const Index &first, int64_t length,
                               const Walk &walk) {
  const double infinity = std::numeric_limits<double>::infinity();
  Values states;
  for (unsigned i = 0; i < walk.numExtremes; ++i)
    states.push_back(emitter.broadcast(emitter.constant(element, infinity)));
  for (unsigned i = 0; i < walk.numSums; ++i)
    states.push_back(emitter.broadcast(f64(0)));
  const auto addRun = [&](const Index &at, int64_t size, ValueRange carried) {
    Values run = walkRun(at, size, walk, carried.take_front(walk.numExtremes));
    for (unsigned i = walk.numExtremes; i < run.size(); ++i)
      run[i] = add(carried[i], run[i]);
    return run;
  };
  const int64_t runs = length / kRun,
                left = (length - runs * kRun) / lanes * lanes;
  states = emitter.loop(0, runs, 1, states, [&](Index run, ValueRange carried) {
    return addRun(first + run * kRun, kRun, carried);
  });
  if (left > 0)
    states = addRun(first + Index(runs * kRun), left, states);
  Values joined;
  for (unsigned i = 0; i < states.size(); ++i)
    joined.push_back(joinLanes(states[i], [&](Value x, Value y) {
      return walk.isExtreme(i) ? least(x, y) : add(x, y);
    }));
  return emitter.loop(
      runs * kRun + left, length, 1, joined, [&](Index i, ValueRange carried) {
        Values made = walk.map(load(first + i));
        for (unsigned k = 0; k < made.size(); ++k)
          made[k] = walk.isExtreme(k) ? least(made[k], carried[k])
                                      : accumulate(walk, k, carried[k],
                                                   toF64(emitter, made[k]));
        return made;
      });
}

/// The same one by one, in f64, where a NaN is the least.
Values StatisticsEmitter::walkAlone(const Index &first, int64_t length,
                                    const Walk &walk) {
  const double infinity = std::numeric_limits<double>::infinity();
  Values states;
  for (unsigned i = 0; i < walk.numStates(); ++i)
    states.push_back(f64(walk.isExtreme(i) ? infinity : 0));
  return emitter.loop(0, length, 1, states, [&](Index i, ValueRange carried) {
    Values made = walk.map(loadAlone(first + i));
    for (unsigned k = 0; k < made.size(); ++k)
      made[k] = walk.isExtreme(k) ? emitMinimum(b, loc, carried[k], made[k])
                                  : accumulate(walk, k, carried[k], made[k]);
    return made;
  });
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// The least x, -x and |x|; the sums of x, |x| and x * x.
StatisticsEmitter::Walk StatisticsEmitter::firstWalk() {
  return {3, 3, 1, [this](Value x) -> Values {
            Value size = absolute(x);
            return {x, negated(x), size, x, size, x};
          }};
}

/// The sums of the squares of x - mean and |x| - absMean.
StatisticsEmitter::Walk StatisticsEmitter::secondWalk(Value mean, Value absMean,
                                                      Type type) {
  return {0, 2, 2, [=, this](Value x) -> Values {
            auto number = [&](Value value) {
              return as(fromF64(emitter, value, type), x);
            };
            return {sub(x, number(mean)), sub(absolute(x), number(absMean))};
          }};
}

/// A record in the order of Statistic; `sums` is of firstWalk().
Values StatisticsEmitter::finish(Values sums, Values spreads, Values counts) {
  return {toF64(emitter, sums[0]),
          negated(toF64(emitter, sums[1])),
          toF64(emitter, sums[2]),
          sums[3],
          sums[4],
          sums[5],
          spreads[0],
          spreads[1],
          counts[0],
          counts[1]};
}

Values StatisticsEmitter::measure(const Index &first, int64_t length) {
  const Values sums = walk(first, length, firstWalk());
  Value scale = f64(1.0 / double(length));
  Value mean = mul(sums[3], scale), absMean = mul(sums[4], scale);
  Type type = computeType(element);
  Values spreads = walk(first, length, secondWalk(mean, absMean, type));
  // The means were rounded before they were subtracted.
  Value count = f64(double(length));
  for (auto [spread, exact] :
       llvm::zip_equal(spreads, ArrayRef<Value>{mean, absMean})) {
    Value rounded = toF64(emitter, fromF64(emitter, exact, type));
    Value off = sub(exact, rounded);
    spread = sub(spread, mul(count, mul(off, off)));
  }
  return finish(sums, spreads, {f64(0), f64(0)});
}

Values StatisticsEmitter::measureAlone(const Index &first, int64_t length) {
  const Values sums = walkAlone(first, length, firstWalk());
  Value scale = f64(1.0 / double(length));
  Value mean = mul(sums[3], scale), absMean = mul(sums[4], scale);
  const Values spreads =
      walkAlone(first, length, secondWalk(mean, absMean, b.getF64Type()));
  const Walk counting{
      0, 2, 0, [this](Value x) -> Values {
        auto number = [&](arith::CmpFPredicate predicate, Value one,
                          Value other) {
          Value is = arith::CmpFOp::create(b, loc, predicate, one, other);
          return Value(arith::SelectOp::create(b, loc, is, f64(1), f64(0)));
        };
        Value infinity = f64(std::numeric_limits<double>::infinity());
        return {number(arith::CmpFPredicate::UNO, x, x),
                number(arith::CmpFPredicate::OEQ, absolute(x), infinity)};
      }};
  return finish(sums, spreads, walkAlone(first, length, counting));
}

void StatisticsEmitter::store(const Index &block, const Values &record) {
  for (auto [i, value] : llvm::enumerate(record))
    emitter.store(value, kernel.resultMemory(0), b.getF64Type(),
                  block * int64_t(kNumStatistics) + Index(int64_t(i)));
}

void StatisticsEmitter::emitBlock(const Index &block, int64_t length) {
  const Index first = block * kStatisticsBlock;
  const Values record = measure(first, length);
  emitter.branch(
      isExact(record), [&] { store(block, record); },
      [&] { store(block, measureAlone(first, length)); });
}

/// Whether no sum of a record has overflowed, and no square vanished that
/// counts. The sum of squares is the first to do so.
Value StatisticsEmitter::isExact(const Values &record) {
  const auto is = [&](arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y).getResult();
  };
  Value squares = record[size_t(Statistic::SquareSum)];
  Value difference = sub(squares, squares);
  Value isFinite = is(arith::CmpFPredicate::ORD, difference, difference);
  Value isLarge = is(arith::CmpFPredicate::OGE, squares, f64(kLeastSquareSum));
  Value isZero =
      is(arith::CmpFPredicate::OEQ, record[size_t(Statistic::AbsSum)], f64(0));
  return arith::AndIOp::create(b, loc, isFinite,
                               arith::OrIOp::create(b, loc, isLarge, isZero));
}

void StatisticsEmitter::emit() {
  const int64_t blocks = numStatisticsBlocks(elements),
                left = elements % kStatisticsBlock, whole = blocks - (left > 0);
  const Index block = kernel.tile(0, blocks);
  if (whole == 0 || left == 0)
    return emitBlock(block, whole ? kStatisticsBlock : left);
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        emitter.space.emit(b, loc, block),
                                        emitter.indexConstant(whole));
  emitter.branch(
      isWhole, [&] { emitBlock(block, kStatisticsBlock); },
      [&] { emitBlock(Index(whole), left); });
}

LaunchShape emitStatisticsKernel(ModuleOp module, ir::GroupOp group,
                                 StringRef symbol, const Level &level) {
  auto op = *group.getBody().getOps<ir::StatisticsOp>().begin();
  const int64_t bits = ir::elementOf(op.getInput()).isF64() ? 64 : 32;
  KernelFunction kernel(module, group, symbol, level,
                        level.vectorBytes * 8 / bits);
  StatisticsEmitter(kernel, op).emit();
  return kernel.launch;
}

} // namespace smp::codegen::cpu
