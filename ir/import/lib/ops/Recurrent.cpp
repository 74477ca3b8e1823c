// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM: one step after the other.

#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

namespace {
/// An activation function with its parameters.
struct Activation {
  std::string name;
  double alpha = 0, beta = 0;
};

/// One direction of a recurrent layer.
struct Flow {
  bool isReverse = false;
  Value weights;        ///< [gates * hidden, input]
  Value recurrence;     ///< [gates * hidden, hidden]
  Value inputBias;      ///< [gates * hidden], or null.
  Value recurrenceBias; ///< [gates * hidden], or null.
  Value peepholes;      ///< [3 * hidden], or null.
  Value hidden, cell;   ///< [batch, hidden]
  SmallVector<Activation> activations;
};

/// The attributes and inputs that all three operators have.
class Layer {
public:
  Layer(Node &node, int64_t gates, int64_t activationsEach)
      : node(node), e(node.emit), gates(gates), perDirection(activationsEach) {}
  virtual ~Layer() = default;
  void run();

protected:
  /// The next hidden state (and cell) from this step's product of the input.
  virtual void step(Flow &d, Value product) = 0;

  Value apply(const Activation &activation, Value x);
  Value gate(Value x, int64_t index) {
    return e.slice(x, 1, index * hiddenSize, (index + 1) * hiddenSize);
  }
  Value vectorGate(Value x, int64_t index) {
    return e.slice(x, 0, index * hiddenSize, (index + 1) * hiddenSize);
  }
  /// x * weights^T for [batch, n] and [m, n].
  Value product(Value x, Value weights) {
    return e.dot(x, weights, {}, {}, {1}, {1});
  }
  Value addVector(Value x, Value vector) {
    return vector ? e.binary<AddOp>(x, vector) : x;
  }

  Node &node;
  Emitter &e;
  int64_t gates, perDirection, hiddenSize = 0, steps = 0, batch = 0;
  double clip = 0;
  bool hasCell = false;

private:
  bool read();
  bool readActivations(int64_t directions);
  bool checkShapes(int64_t directions);
  void runDirection(Flow &d, Value x, Value lengths);
  void setResults();

  Value clipped(Value x);
  SmallVector<Flow> directions;
  SmallVector<Value> outputs; ///< Per direction, [steps, batch, hidden].
  Value input, lengths;
  bool isBatchFirst = false;
  SmallVector<Activation> activations;
};
} // namespace

Value Layer::clipped(Value x) {
  if (clip <= 0)
    return x;
  return e.binary<MinOp>(e.binary<MaxOp>(x, -clip), clip);
}

