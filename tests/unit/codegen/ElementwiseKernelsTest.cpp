// SPDX-License-Identifier: Apache-2.0
// Kernels of elementwise ops: every op and element type, at sizes that take
// whole turns, single vectors and single elements.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

static constexpr DType kFloats[] = {DType::F32, DType::F64, DType::BF16,
                                    DType::F16};
static constexpr DType kIntegers[] = {DType::I64, DType::I32, DType::I16,
                                      DType::I8,  DType::U64, DType::U32,
                                      DType::U16, DType::U8};

template <typename Op>
static Build unary() {
  return [](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
    return {o.make<Op>(v[0])};
  };
}

template <typename Op>
static Build binary() {
  return [](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
    return {o.make<Op>(v[0], v[1])};
  };
}

/// Units that a function of the math library may be wrong by; rounding to 16
/// bits hides them but for ties.
static Bound mathBound(DType type) {
  return {type == DType::F64 ? 3.0 : type == DType::F32 ? 2.0 : 1.0, 1e-44};
}

TEST(ElementwiseKernels, FunctionsOfOneFloat) {
  KernelSuite suite;
  for (DType type : kFloats) {
    std::vector<Operand> special{{{type, {1, 83}}, Fill::Special}};
    auto add = [&](std::string name, Bound bound, Build build) {
      suite.add(nameOf(name, type), special, bound, std::move(build));
    };
    Bound math = mathBound(type), exact;
    add("exp", math, unary<ir::ExpOp>());
    add("log", math, unary<ir::LogOp>());
    add("log1p", math, unary<ir::Log1pOp>());
    add("expm1", math, unary<ir::Expm1Op>());
    add("sqrt", exact, unary<ir::SqrtOp>());
    add("rsqrt", {1.5, 0}, unary<ir::RsqrtOp>());
    add("tanh", math, unary<ir::TanhOp>());
    add("erf", math, unary<ir::ErfOp>());
    add("asin", math, unary<ir::AsinOp>());
    add("acos", math, unary<ir::AcosOp>());
    add("atan", math, unary<ir::AtanOp>());
    add("sinh", math, unary<ir::SinhOp>());
    add("cosh", math, unary<ir::CoshOp>());
    add("asinh", math, unary<ir::AsinhOp>());
    add("acosh", math, unary<ir::AcoshOp>());
    add("atanh", math, unary<ir::AtanhOp>());
    add("floor", exact, unary<ir::FloorOp>());
    add("ceil", exact, unary<ir::CeilOp>());
    add("round", exact, unary<ir::RoundOp>());
    add("abs", exact, unary<ir::AbsOp>());
    add("neg", exact, unary<ir::NegOp>());
    add("sign", exact, unary<ir::SignOp>());
    add("is_nan", exact, unary<ir::IsNanOp>());
    add("is_inf", exact, unary<ir::IsInfOp>());
    add("relu", exact, unary<ir::ReluOp>());
    // Rounded after each op of their decompositions, so a few units each.
    std::vector<Operand> unit{{{type, {83}}, Fill::Unit}};
    suite.add(nameOf("sin", type), unit, math, unary<ir::SinOp>());
    suite.add(nameOf("cos", type), unit, math, unary<ir::CosOp>());
    suite.add(nameOf("tan", type), unit, math, unary<ir::TanOp>());
    suite.add(nameOf("sigmoid", type), unit, {4, 0}, unary<ir::SigmoidOp>());
    suite.add(nameOf("silu", type), unit, {5, 0}, unary<ir::SiluOp>());
    suite.add(nameOf("softplus", type), unit, {5, 0}, unary<ir::SoftplusOp>());
  }
  suite.run();
}

TEST(ElementwiseKernels, Gelu) {
  KernelSuite suite;
  for (DType type : kFloats)
    for (bool approximate : {false, true})
      suite.add(nameOf(approximate ? "gelu approximate" : "gelu", type),
                {{{type, {5, 17}}}}, {8, type == DType::F64 ? 1e-15 : 1e-7},
                [=](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
                  return {o.make<ir::GeluOp>(v[0].getType(), v[0],
                                             approximate ? o.b.getUnitAttr()
                                                         : UnitAttr())};
                });
  suite.run();
}

