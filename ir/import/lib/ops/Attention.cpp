// SPDX-License-Identifier: Apache-2.0
// Attention, and the rotation of what it compares.

#include "Attention.h"
#include "Ops.h"
#include <cmath>

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

Value splitHeads(Node &node, Value x, int64_t heads) {
  if (rankOf(x) == 3 && heads >= 1 && dimOf(x, 2) % heads == 0)
    return node.emit.reshape(
        x, {dimOf(x, 0), dimOf(x, 1), heads, dimOf(x, 2) / heads});
  return node.error("splits " + Twine(dimOf(x, 2)) + " features into " +
                    Twine(heads) + " heads");
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Query, key and value are [batch, heads, length, size]. Several heads of the
/// query may share one of the keys: they are rows of one product.
class Attention {
public:
  explicit Attention(Node &node) : node(node), e(node.emit) {}
  void run();

private:
  bool readAttributes();
  bool readTensors();
  Value appended(int64_t past, Value present);
  Value perHead(Value x, int64_t number, StringRef heads);
  Value scores();
  bool readMask();
  void allow(Value condition);
  void allowByPosition();
  Value probabilities(Value scores);
  Value times(Value left, Value right, int64_t contracted);
  Value positions(int64_t dim);
  double infinity() const { return std::numeric_limits<double>::infinity(); }

  Node &node;
  Emitter &e;
  bool isCausal = false, isFlat = false;
  int64_t outputMode = 0, leftWindow = -1, rightWindow = -1;
  double softcap = 0;
  Type precision; ///< Of the softmax.
  Value query, key, value;
  int64_t batch = 0, heads = 0, keyHeads = 0, queries = 0, keys = 0, past = 0;
  /// Where a key takes part (null: everywhere), and what is added to its score
  /// (null: nothing). Both broadcast to [batch, heads, queries, keys].
  Value allowed, bias;
  bool mayAllowNothing = false; ///< Whether a query may be left without a key.
};
} // namespace

bool Attention::readAttributes() {
  isCausal = node.flag("is_causal");
  outputMode = node.integer("qk_matmul_output_mode");
  softcap = node.number("softcap");
  precision = e.accurate(elementOf(node[0]));
  if (node.hasAttr("softmax_precision"))
    precision = node.elementType(node.integer("softmax_precision"));
  if (node.since >= 25) {
    leftWindow = node.integer("left_window_size", -1);
    rightWindow = node.integer("right_window_size", -1);
  }
  if (!precision)
    return false;
  if (!isa<FloatType>(precision) || !isFloat(node[0])) {
    node.error("computes with something else than floats");
    return false;
  }
  if (outputMode >= 0 && outputMode <= 3)
    return true;
  node.error("has the qk_matmul_output_mode " + Twine(outputMode) +
             "; it must be in 0..3");
  return false;
}

/// Input `number` by heads: as it is, or split.
Value Attention::perHead(Value x, int64_t number, StringRef attribute) {
  int64_t count = node.integer(attribute);
  if (rankOf(x) == 4)
    return x;
  if (rankOf(x) == 3)
    return e.transpose(splitHeads(node, x, count), {0, 2, 1, 3});
  return node.error("has an input " + Twine(number) + " of rank " +
                    Twine(rankOf(x)) + "; it takes 3 or 4");
}

/// What an earlier step has kept (input `past`), and what this one adds.
Value Attention::appended(int64_t past, Value present) {
  return node.has(past) ? e.concat({node[past], present}, 2) : present;
}

bool Attention::readTensors() {
  isFlat = rankOf(node[0]) == 3;
  query = perHead(node[0], 0, "q_num_heads");
  key = appended(4, perHead(node[1], 1, "kv_num_heads"));
  value = appended(5, perHead(node[2], 2, "kv_num_heads"));
  if (!query || !key || !value)
    return false;
  batch = dimOf(query, 0), heads = dimOf(query, 1), queries = dimOf(query, 2);
  keyHeads = dimOf(key, 1), keys = dimOf(key, 2);
  past = node.has(4) ? dimOf(node[4], 2) : 0;
  bool fits = rankOf(node[1]) == rankOf(node[0]) &&
              rankOf(node[2]) == rankOf(node[0]) && dimOf(key, 0) == batch &&
              dimOf(key, 3) == dimOf(query, 3) && keyHeads >= 1 &&
              heads % keyHeads == 0 &&
              shapeOf(value).take_front(3) == shapeOf(key).take_front(3) &&
              node.has(4) == node.has(5);
  if (!fits)
    node.error("has keys and values that do not fit its queries");
  return fits;
}

