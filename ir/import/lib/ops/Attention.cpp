// SPDX-License-Identifier: Apache-2.0
// Attention: softmax of products of queries and keys, times values.

#include "Attention.h"
#include "Ops.h"
#include "smp/ir/ModelTypes.h"
#include <cmath>

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

Value splitHeads(Node &node, Value x, int64_t heads) {
  if (rankOf(x) == 3 && heads >= 1 && dimOf(x, 2) % heads == 0)
    return node.emit.reshape(
        x, {dimOf(x, 0), dimOf(x, 1), heads, dimOf(x, 2) / heads});
  return node.error("splits " + Twine(dimOf(x, 2)) + " features into " +
                    Twine(heads) + " heads; an input of shape " +
                    text(shapeOf(x)) +
                    " must be [batch, length, heads * size]");
}

Value splitHeads(Node &node, Value x, StringRef attribute) {
  if (node.hasAttr(attribute))
    return splitHeads(node, x, node.integer(attribute));
  return node.error("has no attribute '" + attribute + "'; an input of shape " +
                    text(shapeOf(x)) +
                    " needs to know of how many heads it is");
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
  bool require(bool condition, const Twine &rule);
  bool readTensors();
  bool fitsTogether();
  bool fitsPast(int64_t past, Value present);
  bool readLengths();
  Value perHead(int64_t number, StringRef attribute);
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
  Value lengths; ///< Of the keys, per batch element; null: all are keys.
  int64_t batch = 0, heads = 0, keyHeads = 0, queries = 0, keys = 0, past = 0;
  /// Where a key takes part (null: everywhere), and what is added to its score
  /// (null: nothing). Both broadcast to [batch, heads, queries, keys].
  Value allowed, bias;
  bool mayAllowNothing = false; ///< Whether a query may be left without a key.
};
} // namespace

/// Reports an error unless `condition` holds. Returns the condition.
bool Attention::require(bool condition, const Twine &rule) {
  if (!condition)
    node.error(rule);
  return condition;
}

static constexpr const char *kWindowRule =
    "; it must be -1, for no bound, or how many keys beside its own a query "
    "sees";

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
  return require(isa<FloatType>(precision) && isFloat(node[0]),
                 "computes with something else than floats") &&
         require(outputMode >= 0 && outputMode <= 3,
                 "has the qk_matmul_output_mode " + Twine(outputMode) +
                     "; it must be in 0..3") &&
         require(leftWindow >= -1, "has the left_window_size " +
                                       Twine(leftWindow) + kWindowRule) &&
         require(rightWindow >= -1, "has the right_window_size " +
                                        Twine(rightWindow) + kWindowRule);
}

/// Input `number` by heads: as it is, or split.
Value Attention::perHead(int64_t number, StringRef attribute) {
  Value x = node[number];
  node.ignore(attribute); // Where the inputs are by heads.
  if (rankOf(x) == 4)
    return x;
  if (rankOf(x) == 3)
    return e.transpose(splitHeads(node, x, attribute), {0, 2, 1, 3});
  return node.error("has an input " + Twine(number) + " of rank " +
                    Twine(rankOf(x)) + "; it takes 3 or 4");
}

/// Whether what was kept (input `past`) goes before what is new.
bool Attention::fitsPast(int64_t past, Value present) {
  Ints kept = shapeOf(node[past]);
  IntVector wanted(shapeOf(present));
  if (kept.size() == 4)
    wanted[2] = kept[2];
  return require(kept == Ints(wanted),
                 "has an input " + Twine(past) + " of shape " + text(kept) +
                     " to go before one of shape " + text(shapeOf(present)) +
                     "; they must differ in dimension 2 alone");
}

/// Whether query, key and value, all by heads, are of one attention.
bool Attention::fitsTogether() {
  std::string start = "has keys of shape " + text(shapeOf(key)) +
                      " and values of shape " + text(shapeOf(value)) +
                      " that do not fit its queries of shape " +
                      text(shapeOf(query)) + ", by heads: ";
  return require(dimOf(key, 0) == batch, start + "the batch must be one") &&
         require(dimOf(key, 3) == dimOf(query, 3),
                 start + "the size of a key must be that of a query") &&
         require(keyHeads >= 1 && heads % keyHeads == 0,
                 start + "the heads of keys must divide those of queries") &&
         require(shapeOf(value).take_front(3) == shapeOf(key).take_front(3),
                 start + "there must be a value for each key");
}

bool Attention::readTensors() {
  isFlat = rankOf(node[0]) == 3;
  query = perHead(0, "q_num_heads");
  key = perHead(1, "kv_num_heads");
  value = perHead(2, "kv_num_heads");
  if (!query || !key || !value)
    return false;
  if (!require(rankOf(node[1]) == rankOf(node[0]) &&
                   rankOf(node[2]) == rankOf(node[0]),
               "has query, key and value of ranks " + Twine(rankOf(node[0])) +
                   ", " + Twine(rankOf(node[1])) + " and " +
                   Twine(rankOf(node[2])) + "; they must have one") ||
      !require(node.has(4) == node.has(5),
               "has one of past_key and past_value; it takes both or none"))
    return false;
  if (node.has(4)) {
    if (!fitsPast(4, key) || !fitsPast(5, value))
      return false;
    past = dimOf(node[4], 2);
    key = e.concat({node[4], key}, 2), value = e.concat({node[5], value}, 2);
  }
  if (!key || !value)
    return false;
  batch = dimOf(query, 0), heads = dimOf(query, 1), queries = dimOf(query, 2);
  keyHeads = dimOf(key, 1), keys = dimOf(key, 2);
  return fitsTogether() && readLengths();
}

/// Input 6, how many keys of each batch element are none that were added to
/// make all as many.
bool Attention::readLengths() {
  lengths = node[6];
  if (!lengths)
    return true;
  return require(node.since >= 24, "has an input 6, nonpad_kv_seqlen, which it "
                                   "takes from opset 24 on") &&
         require(!node.has(4), "has both nonpad_kv_seqlen and past_key; the "
                               "keys are either in a cache of the caller's or "
                               "appended here") &&
         require(elementOf(lengths).isSignlessInteger(64) &&
                     shapeOf(lengths) == Ints{batch},
                 "has a nonpad_kv_seqlen of type " +
                     toString(toModel(typeOf(lengths))) + "; it must be " +
                     toString(TensorType{DType::I64, {batch}}));
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
  if (!mask ||
      !require(common == all, "has a mask of shape " + text(shapeOf(node[3])) +
                                  " that does not broadcast to its scores, " +
                                  text(all)))
    return false;
  mayAllowNothing = true;
  if (isBool(mask)) {
    allow(mask);
    return true;
  }
  if (!require(elementOf(mask) == elementOf(query),
               "adds a mask of type " + toString(toModel(typeOf(mask))) +
                   " to scores of type " +
                   toString(toModel(typeOf(query).clone(all)))))
    return false;
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
  if (lengths) {
    lengths = e.reshape(lengths, {batch, 1, 1, 1});
    allow(e.compare(Direction::LT, positions(3), lengths));
    mayAllowNothing = true;
  }
  if (!isCausal && leftWindow < 0 && rightWindow < 0)
    return;
  // Where the queries stand among the keys: they are the last ones.
  Value query = e.binary<AddOp>(positions(2), double(past));
  if (lengths)
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
  if (softcap > 0)
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

} // namespace smp::frontend
