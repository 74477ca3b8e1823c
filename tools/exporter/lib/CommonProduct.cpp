// SPDX-License-Identifier: Apache-2.0
#include "Common.h"
#include <algorithm>

namespace smp::exporter {

namespace {

using Dims = std::vector<int64_t>;

Dims freeOf(const Shape &shape, const Dims &batch, const Dims &contract) {
  Dims free;
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    if (!std::ranges::count(batch, dim) && !std::ranges::count(contract, dim))
      free.push_back(dim);
  return free;
}

Dims joined(std::initializer_list<const Dims *> parts) {
  Dims all;
  for (const Dims *part : parts)
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

Shape sizesOf(const Call &call, size_t i, const Dims &dims) {
  Shape sizes;
  for (const int64_t dim : dims)
    sizes.push_back(call.size(i, dim));
  return sizes;
}

int64_t product(const Shape &sizes) {
  return checkedNumElements(sizes).value_or(0);
}

/// An operand of a product as the node takes it: `dims` in order, then the
/// shape.
std::string arranged(Call &call, size_t i, const Dims &dims, const Shape &to) {
  return call.reshaped(call.transposed(call.operand(i), dims),
                       sizesOf(call, i, dims), to);
}

} // namespace

std::string dotGeneral(Call &call, const char *node, bool keepsRows) {
  const Shape &lhs = call.shape(0), &rhs = call.shape(1);
  const Dims &lhsBatch = call.ints("lhs_batch"),
             &rhsBatch = call.ints("rhs_batch"),
             &lhsContract = call.ints("lhs_contract"),
             &rhsContract = call.ints("rhs_contract");
  const Dims lhsFree = freeOf(lhs, lhsBatch, lhsContract),
             rhsFree = freeOf(rhs, rhsBatch, rhsContract);
  const Shape batch = sizesOf(call, 0, lhsBatch);
  const int64_t depth = product(sizesOf(call, 0, lhsContract)),
                columns = product(sizesOf(call, 1, rhsFree));
  Shape rows = sizesOf(call, 0, lhsFree);
  if (!keepsRows || rows.empty() || !batch.empty())
    rows = {product(rows)};
  const Shape width = {columns}, depthOnly = {depth};
  const std::string left =
      arranged(call, 0, joined({&lhsBatch, &lhsFree, &lhsContract}),
               joined({&batch, &rows, &depthOnly}));
  const std::string right =
      arranged(call, 1, joined({&rhsBatch, &rhsContract, &rhsFree}),
               joined({&batch, &depthOnly, &width}));
  const Shape given = joined({&batch, &rows, &width});
  if (given == call.result().shape)
    call.give(node, {left, right});
  else
    call.give(call.nodes().reshape(call.make(node, {left, right}),
                                   call.result().shape));
  return {};
}

} // namespace smp::exporter