/// -0 is less than +0, beside constants too.
TEST(ElementwiseKernels, ExtremesOfZeros) {
  KernelSuite suite;
  for (DType type : kFloats) {
    std::vector<Operand> zeros(2, Operand{{type, {3, 43}}, Fill::Zeros});
    suite.add(nameOf("max and min of zeros", type), zeros, {},
              [](Ops &o, ArrayRef<Value> v) {
                Type like = v[0].getType();
                SmallVector<Value> results{o.make<ir::MaxOp>(v[0], v[1]),
                                           o.make<ir::MinOp>(v[0], v[1]),
                                           o.make<ir::ReluOp>(v[0])};
                for (double zero : {0.0, -0.0})
                  for (bool isFirst : {false, true}) {
                    Value x = o.splat(like, zero), y = v[0];
                    if (!isFirst)
                      std::swap(x, y);
                    results.push_back(o.make<ir::MaxOp>(x, y));
                    results.push_back(o.make<ir::MinOp>(x, y));
                  }
                return results;
              });
  }
  suite.run();
}

/// add, sub ... of floats; the reference rounds once, as the hardware does.
TEST(ElementwiseKernels, TwoFloats) {
  KernelSuite suite;
  for (DType type : kFloats) {
    std::vector<Operand> special{{{type, {7, 37}}, Fill::Special},
                                 {{type, {7, 37}}, Fill::Special}};
    auto add = [&](std::string name, Bound bound, Build build) {
      suite.add(nameOf(name, type), special, bound, std::move(build));
    };
    // 16-bit results are rounded to 32 bits first.
    Bound once{sizeOf(type) == 2 ? 0.51 : 0, 0};
    add("add", once, binary<ir::AddOp>());
    add("sub", once, binary<ir::SubOp>());
    add("mul", once, binary<ir::MulOp>());
    add("div", once, binary<ir::DivOp>());
    add("rem", {}, binary<ir::RemOp>());
    add("pow", mathBound(type), binary<ir::PowOp>());
    add("max", {}, binary<ir::MaxOp>());
    add("min", {}, binary<ir::MinOp>());
  }
  suite.run();
}

TEST(ElementwiseKernels, SignsOfZeros) {
  KernelSuite suite;
  for (DType type : kFloats) {
    Operand zeros{{type, {99}}, Fill::Zeros};
    suite.add(nameOf("mul", type), {zeros, zeros}, {}, binary<ir::MulOp>());
    suite.add(nameOf("add", type), {zeros, zeros}, {}, binary<ir::AddOp>());
    suite.add(nameOf("sub", type), {zeros, zeros}, {}, binary<ir::SubOp>());
    suite.add(nameOf("sign", type), {zeros}, {}, unary<ir::SignOp>());
    suite.add(nameOf("neg", type), {zeros}, {}, unary<ir::NegOp>());
    suite.add(nameOf("abs", type), {zeros}, {}, unary<ir::AbsOp>());
    suite.add(nameOf("round", type), {zeros}, {}, unary<ir::RoundOp>());
    suite.add(nameOf("sqrt", type), {zeros}, {}, unary<ir::SqrtOp>());
  }
  suite.run();
}

static void addIntegerOps(KernelSuite &suite, DType type, Fill fill) {
  std::vector<Operand> one{{{type, {3, 61}}, fill}};
  std::vector<Operand> two{{{type, {3, 61}}, fill}, {{type, {3, 61}}, fill}};
  auto add = [&](std::string name, const std::vector<Operand> &operands,
                 Build build) {
    suite.add(nameOf(name, type), operands, {}, std::move(build));
  };
  add("abs", one, unary<ir::AbsOp>());
  add("neg", one, unary<ir::NegOp>());
  add("sign", one, unary<ir::SignOp>());
  add("not", one, unary<ir::NotOp>());
  add("relu", one, unary<ir::ReluOp>());
  add("add", two, binary<ir::AddOp>());
  add("sub", two, binary<ir::SubOp>());
  add("mul", two, binary<ir::MulOp>());
  add("div", two, binary<ir::DivOp>());
  add("rem", two, binary<ir::RemOp>());
  add("pow", two, binary<ir::PowOp>());
  add("max", two, binary<ir::MaxOp>());
  add("min", two, binary<ir::MinOp>());
  add("and", two, binary<ir::AndOp>());
  add("or", two, binary<ir::OrOp>());
  add("xor", two, binary<ir::XorOp>());
  std::vector<Operand> shift{{{type, {3, 61}}, fill},
                             {{type, {3, 61}}, Fill::Positive}};
  for (const auto &operands : {two, shift}) {
    add("shift_left", operands, binary<ir::ShiftLeftOp>());
    add("shift_right", operands, binary<ir::ShiftRightOp>());
  }
}

TEST(ElementwiseKernels, Integers) {
  KernelSuite suite;
  for (DType type : kIntegers)
    addIntegerOps(suite, type, Fill::Special);
  suite.run();
}

