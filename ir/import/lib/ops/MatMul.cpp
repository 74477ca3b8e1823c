// SPDX-License-Identifier: Apache-2.0
// Products of matrices, and Einstein's notation.

#include "Ops.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

void importMatMul(Node &node) { node.set(node.emit.matmul(node[0], node[1])); }

void importGemm(Node &node) {
  Emitter &e = node.emit;
  Value a = node[0], b = node[1], c = node[2];
  if (rankOf(a) != 2 || rankOf(b) != 2)
    return (void)node.error("multiplies tensors of rank " + Twine(rankOf(a)) +
                            " and " + Twine(rankOf(b)) + "; it takes matrices");
  double alpha = node.number("alpha", 1), beta = node.number("beta", 1);
  bool transA = node.flag("transA"), transB = node.flag("transB");
  if (transA)
    a = e.transpose(a, {1, 0});
  Value product = e.dot(a, b, {}, {}, {1}, {transB ? 1 : 0});
  product = e.binary<MulOp>(product, alpha);
  if (c && product) {
    Value scaled = e.binary<MulOp>(c, beta);
    product = e.binary<AddOp>(product, e.broadcastTo(scaled, shapeOf(product)));
  }
  node.set(product);
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

namespace {
/// A tensor whose dimensions have letters.
struct Labelled {
  Value value;
  std::string labels;
};

/// Evaluates an equation pairwise from the left.
class Einsum {
public:
  explicit Einsum(Node &node) : node(node), e(node.emit) {}
  void run();

private:
  bool parse(StringRef equation);
  std::optional<std::string> expand(StringRef term, int64_t rank);
  Labelled dropRepeats(Labelled x);
  Labelled sumAway(Labelled x, StringRef keep);
  Labelled multiply(Labelled x, Labelled y, StringRef keep);
  Value arrange(Labelled x, StringRef order);

  Node &node;
  Emitter &e;
  SmallVector<Labelled> operands;
  std::string output;
  int64_t ellipsisRank = 0;
};
} // namespace

/// The labels of a term; an ellipsis becomes digits that no letter uses.
std::optional<std::string> Einsum::expand(StringRef term, int64_t rank) {
  auto [before, after] = term.split("...");
  bool hasEllipsis = term.contains("...");
  int64_t hidden = rank - int64_t(before.size() + after.size());
  if (hidden < 0 || (!hasEllipsis && hidden) || hidden > 10 ||
      !llvm::all_of(before.str() + after.str(), llvm::isAlpha)) {
    node.error("has the term '" + term + "' for a tensor of rank " +
               Twine(rank));
    return std::nullopt;
  }
  ellipsisRank = std::max(ellipsisRank, hidden);
  std::string labels = before.str();
  for (int64_t i = hidden; i > 0; --i) // Aligned at their ends: '0' is last.
    labels += char('0' + i - 1);
  return labels + after.str();
}

bool Einsum::parse(StringRef equation) {
  std::string compact = equation.str();
  llvm::erase(compact, ' ');
  auto [left, right] = StringRef(compact).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (int64_t(terms.size()) != node.numInputs()) {
    node.error("has " + Twine(terms.size()) + " terms for " +
               Twine(node.numInputs()) + " inputs");
    return false;
  }
  std::map<char, int> uses;
  for (auto [i, term] : llvm::enumerate(terms)) {
    Value value = node[int64_t(i)];
    auto labels = expand(term, rankOf(value));
    if (!labels)
      return false;
    for (char label : *labels)
      ++uses[label];
    operands.push_back({value, *labels});
  }
  std::string hidden;
  for (int64_t i = ellipsisRank; i > 0; --i)
    hidden += char('0' + i - 1);
  if (StringRef(compact).contains("->")) {
    auto [before, after] = right.split("...");
    output = before.str() + (right.contains("...") ? hidden : "") + after.str();
  } else {
    output = hidden;
    for (auto [label, count] : uses)
      if (llvm::isAlpha(label) && count == 1)
        output += label;
  }
  for (char label : output)
    if (!uses.count(label) || llvm::count(output, label) != 1) {
      node.error("has the result '" + right +
                 "', whose letters must each be in "
                 "a term and differ");
      return false;
    }
  return true;
}

/// A label used twice in a term means the diagonal.
Labelled Einsum::dropRepeats(Labelled x) {
  for (size_t i = 0; x.value && i < x.labels.size(); ++i) {
    size_t j = x.labels.find(x.labels[i], i + 1);
    if (j == std::string::npos)
      continue;
    int64_t size = dimOf(x.value, int64_t(i));
    if (size != dimOf(x.value, int64_t(j))) {
      node.error("takes a diagonal of dimensions of different sizes");
      return {};
    }
    Type i64 = e.builder.getI64Type();
    Value onDiagonal =
        e.compare(Direction::EQ, e.iota(i64, shapeOf(x.value), int64_t(i)),
                  e.iota(i64, shapeOf(x.value), int64_t(j)));
    Value kept = e.select(onDiagonal, x.value, e.splat(typeOf(x.value), 0));
    x.value = e.reduce(ReduceKind::Sum, kept, {int64_t(j)}, /*keepDims=*/false);
    x.labels.erase(j, 1);
    --i;
  }
  return x;
}

/// Sums over what nobody needs any more.
Labelled Einsum::sumAway(Labelled x, StringRef keep) {
  IntVector dims;
  std::string labels;
  for (auto [i, label] : llvm::enumerate(x.labels)) {
    if (keep.contains(label))
      labels += label;
    else
      dims.push_back(int64_t(i));
  }
  if (dims.empty())
    return x;
  return {e.reduce(ReduceKind::Sum, x.value, dims, /*keepDims=*/false), labels};
}

Labelled Einsum::multiply(Labelled x, Labelled y, StringRef keep) {
  // A dimension of size 1 broadcasts: drop it where the other is larger.
  auto dropUnits = [&](Labelled &from, const Labelled &other) {
    for (size_t i = from.labels.size(); from.value && i-- > 0;) {
      size_t j = other.labels.find(from.labels[i]);
      if (j != std::string::npos && dimOf(from.value, int64_t(i)) == 1 &&
          dimOf(other.value, int64_t(j)) != 1) {
        from.value = e.squeeze(from.value, int64_t(i));
        from.labels.erase(i, 1);
      }
    }
  };
  dropUnits(x, y);
  dropUnits(y, x);
  x = sumAway(x, keep.str() + y.labels);
  y = sumAway(y, keep.str() + x.labels);
  IntVector xBatch, yBatch, xContract, yContract;
  std::string batch, xFree, yFree;
  for (auto [i, label] : llvm::enumerate(x.labels)) {
    size_t j = y.labels.find(label);
    if (j == std::string::npos) {
      xFree += label;
    } else if (keep.contains(label)) {
      batch += label;
      xBatch.push_back(int64_t(i));
      yBatch.push_back(int64_t(j));
    } else {
      xContract.push_back(int64_t(i));
      yContract.push_back(int64_t(j));
    }
  }
  for (char label : y.labels)
    if (!StringRef(x.labels).contains(label))
      yFree += label;
  return {e.dot(x.value, y.value, xBatch, yBatch, xContract, yContract),
          batch + xFree + yFree};
}

Value Einsum::arrange(Labelled x, StringRef order) {
  IntVector permutation;
  for (char label : order) {
    size_t i = x.labels.find(label);
    if (i == std::string::npos)
      return node.error("loses the dimension '" + Twine(label) + "'");
    permutation.push_back(int64_t(i));
  }
  return e.transpose(x.value, permutation);
}

void Einsum::run() {
  if (!parse(node.text("equation")))
    return;
  Labelled result = dropRepeats(operands.front());
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string keep = output;
    for (size_t j = i + 1; j < operands.size(); ++j)
      keep += operands[j].labels;
    result = multiply(result, dropRepeats(operands[i]), keep);
    if (!result.value)
      return;
  }
  node.set(arrange(sumAway(result, output), output));
}

void importEinsum(Node &node) { Einsum(node).run(); }

} // namespace smp::frontend
