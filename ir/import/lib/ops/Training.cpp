// SPDX-License-Identifier: Apache-2.0
// Operators of the domain ai.onnx.preview.training. Numbers of the step are
// computed in f64, elements in their own type.

#include "../Importer.h"
#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// Optimizers
//===----------------------------------------------------------------------===//

namespace {
/// Inputs R, T, then lists of n tensors each: X1 ... Xn, G1 ... Gn, ... Outputs
/// are lists of n too: new X, then new slots.
class Optimizing {
public:
  /// `lists`: how many lists of tensors there are among the inputs.
  Optimizing(Node &node, int64_t lists)
      : node(node), e(node.emit), lists(lists), f64(e.builder.getF64Type()) {}

  /// Checks the inputs; false after an error.
  bool check();
  int64_t count() const { return (node.numInputs() - 2) / lists; }
  Value tensor(int64_t list, int64_t i) { return node[2 + list * count() + i]; }
  void set(int64_t list, int64_t i, Value value) {
    node.set(list * count() + i, value);
  }

  Value rate() { return e.convert(node[0], f64); }
  /// The number of updates before this one.
  Value time() { return e.convert(node[1], f64); }
  Value isFirst() { return e.compare(Direction::LE, time(), 0); }
  /// A number of the step as the element type of `like`.
  Value as(Value number, Value like) {
    return e.convert(number, elementOf(like));
  }
  /// g + norm_coefficient x.
  Value regularised(int64_t i) {
    Value x = tensor(0, i), g = tensor(1, i);
    return add(scaled(x, node.number("norm_coefficient")), g);
  }
  /// 1 - factor^t.
  Value correction(double factor) {
    Value power = e.make<PowOp>({e.splat(typeOf(time()), factor), time()});
    return e.binary<SubOp>(1.0, power);
  }

  Value add(Value x, Value y) { return e.binary<AddOp>(x, y); }
  Value sub(Value x, Value y) { return e.binary<SubOp>(x, y); }
  Value mul(Value x, Value y) { return e.binary<MulOp>(x, y); }
  Value div(Value x, Value y) { return e.binary<DivOp>(x, y); }
  Value scaled(Value x, double factor) { return e.binary<MulOp>(x, factor); }
  Value shifted(Value x, double addend) { return e.binary<AddOp>(x, addend); }
  Value root(Value x) { return e.unary<SqrtOp>(x); }

  Node &node;
  Emitter &e;

private:
  const int64_t lists;
  Type f64;
};
} // namespace

bool Optimizing::check() {
  if (node.numInputs() < 2 + lists || (node.numInputs() - 2) % lists)
    return node.error("has " + Twine(node.numInputs()) +
                      " inputs; it takes R, T and " + Twine(lists) +
                      " lists of tensors, each as long as the others"),
           false;
  for (int64_t i = 0; i < 2; ++i)
    if (!node[i] || typeOf(node[i]).getNumElements() != 1)
      return node.error("has an input " + Twine(i) + " that is not one number"),
             false;
  for (int64_t list = 0; list < lists; ++list)
    for (int64_t i = 0; i < count(); ++i) {
      Value x = tensor(0, i), other = tensor(list, i);
      if (!x || !other || x.getType() != other.getType() || !isFloat(x))
        return node.error("needs floats of one type for tensor " + Twine(i) +
                          " in all its lists"),
               false;
    }
  return true;
}

void importAdagrad(Node &node) {
  Optimizing o(node, /*lists=*/3);
  if (!o.check())
    return;
  const double epsilon = node.number("epsilon", 1e-6f);
  Value slower =
      o.shifted(o.scaled(o.time(), node.number("decay_factor")), 1.0);
  Value rate = o.div(o.rate(), slower);
  for (int64_t i = 0; i < o.count(); ++i) {
    Value x = o.tensor(0, i), g = o.regularised(i);
    Value squares = o.add(o.tensor(2, i), o.mul(g, g));
    Value step = o.div(g, o.shifted(o.root(squares), epsilon));
    o.set(0, i, o.sub(x, o.mul(step, o.as(rate, x))));
    o.set(1, i, squares);
  }
}