TEST(ElementwiseKernels, Bools) {
  KernelSuite suite;
  std::vector<Operand> two{{{DType::Bool, {5, 27}}}, {{DType::Bool, {5, 27}}}};
  suite.add("and", two, {}, binary<ir::AndOp>());
  suite.add("or", two, {}, binary<ir::OrOp>());
  suite.add("xor", two, {}, binary<ir::XorOp>());
  suite.add("not", {two[0]}, {}, unary<ir::NotOp>());
  suite.add("select", {two[0], two[1], two[0]}, {},
            [](Ops &o, ArrayRef<Value> v) {
              return SmallVector<Value>{o.make<ir::SelectOp>(v[0], v[1], v[2])};
            });
  suite.run();
}

TEST(ElementwiseKernels, ComparesAndSelects) {
  KernelSuite suite;
  std::vector<DType> types(std::begin(kFloats), std::end(kFloats));
  types.insert(types.end(), std::begin(kIntegers), std::end(kIntegers));
  types.push_back(DType::Bool);
  for (DType type : types) {
    Fill fill = isFloat(type) ? Fill::Special : Fill::Few;
    std::vector<Operand> two{{{type, {2, 71}}, fill}, {{type, {2, 71}}, fill}};
    // All directions on few rows: results that are their own groups.
    suite.add(nameOf("compare", type), two, {}, [](Ops &o, ArrayRef<Value> v) {
      SmallVector<Value> results;
      for (auto direction :
           {ir::Direction::EQ, ir::Direction::NE, ir::Direction::LT,
            ir::Direction::LE, ir::Direction::GT, ir::Direction::GE})
        results.push_back(o.make<ir::CompareOp>(direction, v[0], v[1]));
      return results;
    });
    suite.add(nameOf("select", type),
              {{{DType::Bool, {2, 71}}}, two[0], two[1]}, {},
              [](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
                return {o.make<ir::SelectOp>(v[0], v[1], v[2])};
              });
  }
  suite.run();
}

TEST(ElementwiseKernels, Converts) {
  KernelSuite suite;
  for (uint8_t from = 0; from < kNumDTypes; ++from) {
    Operand operand{{DType(from), {2, 75}}, Fill::Special};
    suite.add(nameOf("convert from", DType(from)), {operand}, {},
              [](Ops &o, ArrayRef<Value> v) {
                SmallVector<Value> results;
                for (uint8_t to = 0; to < kNumDTypes; ++to)
                  results.push_back(
                      o.make<ir::ConvertOp>(o.type(DType(to), {2, 75}), v[0]));
                return results;
              });
    for (Fill rounded : {Fill::Unit, Fill::Ties}) {
      operand.fill = rounded;
      suite.add(nameOf("convert any from", DType(from)), {operand}, {},
                [](Ops &o, ArrayRef<Value> v) {
                  SmallVector<Value> results;
                  for (DType to : kFloats)
                    results.push_back(
                        o.make<ir::ConvertOp>(o.type(to, {2, 75}), v[0]));
                  return results;
                });
    }
  }
  suite.run();
}

TEST(ElementwiseKernels, BitCasts) {
  KernelSuite suite;
  for (DType from : llvm::concat<const DType>(kFloats, kIntegers))
    suite.add(nameOf("bit_cast from", from), {{{from, {2, 75}}, Fill::Special}},
              {}, [from](Ops &o, ArrayRef<Value> v) {
                SmallVector<Value> results;
                for (DType to : llvm::concat<const DType>(kFloats, kIntegers))
                  if (sizeOf(to) == sizeOf(from))
                    results.push_back(
                        o.make<ir::BitCastOp>(o.type(to, {2, 75}), v[0]));
                return results;
              });
  suite.run();
}

/// One rounding where the level has fused multiply-add, else two.
TEST(ElementwiseKernels, FusedMultiplyAdd) {
  KernelSuite suite;
  for (DType type : kFloats) {
    // Sums of one sign, so that no bits cancel.
    std::vector<Operand> three(3, Operand{{type, {5, 29}}, Fill::Positive});
    suite.add(nameOf("fma", type), three, {1, 0},
              [](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{o.make<ir::FmaOp>(v[0], v[1], v[2])};
              });
  }
  suite.run();
}

/// The same small graph at many sizes: x * 2 + y, compared with x.
static Build someArithmetic() {
  return [](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
    Value two = o.splat(v[0].getType(), 2);
    Value sum = o.make<ir::AddOp>(o.make<ir::MulOp>(v[0], two), v[1]);
    return {sum, o.make<ir::CompareOp>(ir::Direction::LT, sum, v[0])};
  };
}

