// SPDX-License-Identifier: Apache-2.0
// Elements combined along dimensions.

#include "Numbers.h"
#include "Strided.h"
#include "Table.h"
#include <algorithm>

using namespace smp;
using namespace smp::reference;

static Kind readKind(Call &call) {
  return Kind(call.word("kind", {"sum", "prod", "max", "min"}));
}

static void reduce(Call &call) {
  const int64_t word =
      call.word("kind", {"sum", "prod", "max", "min", "sum_squares"});
  const bool squares = word == 4;
  const Kind kind = squares ? Kind::Sum : Kind(word);
  call.require(!squares || isFloat(call.dtype(0)),
               "squares are summed of floats only");
  const Shape &from = call.shape(0);
  const std::vector<int64_t> &reduced =
      call.dimensions("dimensions", from.size());
  call.require(call.dtype(0) != DType::Bool || kind == Kind::Max ||
                   kind == Kind::Min,
               "bool is combined by max (or) or min (and) only");
  std::vector<int64_t> order;
  Shape shape;
  for (int64_t dim = 0; dim < int64_t(from.size()); ++dim)
    if (std::find(reduced.begin(), reduced.end(), dim) == reduced.end()) {
      order.push_back(dim);
      shape.push_back(from[size_t(dim)]);
    }
  HostTensor *result = call.makeResult({call.dtype(0), shape});
  if (!result)
    return;
  // Along each row in row-major order of the input.
  for (int64_t dim = 0; dim < int64_t(from.size()); ++dim)
    if (std::find(reduced.begin(), reduced.end(), dim) != reduced.end())
      order.push_back(dim);
  Numbers numbers = widen(reorder(call.operand(0), order));
  std::visit(
      [&](const auto &list) {
        using T = std::decay_t<decltype(list[0])>;
        std::vector<T> sums(size_t(numElements(shape)));
        const size_t depth = sums.empty() ? 0 : list.size() / sums.size();
        for (size_t i = 0; i < sums.size(); ++i) {
          Combined<T> sum(kind, call.dtype(0));
          for (size_t k = 0; k < depth; ++k) {
            T x = list[i * depth + k];
            sum.add(squares ? T(x * x) : x);
          }
          sums[i] = sum.get();
        }
        narrow(sums, *result);
      },
      numbers);
}

/// Whether `x` takes the place of `best`, which comes before it.
template <typename T>
static bool wins(Kind kind, bool last, T x, T best) {
  if (best != best) // The first NaN stays.
    return false;
  if (x != x || (last && x == best))
    return true;
  return kind == Kind::Max ? x > best : x < best;
}

static void argReduce(Call &call) {
  const Kind kind = readKind(call);
  Shape shape = call.shape(0);
  const int64_t axis = call.dimension("axis", shape.size());
  const bool last = call.flag("select_last");
  call.require(kind == Kind::Max || kind == Kind::Min,
               "kind must be max or min");
  call.require(call.dtype(0) != DType::Bool, "the operand must be a number");
  if (call.failed() ||
      !call.require(shape[size_t(axis)] > 0, "the axis is empty"))
    return;
  const AxisSplit split(shape, axis);
  shape.erase(shape.begin() + axis);
  HostTensor *result = call.makeResult({DType::I64, shape});
  if (!result)
    return;
  std::vector<int64_t> positions;
  Numbers numbers = widen(call.operand(0));
  std::visit(
      [&](const auto &list) {
        for (int64_t o = 0; o < split.outer; ++o)
          for (int64_t i = 0; i < split.inner; ++i) {
            const auto *row = &list[size_t(o * split.size * split.inner + i)];
            int64_t best = 0;
            for (int64_t k = 1; k < split.size; ++k)
              if (wins(kind, last, row[k * split.inner],
                       row[best * split.inner]))
                best = k;
            positions.push_back(best);
          }
      },
      numbers);
  narrow(positions, *result);
}

static void scan(Call &call) {
  const Kind kind = readKind(call);
  const int64_t axis = call.dimension("axis", call.shape(0).size());
  const bool exclusive = call.flag("exclusive"),
             backwards = call.flag("reverse");
  call.require(call.dtype(0) != DType::Bool, "the operand must be a number");
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  const AxisSplit split(call.shape(0), axis);
  Numbers numbers = widen(call.operand(0));
  std::visit(
      [&](auto &list) {
        using T = std::decay_t<decltype(list[0])>;
        for (int64_t o = 0; o < split.outer; ++o)
          for (int64_t i = 0; i < split.inner; ++i) {
            T sum = neutral<T>(kind, call.dtype(0));
            for (int64_t k = 0; k < split.size; ++k) {
              const int64_t at = backwards ? split.size - 1 - k : k;
              T &element =
                  list[size_t((o * split.size + at) * split.inner + i)];
              const T next = combine(kind, sum, element);
              element = exclusive ? sum : next;
              sum = next;
            }
          }
        narrow(list, *result);
      },
      numbers);
}

/// Whether `a` comes before `b` in a list of the greatest (or least) first.
template <typename T>
static bool precedes(bool largest, T a, T b) {
  const bool aNaN = a != a, bNaN = b != b;
  if (aNaN || bNaN)
    return largest ? aNaN && !bNaN : !aNaN && bNaN;
  return largest ? a > b : a < b;
}

static void topK(Call &call) {
  Shape shape = call.shape(0);
  const int64_t axis = call.dimension("axis", shape.size()),
                k = call.integer("k");
  const bool largest = call.integer("largest") != 0;
  call.require(call.dtype(0) != DType::Bool, "the operand must be a number");
  if (call.failed() || !call.require(k >= 0 && k <= shape[size_t(axis)],
                                     "takes " + std::to_string(k) + " of " +
                                         std::to_string(shape[size_t(axis)])))
    return;
  const AxisSplit split(shape, axis);
  shape[size_t(axis)] = k;
  HostTensor *greatest = call.makeResult({call.dtype(0), shape}, 0);
  HostTensor *places = call.makeResult({DType::I64, shape}, 1);
  if (!greatest || !places)
    return;
  std::vector<int64_t> indices(size_t(numElements(shape)));
  Numbers numbers = widen(call.operand(0));
  std::visit(
      [&](const auto &list) {
        std::decay_t<decltype(list)> values(indices.size());
        std::vector<int64_t> order(size_t(split.size));
        for (int64_t o = 0; o < split.outer; ++o)
          for (int64_t i = 0; i < split.inner; ++i) {
            const auto at = [&](int64_t j) {
              return list[size_t((o * split.size + j) * split.inner + i)];
            };
            for (int64_t j = 0; j < split.size; ++j)
              order[size_t(j)] = j;
            std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
              if (precedes(largest, at(a), at(b)))
                return true;
              return !precedes(largest, at(b), at(a)) && a < b;
            });
            for (int64_t j = 0; j < k; ++j) {
              const size_t to = size_t((o * k + j) * split.inner + i);
              indices[to] = order[size_t(j)];
              values[to] = at(order[size_t(j)]);
            }
          }
        narrow(values, *greatest);
      },
      numbers);
  narrow(indices, *places);
}

std::span<const Entry> smp::reference::reductionOps() {
  static constexpr Entry entries[] = {{"reduce", 1, reduce},
                                      {"arg_reduce", 1, argReduce},
                                      {"scan", 1, scan},
                                      {"top_k", 1, topK, /*results=*/2}};
  return entries;
}
