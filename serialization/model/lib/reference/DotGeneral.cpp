// SPDX-License-Identifier: Apache-2.0
// Sums of products over contracting dimensions.

#include "Numbers.h"
#include "Products.h"
#include "Strided.h"
#include "Table.h"
#include <algorithm>

using namespace smp;
using namespace smp::reference;

namespace {
/// The dimensions of one operand by role.
struct Roles {
  std::vector<int64_t> batch, free, contract;
};
} // namespace

static Roles readRoles(Call &call, size_t operand, const char *batch,
                       const char *contract) {
  const size_t rank = call.shape(operand).size();
  Roles roles{
      call.dimensions(batch, rank), {}, call.dimensions(contract, rank)};
  const auto has = [](const std::vector<int64_t> &list, int64_t dim) {
    return std::find(list.begin(), list.end(), dim) != list.end();
  };
  for (int64_t dim = 0; dim < int64_t(rank); ++dim) {
    const bool isBatch = has(roles.batch, dim),
               isContract = has(roles.contract, dim);
    call.require(!isBatch || !isContract,
                 "a dimension is both batch and contracting dimension");
    if (!isBatch && !isContract)
      roles.free.push_back(dim);
  }
  return roles;
}

/// The sizes of some dimensions of a shape.
static Shape pick(const Shape &shape, const std::vector<int64_t> &dims) {
  Shape sizes;
  for (int64_t dim : dims)
    sizes.push_back(shape[size_t(dim)]);
  return sizes;
}

static std::vector<int64_t>
join(std::vector<int64_t> list,
     std::initializer_list<std::vector<int64_t>> more) {
  for (const std::vector<int64_t> &other : more)
    list.insert(list.end(), other.begin(), other.end());
  return list;
}

static void dotGeneral(Call &call) {
  const Roles lhs = readRoles(call, 0, "lhs_batch", "lhs_contract");
  const Roles rhs = readRoles(call, 1, "rhs_batch", "rhs_contract");
  call.require(call.dtype(0) == call.dtype(1) && call.dtype(0) != DType::Bool,
               "operands must be numbers of one type");
  if (call.failed())
    return;
  const Shape batch = pick(call.shape(0), lhs.batch);
  const Shape depth = pick(call.shape(0), lhs.contract);
  const Shape rows = pick(call.shape(0), lhs.free),
              columns = pick(call.shape(1), rhs.free);
  call.require(batch == pick(call.shape(1), rhs.batch) &&
                   depth == pick(call.shape(1), rhs.contract),
               "batch or contracting dimensions of " + toString(call.type(0)) +
                   " and " + toString(call.type(1)) + " differ in size");
  HostTensor *result =
      call.makeResult({call.dtype(0), join(batch, {rows, columns})});
  if (!result || result->bytes.empty())
    return;
  const HostTensor left =
      reorder(call.operand(0), join(lhs.batch, {lhs.free, lhs.contract}));
  const HostTensor right =
      reorder(call.operand(1), join(rhs.batch, {rhs.contract, rhs.free}));
  const ProductSizes sizes{numElements(batch), numElements(rows),
                           numElements(columns), numElements(depth)};
  if (isFloat(call.dtype(0)))
    narrow(multiply(widenAs<double>(left), widenAs<double>(right), sizes),
           *result);
  else
    narrow(multiply(widenAs<uint64_t>(left), widenAs<uint64_t>(right), sizes),
           *result);
}

namespace smp::reference {
void conv(Call &call);
}

std::span<const Entry> smp::reference::contractionOps() {
  static constexpr Entry entries[] = {{"dot_general", 2, dotGeneral},
                                      {"conv", 2, conv}};
  return entries;
}