TEST(ElementwiseKernels, EverySize) {
  KernelSuite suite;
  for (Shape shape :
       {Shape{}, {1},       {1, 1, 1},  {2},   {3, 1},
        {15},    {16},      {17},       {31},  {32},
        {33},    {127},     {128},      {129}, {5, 4, 3, 2, 1, 2, 3},
        {65539}, {1000, 1}, {3, 70001}, {0},   {4, 0, 3}})
    for (DType type : {DType::F32, DType::F64, DType::BF16, DType::I8})
      if (numElements(shape) < 1000 || type == DType::F32 ||
          type == DType::BF16)
        suite.add(nameOf(toString(shape), type),
                  {{{type, shape}}, {{type, shape}}},
                  {isFloat(type) ? 1.0 : 0, 0}, someArithmetic());
  suite.run();
}

TEST(ElementwiseKernels, Broadcasts) {
  KernelSuite suite;
  struct Stretch {
    Shape from, dims, to;
  };
  const Stretch stretches[] = {
      {{}, {}, {}},
      {{}, {}, {5, 33}},
      {{33}, {1}, {5, 33}},
      {{5}, {0}, {5, 33}},
      {{5, 1}, {0, 1}, {5, 33}},
      {{1, 33}, {0, 1}, {5, 33}},
      {{1, 1}, {0, 1}, {5, 33}},
      {{4, 3}, {0, 2}, {4, 6, 3}},
      {{4, 1, 3}, {0, 1, 2}, {4, 6, 3}},
      {{6}, {1}, {4, 6, 19}},
      {{4, 6}, {0, 1}, {4, 6, 19}},
      {{6, 19}, {1, 2}, {4, 6, 19}},
      {{3, 1, 2, 1}, {0, 2, 3, 5}, {3, 4, 5, 2, 3, 17}},
      {{2, 5}, {1, 3}, {3, 2, 4, 5, 2}},
      {{1}, {0}, {0}},
      {{1, 3}, {0, 1}, {0, 3}},
  };
  constexpr DType kSome[] = {DType::F32, DType::I64, DType::Bool, DType::F16};
  for (auto [number, s] : llvm::enumerate(stretches))
    for (DType type : turning(kSome, number)) {
      Shape dims = s.dims, to = s.to;
      // Alone it is a copy; under an op it is read where it lies.
      suite.add(nameOf("alone " + std::to_string(number), type),
                {{{type, s.from}}}, {},
                [=](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
                  return {o.broadcast(v[0], to, dims)};
                });
      suite.add(nameOf("used " + std::to_string(number), type),
                {{{type, s.from}}, {{type, s.to}}}, {},
                [=](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
                  return {o.make<ir::CompareOp>(
                      ir::Direction::LE, o.broadcast(v[0], to, dims), v[1])};
                });
    }
  suite.run();
}

/// Groups of ops of mixed types and shapes, some of whose values leave the
/// group.
TEST(ElementwiseKernels, MixedGroups) {
  KernelSuite suite;
  suite.add(
      "types",
      {{{DType::F32, {9, 21}}, Fill::Special}, {{DType::I32, {9, 21}}}}, {1, 0},
      [](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
        Shape shape{9, 21};
        Value wide = o.make<ir::ConvertOp>(o.type(DType::F64, shape), v[0]);
        Value half = o.make<ir::ConvertOp>(o.type(DType::F16, shape), wide);
        Value number = o.make<ir::ConvertOp>(o.type(DType::I8, shape), half);
        Value other = o.make<ir::ConvertOp>(o.type(DType::I8, shape), v[1]);
        Value less = o.make<ir::CompareOp>(ir::Direction::LT, number, other);
        Value picked = o.make<ir::SelectOp>(less, number, other);
        Value back = o.make<ir::ConvertOp>(o.type(DType::BF16, shape), picked);
        return {wide, half, less, o.make<ir::NegOp>(back)};
      });
  suite.add("diamond", {{{DType::F32, {6, 50}}}}, {2, 0},
            [](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
              Value a = o.make<ir::AbsOp>(v[0]);
              Value b = o.make<ir::MulOp>(a, a), c = o.make<ir::AddOp>(a, v[0]);
              return {o.make<ir::MulOp>(b, c), a};
            });
  suite.add("returned twice, and an input", {{{DType::F32, {6, 5}}}}, {},
            [](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
              Value a = o.make<ir::AbsOp>(v[0]);
              return {a, a, v[0], o.reshape(a, {30}), o.reshape(v[0], {5, 6})};
            });
  suite.add("constants", {{{DType::F32, {2, 3}}}}, {},
            [](Ops &o, ArrayRef<Value> v) -> SmallVector<Value> {
              auto type = cast<RankedTensorType>(v[0].getType());
              Value list = ir::constantOf(o.b, o.b.getUnknownLoc(), type,
                                          ArrayRef<double>{1, 2, 3, 4, 5, 6});
              return {list, o.splat(type, 3), o.make<ir::AddOp>(list, v[0])};
            });
  suite.run();
}