/// left * right by batch and head of the keys, for each head of the queries.
Value Attention::times(Value left, Value right, int64_t contracted) {
  IntVector rows{batch, keyHeads, heads / keyHeads * queries, dimOf(left, 3)};
  Value product =
      e.dot(e.reshape(left, rows), right, {0, 1}, {0, 1}, {3}, {contracted});
  if (!product)
    return {};
  return e.reshape(product, {batch, heads, queries, dimOf(product, 3)});
}

/// Scaled products of queries and keys.
Value Attention::scores() {
  double scale = node.number("scale", 1 / std::sqrt(double(dimOf(query, 3))));
  return times(e.binary<MulOp>(query, scale), key, 3);
}

//===----------------------------------------------------------------------===//
// Which keys take part
//===----------------------------------------------------------------------===//

void Attention::allow(Value condition) {
  allowed = allowed ? e.binary<AndOp>(allowed, condition) : condition;
}

/// Input 3: bool, or added to the scores, where -inf excludes. One that ends
/// before the keys do excludes the others.
bool Attention::readMask() {
  Value mask = node[3];
  if (!mask)
    return true;
  IntVector all{batch, heads, queries, keys}, shape(shapeOf(mask));
  if (int64_t missing = shape.empty() ? 0 : keys - shape.back(); missing > 0) {
    IntVector low(shape.size(), 0), high(shape.size(), 0);
    high.back() = missing;
    Value fill = e.scalar(elementOf(mask), isBool(mask) ? 0 : -infinity());
    mask = e.pad(mask, low, high, fill);
    shape.back() = keys;
  }
  auto common = broadcastShapes(shape, all);
  if (!mask || !common || *common != all) {
    node.error("has a mask that does not broadcast to its scores");
    return false;
  }
  mayAllowNothing = true;
  if (isBool(mask)) {
    allow(mask);
    return true;
  }
  if (elementOf(mask) != elementOf(query)) {
    node.error("adds a mask of another element type");
    return false;
  }
  bias = mask;
  allow(e.compare(Direction::NE, mask, -infinity()));
  return true;
}

/// 0, 1, ... along dimension `dim` of the scores.
Value Attention::positions(int64_t dim) {
  IntVector shape(4, 1);
  shape[dim] = dim == 2 ? queries : keys;
  return e.iota(e.builder.getI64Type(), shape, dim);
}

/// Excludes keys that come after their query, lie outside its window, or are no
/// keys: beyond the first nonpad_kv_seqlen (input 6) of their batch element.
void Attention::allowByPosition() {
  Value lengths = node[6];
  if (lengths) {
    lengths = e.reshape(lengths, {batch, 1, 1, 1});
    allow(e.compare(Direction::LT, positions(3), lengths));
    mayAllowNothing = true;
  }
  if (!isCausal && leftWindow < 0 && rightWindow < 0)
    return;
  // Where the queries stand among the keys: they are the last ones.
  Value query = e.binary<AddOp>(positions(2), double(past));
  if (lengths && !node.has(4))
    query = e.binary<AddOp>(query, e.binary<SubOp>(lengths, double(queries)));
  mayAllowNothing |= leftWindow >= 0 || rightWindow >= 0;
  if (isCausal)
    allow(e.compare(Direction::LE, positions(3), query));
  if (leftWindow >= 0)
    allow(e.compare(Direction::GE, positions(3),
                    e.binary<SubOp>(query, double(leftWindow))));
  if (rightWindow >= 0)
    allow(e.compare(Direction::LE, positions(3),
                    e.binary<AddOp>(query, double(rightWindow))));
}

/// The softmax of the scores; all zero for a query whose scores are all -inf,
/// be it that it has no keys or that its mask, once added, left none.
Value Attention::probabilities(Value scores) {
  Value x = e.convert(scores, precision), hasKeys;
  if (mayAllowNothing) {
    Value highest = e.reduce(ReduceKind::Max, x, {3}, /*keepDims=*/true);
    hasKeys = e.compare(Direction::NE, highest, -infinity());
    x = e.select(hasKeys, x, e.splat(typeOf(x), 0));
  }
  Value result = e.convert(e.softmax(x, 3), elementOf(scores));
  return hasKeys ? e.select(hasKeys, result, e.splat(typeOf(result), 0))
                 : result;
}

