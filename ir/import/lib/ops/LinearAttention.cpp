// SPDX-License-Identifier: Apache-2.0
// Attention whose memory is one matrix per head: one step after the other.

#include "Attention.h"
#include "Ops.h"
#include <cmath>

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// Unrolling makes some ops per step.
static constexpr int64_t kMaxSteps = 4096;

namespace {
/// Tensors are [batch, steps, heads, size], the state [batch, heads, key size,
/// value size]. Several heads of the query may share one of the keys.
class LinearAttention {
public:
  explicit LinearAttention(Node &node) : node(node), e(node.emit) {}
  void run();

private:
  bool readRule();
  bool readTensors();
  bool readGates();
  Value heads(int64_t input, int64_t count);
  Value step(int64_t t);

  Node &node;
  Emitter &e;
  bool hasDecay = false, hasDelta = false;
  int64_t queryHeads = 0, keyHeads = 0, batch = 0, steps = 0;
  int64_t keySize = 0, valueSize = 0;
  Type type; ///< What is computed with.
  Value query, key, value, state;
  Value decay; ///< What the state is multiplied by; its last size may be 1.
  Value rate;  ///< Sizes of heads and last dimension may be 1.
};
} // namespace

bool LinearAttention::readRule() {
  std::string rule = node.word("update_rule", "gated_delta",
                               {"linear", "gated", "delta", "gated_delta"});
  node.ignore("chunk_size"); // How to compute, not what.
  hasDecay = StringRef(rule).starts_with("gated");
  hasDelta = StringRef(rule).ends_with("delta");
  queryHeads = node.integer("q_num_heads");
  keyHeads = node.integer("kv_num_heads");
  bool fits = keyHeads >= 1 && queryHeads >= 1 && queryHeads % keyHeads == 0;
  if (!fits)
    node.error("shares " + Twine(keyHeads) + " heads of the keys among " +
               Twine(queryHeads) + " of the queries");
  else if (hasDecay != node.has(4) || hasDelta != node.has(5))
    node.error("has another decay or beta than its update_rule '" +
               Twine(rule) + "' takes");
  return !node.failed();
}

/// An input by heads, in the type that is computed with.
Value LinearAttention::heads(int64_t input, int64_t count) {
  Value x = splitHeads(node, node[input], count);
  if (!x || (dimOf(x, 0) == batch && dimOf(x, 1) == steps))
    return e.convert(x, type);
  return node.error("has an input " + Twine(input) +
                    " of another batch or number of steps");
}

bool LinearAttention::readTensors() {
  batch = dimOf(node[0], 0), steps = dimOf(node[0], 1);
  if (steps < 1 || steps > kMaxSteps) {
    node.error("runs over " + Twine(steps) + " steps; 1 to " +
               Twine(kMaxSteps) + " are unrolled");
    return false;
  }
  type = e.accurate(elementOf(node[0]));
  query = heads(0, queryHeads);
  key = heads(1, keyHeads);
  value = heads(2, keyHeads);
  if (!query || !key || !value)
    return false;
  keySize = dimOf(key, 3), valueSize = dimOf(value, 3);
  double scale = node.number("scale");
  query = e.binary<MulOp>(query,
                          scale == 0 ? 1 / std::sqrt(double(keySize)) : scale);
  IntVector shape{batch, keyHeads, keySize, valueSize};
  state = node.has(3) ? e.convert(node[3], type)
                      : e.splat(RankedTensorType::get(shape, type), 0);
  bool fits = dimOf(query, 3) == keySize && shapeOf(state) == Ints(shape);
  if (!fits)
    node.error("has keys or a past_state that do not fit its queries");
  return fits;
}

/// The decay, per head or per element of the keys, and the rate, per head or
/// one for all.
bool LinearAttention::readGates() {
  if (hasDecay)
    decay = e.unary<ExpOp>(heads(4, keyHeads));
  if (hasDelta)
    rate = heads(5, dimOf(node[5], 2));
  if (node.failed())
    return false;
  bool fits = !hasDecay || dimOf(decay, 3) == 1 || dimOf(decay, 3) == keySize;
  if (hasDelta) {
    fits = fits && (dimOf(rate, 2) == 1 || dimOf(rate, 2) == keyHeads);
  }
  if (!fits)
    node.error("has a decay or beta that does not fit its keys");
  return fits;
}

/// Step `t` changes the state; what the queries read of it, [batch, 1, query
/// heads * value size].
Value LinearAttention::step(int64_t t) {
  Value k = e.take(key, 1, t), v = e.take(value, 1, t);
  if (decay)
    state = e.binary<MulOp>(state, e.unsqueeze(e.take(decay, 1, t), 3));
  if (rate) {
    Value known = e.dot(k, state, {0, 1}, {0, 1}, {2}, {2});
    v = e.binary<MulOp>(e.take(rate, 1, t), e.binary<SubOp>(v, known));
  }
  state = e.binary<AddOp>(
      state, e.binary<MulOp>(e.unsqueeze(k, 3), e.unsqueeze(v, 2)));
  Value q = e.reshape(e.take(query, 1, t),
                      {batch, keyHeads, queryHeads / keyHeads, keySize});
  return e.reshape(e.dot(q, state, {0, 1}, {0, 1}, {3}, {2}),
                   {batch, 1, queryHeads * valueSize});
}

void LinearAttention::run() {
  if (!isFloat(node[0]))
    return (void)node.error("computes with something else than floats");
  if (!readRule() || !readTensors() || !readGates())
    return;
  SmallVector<Value> read;
  for (int64_t t = 0; t < steps; ++t)
    read.push_back(step(t));
  node.set(0, e.convert(e.concat(read, 1), elementOf(node[0])));
  node.set(1, e.convert(state, elementOf(node[node.has(3) ? 3 : 0])));
}

void importLinearAttention(Node &node) { LinearAttention(node).run(); }

} // namespace smp::frontend
