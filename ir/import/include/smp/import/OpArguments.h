// SPDX-License-Identifier: Apache-2.0
// What some of GraphBuilder's calls take beside tensors.

#ifndef SMP_IMPORT_OPARGUMENTS_H
#define SMP_IMPORT_OPARGUMENTS_H

#include "smp/import/Tensor.h"
#include <vector>

namespace smp {

/// Dimensions, or a number per dimension.
using Axes = std::vector<int64_t>;

/// Of an input that is not split into microbatches, and of an output about
/// which nothing is said.
inline constexpr int64_t kNoBatchAxis = -1;

/// What becomes of the values that microbatches give to an output: their sum,
/// their mean, or all of them along a new first axis.
enum class JoinBy { Sum, Mean, Stack };

/// What an entry is run for.
enum class EntryMode { Train = 1, Eval = 2, Predict = 3, Global = 4 };

enum class Gelu { Exact, Tanh };
enum class Comparison {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual
};
enum class Reduction { Sum, Prod, Max, Min, SumSquares };
enum class KeepDims { No, Yes };
/// What a padded element holds.
enum class PadKind { Constant, Edge, Reflect, Wrap };
/// How the values of microbatches become one.
enum class Accumulation { Mean, Sum };
/// Whether a mean divides by padded positions too.
enum class AvgPadding { Excluded, Counted };
/// How an update meets the element that it falls on.
enum class Scatter { Replace, Sum, Prod, Max, Min };
enum class TopKOf { Largest, Smallest };

/// Dimensions of the operands of a product: pairs by position.
struct DotAxes {
  Axes xBatch, yBatch, xContract, yContract;
};

/// A window that slides over the spatial dimensions: [batch, features,
/// spatial...] or, channelsLast, [batch, spatial..., features]. Lists have one
/// number per spatial dimension, or one for all; empty ones are the default.
struct Window {
  Axes size;      ///< A convolution's is its filter's.
  Axes strides;   ///< Default 1.
  Axes low, high; ///< Padding before and after; default 0.
  Axes dilations; ///< Default 1.
  bool channelsLast = false;
};

struct ScanForm {
  bool exclusive = false; ///< An element is not part of its own result.
  bool reverse = false;   ///< From the last to the first.
};

/// The greatest or least elements in order, and their indices (i64).
struct TopK {
  Tensor values, indices;
};

/// As long as it lives, names begin with the scope's. Scopes end in the reverse
/// order of their beginning.
class [[nodiscard]] NameScope {
public:
  NameScope(const NameScope &) = delete;
  NameScope &operator=(const NameScope &) = delete;
  ~NameScope();

private:
  friend class GraphBuilder;
  explicit NameScope(GraphBuilder &builder) : builder(builder) {}
  GraphBuilder &builder; // Borrowed; outlives the scope.
};

/// See GraphBuilder::recompute(). Scopes end in the reverse order of their
/// beginning.
class [[nodiscard]] RecomputeScope {
public:
  RecomputeScope(const RecomputeScope &) = delete;
  RecomputeScope &operator=(const RecomputeScope &) = delete;
  ~RecomputeScope();

private:
  friend class GraphBuilder;
  explicit RecomputeScope(GraphBuilder &builder) : builder(builder) {}
  GraphBuilder &builder; // Borrowed; outlives the scope.
};

} // namespace smp

#endif // SMP_IMPORT_OPARGUMENTS_H