Value Layer::apply(const Activation &a, Value x) {
  x = clipped(x);
  if (a.name == "Sigmoid")
    return e.unary<SigmoidOp>(x);
  if (a.name == "Tanh")
    return e.unary<TanhOp>(x);
  if (a.name == "Relu")
    return e.unary<ReluOp>(x);
  if (a.name == "Affine")
    return e.binary<AddOp>(e.binary<MulOp>(x, a.alpha), a.beta);
  if (a.name == "HardSigmoid") {
    Value line = e.binary<AddOp>(e.binary<MulOp>(x, a.alpha), a.beta);
    return e.binary<MinOp>(e.binary<MaxOp>(line, 0.0), 1.0);
  }
  if (a.name == "LeakyRelu")
    return e.select(e.compare(Direction::LT, x, 0.0),
                    e.binary<MulOp>(x, a.alpha), x);
  if (a.name == "Softsign")
    return e.binary<DivOp>(x, e.binary<AddOp>(e.unary<AbsOp>(x), 1.0));
  if (a.name == "Softplus")
    return e.unary<SoftplusOp>(x);
  return node.error("uses the activation '" + Twine(a.name) +
                    "', which is not known");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Parameters of an activation that the model leaves out.
static Activation withDefaults(std::string name) {
  if (name == "HardSigmoid")
    return {name, 0.2, 0.5};
  if (name == "LeakyRelu")
    return {name, 0.01, 0};
  return {std::move(name), 1, 0};
}

bool Layer::readActivations(int64_t directions) {
  auto names = node.texts("activations");
  auto alphas = node.numbers("activation_alpha");
  auto betas = node.numbers("activation_beta");
  size_t count = size_t(perDirection * directions);
  if (!names) {
    names.emplace();
    for (int64_t i = 0; i < perDirection * directions; ++i)
      names->push_back(perDirection > 1 && i % perDirection == 0 ? "Sigmoid"
                                                                 : "Tanh");
  }
  if (names->size() != count) {
    node.error("has " + Twine(names->size()) + " activations; it needs " +
               Twine(count));
    return false;
  }
  size_t nextAlpha = 0, nextBeta = 0;
  for (const std::string &name : *names) {
    Activation activation = withDefaults(name);
    bool takesAlpha =
        name == "Affine" || name == "HardSigmoid" || name == "LeakyRelu";
    if (takesAlpha && alphas && nextAlpha < alphas->size())
      activation.alpha = (*alphas)[nextAlpha++];
    if (takesAlpha && name != "LeakyRelu" && betas && nextBeta < betas->size())
      activation.beta = (*betas)[nextBeta++];
    activations.push_back(activation);
  }
  return true;
}

bool Layer::checkShapes(int64_t count) {
  Ints w = shapeOf(node[1]), r = shapeOf(node[2]);
  IntVector wide{count, gates * hiddenSize};
  bool fits = rankOf(input) == 3 && w.size() == 3 && r.size() == 3 &&
              w.take_front(2) == Ints(wide) && r.take_front(2) == Ints(wide) &&
              w[2] == dimOf(input, 2) && r[2] == hiddenSize;
  auto fitsOptional = [&](int64_t i, IntVector shape) {
    return !node.has(i) || shapeOf(node[i]) == Ints(shape);
  };
  IntVector state{count, batch, hiddenSize};
  fits = fits && fitsOptional(3, {count, 2 * gates * hiddenSize}) &&
         fitsOptional(4, {batch}) && fitsOptional(7, {count, 3 * hiddenSize});
  if (isBatchFirst)
    state = {batch, count, hiddenSize};
  fits = fits && fitsOptional(5, state) && (!hasCell || fitsOptional(6, state));
  if (!fits)
    node.error("has inputs that do not fit " + Twine(count) +
               " directions of hidden size " + Twine(hiddenSize));
  return fits;
}

/// Unrolling makes some ops per step and direction.
static constexpr int64_t kMaxSteps = 4096;

bool Layer::read() {
  std::string which = node.word("direction", "forward",
                                {"forward", "reverse", "bidirectional"});
  int64_t count = which == "bidirectional" ? 2 : 1;
  clip = node.number("clip", 0);
  isBatchFirst = node.flag("layout");
  hiddenSize = node.integer("hidden_size", dimOf(node[2], 2));
  input = node[0];
  if (rankOf(input) != 3 || hiddenSize < 1) {
    node.error("takes [steps, batch, input] and a hidden size of at least 1");
    return false;
  }
  if (isBatchFirst)
    input = e.transpose(input, {1, 0, 2});
  steps = dimOf(input, 0);
  batch = dimOf(input, 1);
  if (steps > kMaxSteps) {
    node.error("runs over " + Twine(steps) + " steps; at most " +
               Twine(kMaxSteps) + " are unrolled");
    return false;
  }
  if (!checkShapes(count) || !readActivations(count))
    return false;
  lengths = node[4];
  auto state = [&](int64_t i, int64_t d) {
    if (!node.has(i))
      return e.splat(
          RankedTensorType::get({batch, hiddenSize}, elementOf(input)), 0);
    return e.take(node[i], isBatchFirst ? 1 : 0, d);
  };
  for (int64_t d = 0; d < count; ++d) {
    Flow one;
    one.isReverse = which == "reverse" || d == 1;
    one.weights = e.take(node[1], 0, d);
    one.recurrence = e.take(node[2], 0, d);
    if (node.has(3)) {
      Value both = e.take(node[3], 0, d);
      int64_t half = gates * hiddenSize;
      one.inputBias = e.slice(both, 0, 0, half);
      one.recurrenceBias = e.slice(both, 0, half, 2 * half);
    }
    one.hidden = state(5, d);
    if (hasCell)
      one.cell = state(6, d);
    if (node.has(7))
      one.peepholes = e.take(node[7], 0, d);
    one.activations.append(activations.begin() + d * perDirection,
                           activations.begin() + (d + 1) * perDirection);
    directions.push_back(one);
  }
  return !node.failed();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Steps at or beyond a sequence's length keep the state and give zeros.
void Layer::runDirection(Flow &d, Value x, Value lengths) {
  Value products = e.dot(x, d.weights, {}, {}, {2}, {1});
  products = addVector(products, d.inputBias);
  SmallVector<Value> hidden(steps);
  for (int64_t i = 0; i < steps; ++i) {
    int64_t t = d.isReverse ? steps - 1 - i : i;
    Value oldHidden = d.hidden, oldCell = d.cell;
    step(d, e.take(products, 0, t));
    Value shown = d.hidden;
    if (lengths && d.hidden) {
      Value runs = e.compare(Direction::GT, lengths, double(t));
      Value mask = e.broadcastAlong(runs, shapeOf(d.hidden), 0);
      shown = e.select(mask, d.hidden, e.splat(typeOf(d.hidden), 0));
      d.hidden = e.select(mask, d.hidden, oldHidden);
      if (hasCell)
        d.cell = e.select(mask, d.cell, oldCell);
    }
    if (!shown)
      return;
    hidden[t] = e.unsqueeze(shown, 0);
  }
  outputs.push_back(e.concat(hidden, 0));
}

void Layer::setResults() {
  SmallVector<Value> all, lastHidden, lastCell;
  for (auto [d, output] : llvm::zip(directions, outputs)) {
    all.push_back(e.unsqueeze(output, isBatchFirst ? 2 : 1));
    lastHidden.push_back(e.unsqueeze(d.hidden, isBatchFirst ? 1 : 0));
    if (hasCell)
      lastCell.push_back(e.unsqueeze(d.cell, isBatchFirst ? 1 : 0));
  }
  // [steps, directions, batch, hidden], or [batch, steps, directions, hidden].
  Value y = e.concat(all, isBatchFirst ? 2 : 1);
  node.set(0, isBatchFirst ? e.transpose(y, {1, 0, 2, 3}) : y);
  node.set(1, e.concat(lastHidden, isBatchFirst ? 1 : 0));
  if (hasCell)
    node.set(2, e.concat(lastCell, isBatchFirst ? 1 : 0));
}

void Layer::run() {
  if (!read())
    return;
  if (steps == 0)
    return (void)node.error("runs over no steps");
  for (Flow &d : directions)
    runDirection(d, input, lengths);
  if (outputs.size() == directions.size())
    setResults();
}

//===----------------------------------------------------------------------===//
// The three operators
//===----------------------------------------------------------------------===//

namespace {
struct Rnn : Layer {
  explicit Rnn(Node &node) : Layer(node, 1, 1) {}
  void step(Flow &d, Value x) override {
    Value recurrent =
        addVector(product(d.hidden, d.recurrence), d.recurrenceBias);
    d.hidden = apply(d.activations[0], e.binary<AddOp>(x, recurrent));
  }
};

/// Gates z, r, h.
struct Gru : Layer {
  explicit Gru(Node &node)
      : Layer(node, 3, 2), isReset(node.flag("linear_before_reset")) {}
  void step(Flow &d, Value x) override {
    Value recurrent =
        addVector(product(d.hidden, d.recurrence), d.recurrenceBias);
    Value z = apply(d.activations[0],
                    e.binary<AddOp>(gate(x, 0), gate(recurrent, 0)));
    Value r = apply(d.activations[0],
                    e.binary<AddOp>(gate(x, 1), gate(recurrent, 1)));
    Value candidate;
    if (isReset) {
      candidate = e.binary<MulOp>(r, gate(recurrent, 2));
    } else {
      candidate =
          product(e.binary<MulOp>(r, d.hidden), vectorGate(d.recurrence, 2));
      if (d.recurrenceBias)
        candidate = addVector(candidate, vectorGate(d.recurrenceBias, 2));
    }
    Value h = apply(d.activations[1], e.binary<AddOp>(gate(x, 2), candidate));
    // (1 - z) * h + z * hidden
    d.hidden = e.binary<AddOp>(e.binary<MulOp>(e.binary<SubOp>(1.0, z), h),
                               e.binary<MulOp>(z, d.hidden));
  }
  bool isReset;
};

/// Gates i, o, f, c; peepholes i, o, f.
struct Lstm : Layer {
  explicit Lstm(Node &node)
      : Layer(node, 4, 3), isCoupled(node.flag("input_forget")) {
    hasCell = true;
  }
  void step(Flow &d, Value x) override {
    Value sum = e.binary<AddOp>(
        x, addVector(product(d.hidden, d.recurrence), d.recurrenceBias));
    auto peep = [&](Value value, Value cell, int64_t which) {
      if (!d.peepholes)
        return value;
      return e.binary<AddOp>(
          value, e.binary<MulOp>(cell, vectorGate(d.peepholes, which)));
    };
    Value i = apply(d.activations[0], peep(gate(sum, 0), d.cell, 0));
    Value f = isCoupled
                  ? e.binary<SubOp>(1.0, i)
                  : apply(d.activations[0], peep(gate(sum, 2), d.cell, 2));
    Value c = apply(d.activations[1], gate(sum, 3));
    d.cell = e.binary<AddOp>(e.binary<MulOp>(f, d.cell), e.binary<MulOp>(i, c));
    Value o = apply(d.activations[0], peep(gate(sum, 1), d.cell, 1));
    Activation output = d.activations[2];
    d.hidden = e.binary<MulOp>(o, apply(output, d.cell));
  }
  bool isCoupled;
};
} // namespace

void importRnn(Node &node) { Rnn(node).run(); }
void importGru(Node &node) { Gru(node).run(); }
void importLstm(Node &node) { Lstm(node).run(); }

} // namespace smp::frontend