void importAdam(Node &node) {
  Optimizing o(node, /*lists=*/4);
  if (!o.check())
    return;
  const double alpha = node.number("alpha", 0.9f);
  const double beta = node.number("beta", 0.999f);
  const double epsilon = node.number("epsilon", 1e-6f);
  const double after = node.number("norm_coefficient_post");
  Value corrected =
      o.div(o.mul(o.rate(), o.root(o.correction(beta))), o.correction(alpha));
  Value rate = o.e.select(o.isFirst(), o.rate(), corrected);
  for (int64_t i = 0; i < o.count(); ++i) {
    Value x = o.tensor(0, i), g = o.regularised(i);
    Value mean = o.add(o.scaled(o.tensor(2, i), alpha), o.scaled(g, 1 - alpha));
    Value squares =
        o.add(o.scaled(o.tensor(3, i), beta), o.scaled(o.mul(g, g), 1 - beta));
    Value step = o.div(mean, o.shifted(o.root(squares), epsilon));
    Value next = o.sub(x, o.mul(step, o.as(rate, x)));
    o.set(0, i, after ? o.scaled(next, 1 - after) : next);
    o.set(1, i, mean);
    o.set(2, i, squares);
  }
}

void importMomentum(Node &node) {
  for (StringRef name : {"alpha", "beta", "norm_coefficient", "mode"})
    if (!node.hasAttr(name))
      return (void)node.error("has no attribute '" + name +
                              "', which is needed");
  Optimizing o(node, /*lists=*/3);
  if (!o.check())
    return;
  const double alpha = node.number("alpha"), beta = node.number("beta");
  const bool looksAhead =
      node.word("mode", "standard", {"standard", "nesterov"}) == "nesterov";
  // The first gradient counts in full.
  Value weight = o.e.select(o.isFirst(), o.e.splat(typeOf(o.time()), 1),
                            o.e.splat(typeOf(o.time()), beta));
  for (int64_t i = 0; i < o.count(); ++i) {
    Value x = o.tensor(0, i), g = o.regularised(i);
    Value sum =
        o.add(o.scaled(o.tensor(2, i), alpha), o.mul(g, o.as(weight, x)));
    Value step = looksAhead ? o.add(g, o.scaled(sum, alpha)) : sum;
    o.set(0, i, o.sub(x, o.mul(step, o.as(o.rate(), x))));
    o.set(1, i, sum);
  }
}

//===----------------------------------------------------------------------===//
// Gradient
//===----------------------------------------------------------------------===//

/// The values that are computed from some of `values`, in the block so far.
static llvm::DenseSet<Value> dependants(Block &block, ArrayRef<Value> values) {
  llvm::DenseSet<Value> sources(values.begin(), values.end()), result;
  for (Operation &op : block)
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return sources.contains(operand) || result.contains(operand);
        }))
      result.insert_range(op.getResults());
  return result;
}

/// The derivatives of `y` by `xs`, while `zs` do not change. The inputs are the
/// values of both lists, and have to be those that the graph gives them.
void importGradient(Node &node) {
  auto xs = node.texts("xs"), zs = node.texts("zs");
  std::string y = node.text("y");
  if (!xs || xs->empty() || y.empty())
    return (void)node.error("needs the attributes 'xs' and 'y'");
  std::vector<std::string> names = *xs;
  if (zs)
    names.insert(names.end(), zs->begin(), zs->end());
  if (int64_t(names.size()) != node.numInputs())
    return (void)node.error("has " + Twine(node.numInputs()) +
                            " inputs for the " + Twine(names.size()) +
                            " names in 'xs' and 'zs'");
  SmallVector<Value> values;
  for (auto [i, name] : llvm::enumerate(names)) {
    values.push_back(node.importer.lookup(node.scope, name));
    if (!values.back())
      return;
    if (values.back() != node.input(int64_t(i)))
      return (void)node.error("takes another value for '" + name +
                              "' than the graph has; give it '" + name + "'");
  }
  SmallVector<Value> wanted(ArrayRef(values).take_front(xs->size()));
  Emitter &e = node.emit;
  auto computed = dependants(*e.builder.getInsertionBlock(), wanted);
  for (auto [name, value] : llvm::zip(names, values))
    if (computed.contains(value))
      return (void)node.error("has '" + name +
                              "' held while what it is computed from changes; "
                              "leave one of the two out");
  Value loss = node.importer.lookup(node.scope, y);
  if (!loss)
    return;
  auto gradient = GradientOp::create(
      e.builder, e.location, TypeRange(ValueRange(wanted)), loss, wanted);
  if (failed(gradient.verify()))
    return;
  if (e.placement)
    gradient->setAttr(kPlacementAttr, e.placement);
  for (auto [i, result] : llvm::enumerate(gradient.getResults()))
    node.set(int64_t(i), result);
}

} // namespace smp::frontend
