// SPDX-License-Identifier: Apache-2.0
#include "RowCases.h"

namespace smp::test {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

int64_t RowOperands::between(int64_t least, int64_t most) {
  return std::uniform_int_distribution<int64_t>(least, most)(random);
}

Tensor RowOperands::input(Shape shape, int64_t axis) {
  return g.input("in" + std::to_string(inputs++),
                 {DType::F32, std::move(shape)}, axis);
}

Tensor RowOperands::withRows(int64_t least, int64_t most) {
  Shape shape;
  for (int64_t rank = between(least, most); rank > 0; --rank)
    shape.push_back(between(1, 4));
  batchAxis = way(int64_t(shape.size()));
  shape[size_t(batchAxis)] = rows;
  return input(shape, batchAxis);
}

Tensor RowOperands::fixed(Shape shape) {
  return input(std::move(shape), kNoBatchAxis);
}

Tensor RowOperands::beside(const Tensor &x) {
  Shape shape = x.shape();
  switch (way(5)) {
  case 0:
    return input(shape, batchAxis);
  case 1: // One for all rows, as numpy broadcasts.
    shape[size_t(batchAxis)] = 1;
    return fixed(shape);
  case 2:
    return g.splat({DType::F32, shape}, 0.75);
  case 3: // Its place tells a row from the others.
    return g.convert(g.iota({DType::I32, shape}, batchAxis), DType::F32);
  default: { // Computed from what is alike for all rows.
    shape[size_t(batchAxis)] = 1;
    return g.exp(g.broadcast(fixed(shape), x.shape()));
  }
  }
}

Tensor RowOperands::indices(Shape shape, int64_t axis, int64_t size) {
  Tensor x = input(std::move(shape), axis);
  Tensor whole = g.convert(g.abs(g.mul(x, 7)), DType::I64);
  return g.rem(whole, double(size));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {

using Unary = Tensor (GraphBuilder::*)(const Tensor &);
using Binary = Tensor (GraphBuilder::*)(const Operand &, const Operand &);

/// Collects the cases.
class Cases {
public:
  std::vector<RowCase> all;

  void add(std::string op, std::function<Tensor(RowOperands &)> build) {
    all.push_back({std::move(op), std::move(build)});
  }
  void addUnary(std::string op, Unary call) {
    add(std::move(op),
        [call](RowOperands &o) { return (o.g.*call)(o.withRows(1)); });
  }
  void addBinary(std::string op, Binary call) {
    add(std::move(op), [call](RowOperands &o) {
      Tensor x = o.withRows();
      return (o.g.*call)(x, o.beside(x));
    });
  }
  /// Of integers.
  void addBits(std::string op, Binary call) {
    add(std::move(op), [call](RowOperands &o) {
      Tensor x = o.withRows(), y = o.beside(x);
      auto whole = [&](const Tensor &t) {
        return o.g.convert(o.g.mul(t, 3), DType::I32);
      };
      return (o.g.*call)(whole(x), whole(y));
    });
  }
};

void addElementwise(Cases &c) {
  using G = GraphBuilder;
  const std::pair<const char *, Unary> unary[] = {
      {"abs", &G::abs},           {"neg", &G::neg},
      {"sign", &G::sign},         {"exp", &G::exp},
      {"log", &G::log},           {"log1p", &G::log1p},
      {"expm1", &G::expm1},       {"sqrt", &G::sqrt},
      {"rsqrt", &G::rsqrt},       {"tanh", &G::tanh},
      {"erf", &G::erf},           {"sin", &G::sin},
      {"cos", &G::cos},           {"tan", &G::tan},
      {"asin", &G::asin},         {"acos", &G::acos},
      {"atan", &G::atan},         {"sinh", &G::sinh},
      {"cosh", &G::cosh},         {"asinh", &G::asinh},
      {"acosh", &G::acosh},       {"atanh", &G::atanh},
      {"floor", &G::floor},       {"ceil", &G::ceil},
      {"round", &G::round},       {"is_nan", &G::isNan},
      {"is_inf", &G::isInf},      {"relu", &G::relu},
      {"sigmoid", &G::sigmoid},   {"silu", &G::silu},
      {"softplus", &G::softplus}, {"stop_gradient", &G::stopGradient}};
  for (auto [op, call] : unary)
    c.addUnary(op, call);
  c.add("gelu", [](RowOperands &o) {
    return o.g.gelu(o.withRows(1), o.chance() ? Gelu::Exact : Gelu::Tanh);
  });
  c.add("convert", [](RowOperands &o) {
    return o.g.convert(o.withRows(1), o.chance() ? DType::I32 : DType::F16);
  });
  c.add("bit_cast",
        [](RowOperands &o) { return o.g.bitCast(o.withRows(1), DType::U32); });
  c.add("not", [](RowOperands &o) {
    return o.g.bitNot(o.g.convert(o.withRows(1), DType::I32));
  });
  const std::pair<const char *, Binary> binary[] = {
      {"add", &G::add}, {"sub", &G::sub}, {"mul", &G::mul}, {"div", &G::div},
      {"rem", &G::rem}, {"pow", &G::pow}, {"max", &G::max}, {"min", &G::min}};
  for (auto [op, call] : binary)
    c.addBinary(op, call);
  const std::pair<const char *, Binary> bits[] = {
      {"and", &G::bitAnd},
      {"or", &G::bitOr},
      {"xor", &G::bitXor},
      {"shift_left", &G::shiftLeft},
      {"shift_right", &G::shiftRight}};
  for (auto [op, call] : bits)
    c.addBits(op, call);
  c.add("fma", [](RowOperands &o) {
    Tensor x = o.withRows(), y = o.beside(x);
    return o.g.fma(x, y, o.beside(x));
  });
  c.add("compare", [](RowOperands &o) {
    Tensor x = o.withRows();
    return o.g.compare(Comparison::Less, x, o.beside(x));
  });
  c.add("select", [](RowOperands &o) {
    Tensor x = o.withRows(), y = o.beside(x);
    return o.g.select(o.g.compare(Comparison::Greater, x, 0), x, y);
  });
}

/// The shape with dimensions cut in two or joined, rows first or not.
Tensor reshaped(RowOperands &o) {
  Tensor x = o.withRows(2, 3);
  Shape shape = x.shape();
  const auto axis = size_t(o.batchAxis);
  switch (o.way(4)) {
  case 0: // Rows and what follows are one dimension.
    if (axis + 1 < shape.size()) {
      shape[axis] *= shape[axis + 1];
      shape.erase(shape.begin() + int64_t(axis) + 1);
    }
    return o.g.reshape(x, shape);
  case 1: // What is before them, and they.
    if (axis > 0) {
      shape[axis - 1] *= shape[axis];
      shape.erase(shape.begin() + int64_t(axis));
    }
    return o.g.reshape(x, shape);
  case 2: { // And apart again.
    Tensor flat = o.g.reshape(x, {-1});
    return o.g.reshape(o.g.neg(flat), x.shape());
  }
  default: // All in one.
    return o.g.reshape(x, {-1});
  }
}

void addShape(Cases &c) {
  c.add("reshape", reshaped);
  c.add("transpose", [](RowOperands &o) {
    Tensor x = o.withRows();
    Axes order(size_t(x.rank()));
    for (int64_t i = 0; i < x.rank(); ++i)
      order[size_t(i)] = (i + 1) % x.rank();
    return o.g.transpose(x, order);
  });
  c.add("broadcast", [](RowOperands &o) {
    Tensor x = o.withRows();
    Shape shape = x.shape();
    shape.insert(shape.begin(), o.between(1, 3));
    return o.g.broadcast(x, shape);
  });
  c.add("slice", [](RowOperands &o) {
    Tensor x = o.withRows();
    Axes starts(size_t(x.rank()), 0),
        limits(x.shape().begin(), x.shape().end());
    const int64_t axis = o.axis(x);
    // All of one row is all of more.
    if (!o.isOneByOne || axis != o.batchAxis)
      limits[size_t(axis)] = 1;
    return o.g.slice(x, starts, limits);
  });
  c.add("reverse", [](RowOperands &o) {
    Tensor x = o.withRows();
    return o.g.reverse(x, {o.axis(x)});
  });
  c.add("pad", [](RowOperands &o) {
    Tensor x = o.withRows();
    Axes low(size_t(x.rank()), 0), high(size_t(x.rank()), 0);
    low[size_t(o.axis(x))] = 1;
    high[size_t(o.axis(x))] = 2;
    return o.g.pad(x, low, high, 0.5);
  });
  c.add("concat", [](RowOperands &o) {
    Tensor x = o.withRows();
    return o.g.concat({x, o.g.neg(x), x}, o.axis(x));
  });
  c.add("iota", [](RowOperands &o) {
    Tensor x = o.withRows();
    const int64_t along = o.axis(x);
    return o.g.add(
        x, o.g.convert(o.g.iota({DType::I32, x.shape()}, along), DType::F32));
  });
  // Of one row it cannot be known whether others would have other numbers:
  // what is one long is alike for all, as where numpy broadcasts.
  c.add("constant", [](RowOperands &o) {
    Tensor x = o.withRows();
    const bool isAlike = o.way(2);
    std::vector<double> numbers;
    for (int64_t i = 0; i < o.rows; ++i)
      numbers.push_back(isAlike || o.isOneByOne ? 3 : double(i));
    Tensor vector = o.g.constant({DType::F32, {o.rows}}, numbers);
    return o.g.mul(x, o.g.broadcast(vector, x.shape(), {o.batchAxis}));
  });
}

Tensor product(RowOperands &o) {
  Tensor x = o.withRows(2, 3);
  switch (o.way(4)) {
  case 0: { // A layer over the last dimension.
    const Shape weights{x.dim(-1), 5};
    return o.g.matmul(x, o.batchAxis == x.rank() - 1
                             ? o.g.splat({DType::F32, weights}, 0.5)
                             : o.fixed(weights));
  }
  case 1: // Of x with itself.
    return o.g.matmul(
        x, o.g.transpose(x, x.rank() == 2 ? Axes{1, 0} : Axes{0, 2, 1}));
  case 2: // A product per row.
    return o.g.dotGeneral(x, o.g.neg(x),
                          {{o.batchAxis},
                           {o.batchAxis},
                           {(o.batchAxis + 1) % x.rank()},
                           {(o.batchAxis + 1) % x.rank()}});
  default: // Over the rows, or something else.
    const int64_t over = o.axis(x);
    return o.g.dotGeneral(x, x, {{}, {}, {over}, {over}});
  }
}

/// [batch, features, height, width] with rows along one of them.
Tensor image(RowOperands &o, int64_t features) {
  Tensor x = o.withRows(4, 4);
  Axes order{o.batchAxis};
  if (!o.chance())
    order = {0};
  for (int64_t i = 0; i < 4; ++i)
    if (i != order.front())
      order.push_back(i);
  x = o.g.transpose(x, order);
  Axes high{0, 0, 4, 4};
  Tensor wide = o.g.pad(x, {0, 0, 0, 0}, high);
  return features ? o.g.concat({wide, wide, wide, wide}, 1) : wide;
}

void addContractions(Cases &c) {
  c.add("dot_general", product);
  c.add("conv", [](RowOperands &o) {
    // One input feature, so that the filter fits whatever the features are.
    Tensor x = image(o, 0);
    Tensor one = o.g.sum(x, {1}, KeepDims::Yes);
    return o.g.conv(one, o.fixed({3, 1, 2, 2}));
  });
  c.add("window_reduce", [](RowOperands &o) {
    return o.g.maxPool(image(o, 0), {.size = {2, 2}, .strides = {2}});
  });
  c.add("avg_pool", [](RowOperands &o) {
    return o.g.avgPool(image(o, 0), {.size = {3, 1}});
  });
  c.add("reduce", [](RowOperands &o) {
    Tensor x = o.withRows();
    const Reduction kinds[] = {Reduction::Sum, Reduction::Prod, Reduction::Max,
                               Reduction::Min, Reduction::SumSquares};
    return o.g.reduce(kinds[o.between(0, 4)], x, {o.axis(x)},
                      o.chance() ? KeepDims::Yes : KeepDims::No);
  });
  c.add("arg_reduce", [](RowOperands &o) {
    Tensor x = o.withRows();
    return o.chance() ? o.g.argMax(x, o.axis(x)) : o.g.argMin(x, o.axis(x));
  });
  c.add("scan", [](RowOperands &o) {
    Tensor x = o.withRows();
    return o.g.scan(Reduction::Sum, x, o.axis(x), {.reverse = o.chance()});
  });
}

void addComposites(Cases &c) {
  c.add("softmax", [](RowOperands &o) {
    Tensor x = o.withRows();
    return o.g.softmax(x, o.axis(x));
  });
  c.add("log_softmax", [](RowOperands &o) {
    Tensor x = o.withRows();
    return o.g.logSoftmax(x, o.axis(x));
  });
  // Vectors over dimensions that may be rows: made of what is there.
  auto vector = [](RowOperands &o, const Tensor &x, int64_t from) {
    Shape shape(x.shape().begin() + from, x.shape().end());
    return o.g.splat({DType::F32, shape}, 1.5);
  };
  c.add("layer_norm", [=](RowOperands &o) {
    Tensor x = o.withRows();
    const int64_t axis = x.rank() - 1;
    return o.g.layerNorm(x, vector(o, x, axis), vector(o, x, axis), axis);
  });
  c.add("rms_norm", [=](RowOperands &o) {
    Tensor x = o.withRows();
    const int64_t axis = x.rank() - 1;
    return o.g.rmsNorm(x, vector(o, x, axis), axis);
  });
  c.add("batch_norm", [](RowOperands &o) {
    Tensor x = o.withRows();
    const int64_t axis = o.axis(x);
    auto feature = [&](double value) {
      return o.g.splat({DType::F32, {x.dim(axis)}}, value);
    };
    return o.g.batchNorm(x, feature(2), feature(1), feature(0.25), feature(4),
                         axis);
  });
}

void addIndexing(Cases &c) {
  c.add("gather", [](RowOperands &o) {
    if (o.way(2)) { // From a table, by rows.
      Tensor table = o.fixed({5, 3});
      return o.g.gather(table, o.indices({2, o.rows}, 1, 5), 0);
    }
    Tensor x = o.withRows();
    const int64_t axis = o.axis(x);
    const int64_t size = axis == o.batchAxis ? 1 : x.dim(axis);
    return o.g.gather(x, o.indices({2}, kNoBatchAxis, size), axis);
  });
  c.add("gather_elements", [](RowOperands &o) {
    Tensor x = o.withRows();
    const int64_t axis = o.axis(x);
    const int64_t size = axis == o.batchAxis ? 1 : x.dim(axis);
    return o.g.gatherElements(x, o.indices(x.shape(), o.batchAxis, size), axis);
  });
  c.add("gather_nd", [](RowOperands &o) {
    Tensor x =
        o.g.transpose(o.withRows(2, 2), o.batchAxis ? Axes{1, 0} : Axes{0, 1});
    if (o.way(2))
      return o.g.gatherNd(x, o.indices({o.rows, 1}, 0, x.dim(1)), 1);
    return o.g.gatherNd(x, o.indices({3, 1}, kNoBatchAxis, 1), 0);
  });
  c.add("scatter_elements", [](RowOperands &o) {
    Tensor x = o.withRows();
    const int64_t axis = o.axis(x);
    const int64_t size = axis == o.batchAxis ? 1 : x.dim(axis);
    return o.g.scatterElements(x, o.indices(x.shape(), o.batchAxis, size),
                               o.g.mul(x, 2), axis, Scatter::Sum);
  });
  c.add("scatter_nd", [](RowOperands &o) {
    Tensor x = o.withRows(2, 2);
    const bool isFirst = o.batchAxis == 0;
    Tensor at = o.indices({2, 1}, kNoBatchAxis, isFirst ? 1 : x.dim(0));
    Tensor row = o.g.slice(x, {0, 0}, {1, x.dim(1)});
    return o.g.scatterNd(x, at, o.g.broadcast(row, {2, x.dim(1)}),
                         Scatter::Sum);
  });
  c.add("top_k", [](RowOperands &o) {
    Tensor x = o.withRows();
    return o.g.topK(x, 1, o.axis(x)).values;
  });
}

} // namespace

const std::vector<RowCase> &rowCases() {
  static const std::vector<RowCase> cases = [] {
    Cases c;
    addElementwise(c);
    addShape(c);
    addContractions(c);
    addComposites(c);
    addIndexing(c);
    return std::move(c.all);
  }();
  return cases;
}

} // namespace smp::test
