// SPDX-License-Identifier: Apache-2.0
// The rotation of what attention compares.

#include "Attention.h"
#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

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

/// A table of cosines or sines, input `i`: at the positions that input 3 gives,
/// where it does. It must hold a number per pair that is turned.
static Value readAngles(Node &node, int64_t i, Ints expected) {
  Value given = node[i];
  if (node.has(3))
    given = node.emit.gather(given, node[3], 0);
  if (!given || shapeOf(given) == expected)
    return given;
  return node.error(Twine("has a cache of ") + (i == 1 ? "cosines" : "sines") +
                    " that does not fit its input: " +
                    (node.has(3) ? "at its position_ids it" : "it") +
                    " is of shape " + text(shapeOf(given)) +
                    "; it must be [batch, length, pairs of features], here " +
                    text(expected));
}

void importRotaryEmbedding(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  int64_t rotated = node.integer("rotary_embedding_dim");
  bool isInterleaved = node.flag("interleaved");
  bool isFlat = rankOf(x) == 3;
  if (!isFlat && rankOf(x) != 4)
    return (void)node.error("turns a tensor of rank " + Twine(rankOf(x)) +
                            "; it takes 3 or 4");
  node.ignore("num_heads"); // Where the input is by heads.
  Value split = isFlat ? splitHeads(node, x, "num_heads") : x;
  if (!split)
    return;
  int64_t size = dimOf(split, 3), headDim = isFlat ? 2 : 1;
  int64_t length = dimOf(split, isFlat ? 1 : 2);
  if (rotated == 0)
    rotated = size;
  if (rotated < 2 || rotated > size || rotated % 2)
    return (void)node.error("turns " + Twine(rotated) + " of " + Twine(size) +
                            " features; it takes an even number of them");
  IntVector angles{dimOf(x, 0), length, rotated / 2};
  Value cosine = readAngles(node, 1, angles),
        sine = readAngles(node, 2, angles);
  if (!cosine || !sine)
    return;
  Value result =
      rotate(e, e.slice(split, 3, 0, rotated), e.unsqueeze(cosine, headDim),
             e.unsqueeze(sine, headDim), isInterleaved);
  if (rotated != size)
    result = e.concat({result, e.slice(split, 3, rotated, size)}, 3);
  node.set(e.reshape(result, shapeOf(x)));
}

} // namespace smp::frontend
