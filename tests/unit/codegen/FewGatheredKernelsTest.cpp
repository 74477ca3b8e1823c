// SPDX-License-Identifier: Apache-2.0
// Few elements that are gathered of what ops on elements give: the ops are done
// on those alone.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

using List = std::vector<int64_t>;

static constexpr DType kTypes[] = {DType::F32, DType::F16, DType::I8};

/// What is gathered of `made`, whose operands are values of a case.
static Build gatherOf(int64_t axis,
                      std::function<Value(Ops &, ArrayRef<Value>)> made) {
  return [=](Ops &o, ArrayRef<Value> v) {
    return SmallVector<Value>{
        o.make<ir::GatherElementsOp>(made(o, v), v[0], axis)};
  };
}

TEST(FewGatheredKernels, OfOperandsOfEveryKind) {
  KernelSuite suite;
  const Shape all = {6, 16};
  struct Pick {
    Shape indices;
    int64_t axis;
  };
  // As large as the input but along the axis, and smaller.
  for (const Pick &pick : {Pick{{6, 2}, 1}, Pick{{1, 16}, 0}, Pick{{3, 2}, 1},
                           Pick{{1, 5}, 0}, Pick{{6, 0}, 1}})
    for (DType type : kTypes) {
      const Operand indices = {
          {DType::I64, pick.indices}, Fill::Index, all[size_t(pick.axis)]};
      auto add = [&](const std::string &name, std::vector<Operand> operands,
                     std::function<Value(Ops &, ArrayRef<Value>)> made) {
        operands.insert(operands.begin(), indices);
        suite.add(nameOf(name + " at " + toString(pick.indices), type),
                  operands, {}, gatherOf(pick.axis, made));
      };
      add("a chain", {{{type, all}}, {{type, all}}},
          [](Ops &o, ArrayRef<Value> v) -> Value {
            Value difference = o.make<ir::SubOp>(v[1], v[2]);
            return o.make<ir::AddOp>(difference, difference);
          });
      add("a splat", {{{type, all}}}, [](Ops &o, ArrayRef<Value> v) -> Value {
        return o.make<ir::SubOp>(o.splat(v[1].getType(), 3), v[1]);
      });
      struct Smaller {
        Shape shape;
        List dims;
      };
      for (const Smaller &smaller :
           {Smaller{{6}, {0}}, Smaller{{16}, {1}}, Smaller{{6, 1}, {0, 1}},
            Smaller{{1, 16}, {0, 1}}, Smaller{{}, {}}})
        add("with one of " + toString(smaller.shape),
            {{{type, all}}, {{type, smaller.shape}}},
            [=](Ops &o, ArrayRef<Value> v) -> Value {
              Value wide = o.broadcast(v[2], all, smaller.dims);
              return o.make<ir::SubOp>(v[1], wide);
            });
    }
  suite.run();
}

/// An index outside is found although its element decides nothing.
TEST(FewGatheredKernels, OutOfRange) {
  KernelSuite suite;
  for (int64_t bad : {-1, 8}) {
    HostTensor indices = HostTensor::zeros({DType::I64, {4, 1}});
    indices.as<int64_t>()[2] = bad;
    const std::vector<std::string> words{"bad op", std::to_string(bad), "0..7"};
    suite.addFault(
        "what is computed", {indices, HostTensor::zeros({DType::F32, {4, 8}})},
        words, [](Ops &o, ArrayRef<Value> v) {
          Value x = o.make<ir::NegOp>(v[1]);
          return SmallVector<Value>{
              o.makeNamed<ir::GatherElementsOp>("bad op", x, v[0], 1)};
        });
    suite.addFault(
        "what is the same everywhere",
        {indices, HostTensor::zeros({DType::F32, {4}})}, words,
        [](Ops &o, ArrayRef<Value> v) {
          Value x = o.make<ir::NegOp>(o.broadcast(v[1], {4, 8}, {0}));
          return SmallVector<Value>{
              o.makeNamed<ir::GatherElementsOp>("bad op", x, v[0], 1)};
        });
  }
  suite.run();
}