void Attention::run() {
  if (!readAttributes() || !readTensors() || !readMask())
    return;
  allowByPosition();
  Value shown[4];
  Value x = shown[0] = scores();
  if (softcap != 0)
    x = e.binary<MulOp>(e.unary<TanhOp>(e.binary<DivOp>(x, softcap)), softcap);
  shown[1] = x;
  if (bias)
    x = e.binary<AddOp>(x, bias);
  if (allowed && x)
    x = e.select(allowed, x, e.splat(typeOf(x), -infinity()));
  shown[2] = x;
  if (!x)
    return;
  shown[3] = probabilities(x);
  Value y = times(e.convert(shown[3], elementOf(value)), value, 2);
  y = e.convert(y, elementOf(query));
  if (isFlat && y)
    y = e.reshape(e.transpose(y, {0, 2, 1, 3}),
                  {batch, queries, heads * dimOf(value, 3)});
  node.set(0, y);
  node.set(1, key);
  node.set(2, value);
  node.set(3, shown[outputMode]);
}

void importAttention(Node &node) { Attention(node).run(); }

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// Turns pairs of features of `x` by angles whose cosines and sines are given,
/// broadcast to them. The pairs are neighbours, or one of each half.
static Value rotate(Emitter &e, Value x, Value cosine, Value sine,
                    bool isInterleaved) {
  int64_t last = rankOf(x) - 1, size = dimOf(x, last), half = size / 2;
  Value a =
      isInterleaved ? e.slice(x, last, 0, size, 2) : e.slice(x, last, 0, half);
  Value b = isInterleaved ? e.slice(x, last, 1, size, 2)
                          : e.slice(x, last, half, size);
  Value real =
      e.binary<SubOp>(e.binary<MulOp>(cosine, a), e.binary<MulOp>(sine, b));
  Value imaginary =
      e.binary<AddOp>(e.binary<MulOp>(sine, a), e.binary<MulOp>(cosine, b));
  if (!isInterleaved)
    return e.concat({real, imaginary}, last);
  Value pairs =
      e.concat({e.unsqueeze(real, last + 1), e.unsqueeze(imaginary, last + 1)},
               last + 1);
  return e.reshape(pairs, shapeOf(x));
}

void importRotaryEmbedding(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  int64_t heads = node.integer("num_heads");
  int64_t rotated = node.integer("rotary_embedding_dim");
  bool isInterleaved = node.flag("interleaved");
  bool isFlat = rankOf(x) == 3;
  if (!isFlat && rankOf(x) != 4)
    return (void)node.error("turns a tensor of rank " + Twine(rankOf(x)) +
                            "; it takes 3 or 4");
  Value split = isFlat ? splitHeads(node, x, heads) : x;
  if (!split)
    return;
  int64_t size = dimOf(split, 3), headDim = isFlat ? 2 : 1;
  int64_t length = dimOf(split, isFlat ? 1 : 2);
  if (rotated == 0)
    rotated = size;
  if (rotated < 2 || rotated > size || rotated % 2)
    return (void)node.error("turns " + Twine(rotated) + " of " + Twine(size) +
                            " features; it takes an even number of them");
  // [batch, length, rotated / 2], then beside the heads.
  IntVector angles{dimOf(x, 0), length, rotated / 2};
  auto table = [&](int64_t i) -> Value {
    Value given = node[i];
    if (node.has(3))
      given = e.gather(given, node[3], 0);
    if (given && shapeOf(given) == Ints(angles))
      return e.unsqueeze(given, headDim);
    return node.error("has a cache of cosines or sines that does not fit its "
                      "input");
  };
  Value cosine = table(1), sine = table(2);
  Value result =
      rotate(e, e.slice(split, 3, 0, rotated), cosine, sine, isInterleaved);
  if (rotated != size)
    result = e.concat({result, e.slice(split, 3, rotated, size)}, 3);
  node.set(e.reshape(result, shapeOf(x)));
}

} // namespace smp::frontend
