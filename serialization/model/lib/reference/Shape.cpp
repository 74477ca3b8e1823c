// SPDX-License-Identifier: Apache-2.0
// Ops that make or move elements without arithmetic.

#include "Numbers.h"
#include "Strided.h"
#include "Table.h"
#include "smp/model/Philox.h"
#include <algorithm>
#include <utility>

using namespace smp;
using namespace smp::reference;

/// Gives all elements of operand 0, in their order.
static void passOn(Call &call, const TensorType &type) {
  if (call.passSplatOn(type))
    return;
  if (HostTensor *result = call.makeResult(type))
    result->bytes = call.operand(0).bytes;
}

/// Gives elements of operand 0 from `base` on, by strides.
static void passStridedOn(Call &call, const TensorType &type, int64_t base,
                          const Shape &strides) {
  if (call.passSplatOn(type))
    return;
  if (HostTensor *result = call.makeResult(type))
    copyStrided(call.operand(0), base, strides, *result);
}

static void requireBytes(Call &call, size_t bytes, size_t wanted) {
  call.require(bytes == wanted,
               "attribute 'value' has " + std::to_string(bytes) +
                   " bytes; it must have " + std::to_string(wanted));
}

static void constant(Call &call) {
  if (const Splat *splat = call.splat) {
    call.passSplatOn(splat->type);
    return requireBytes(call, splat->element.size(), sizeOf(splat->type.dtype));
  }
  auto found = call.op.attributes.find("value");
  const auto *tensor = found == call.op.attributes.end()
                           ? nullptr
                           : std::get_if<HostTensor>(&found->second);
  call.require(tensor, "attribute 'value' must be a tensor");
  HostTensor *result = tensor ? call.makeResult(tensor->type) : nullptr;
  if (!result)
    return;
  requireBytes(call, tensor->bytes.size(), result->bytes.size());
  result->bytes = tensor->bytes;
}

static void iota(Call &call) {
  const TensorType &type = call.resultTypes[0];
  int64_t dimension = call.dimension("dimension", type.shape.size());
  call.require(type.dtype != DType::Bool, "the result must be a number");
  HostTensor *result = call.makeResult(type);
  if (!result || result->bytes.empty())
    return;
  AxisSplit split(type.shape, dimension);
  std::vector<int64_t> numbers;
  numbers.reserve(size_t(type.elements()));
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.size; ++i)
      numbers.insert(numbers.end(), size_t(split.inner), i);
  if (isFloat(type.dtype)) // Exact: no tensor has 2^53 elements.
    narrow(std::vector<double>(numbers.begin(), numbers.end()), *result);
  else
    narrow(numbers, *result);
}

static void random(Call &call) {
  const TensorType &type = call.resultTypes[0];
  auto isNumber = [&](size_t operand) {
    return call.dtype(operand) == DType::I64 &&
           call.type(operand).elements() == 1;
  };
  call.require(isNumber(0) && isNumber(1), "step and microbatch are one i64");
  call.require(type.dtype == DType::F32, "the result must be f32");
  const uint64_t seed = uint64_t(call.integer("seed"));
  const uint32_t site = uint32_t(call.integer("site"));
  HostTensor *result = call.failed() ? nullptr : call.makeResult(type);
  if (!result)
    return;
  const uint32_t step = uint32_t(call.operand(0).as<int64_t>()[0]);
  const uint32_t microbatch = uint32_t(call.operand(1).as<int64_t>()[0]);
  auto elements = result->as<float>();
  for (size_t i = 0; i < elements.size(); i += 4) {
    PhiloxWords words = philox({uint32_t(i / 4), microbatch, step, site}, seed);
    for (size_t j = 0; j < 4 && i + j < elements.size(); ++j)
      elements[i + j] = float(words[j] >> 8) * 0x1p-24f;
  }
}

static void reshape(Call &call) {
  TensorType type{call.dtype(0), call.resultTypes[0].shape};
  call.require(type.elements() == call.type(0).elements(),
               "cannot turn " + toString(call.type(0)) + " into " +
                   toString(type));
  passOn(call, type);
}

static void transpose(Call &call) {
  const Shape &from = call.shape(0);
  const std::vector<int64_t> &permutation =
      call.dimensions("permutation", from.size());
  if (!call.require(permutation.size() == from.size(),
                    "the permutation must hold every dimension") ||
      call.failed())
    return;
  Shape shape, strides;
  const Shape inputStrides = rowMajorStrides(from);
  for (int64_t dim : permutation) {
    shape.push_back(from[size_t(dim)]);
    strides.push_back(inputStrides[size_t(dim)]);
  }
  passStridedOn(call, {call.dtype(0), shape}, 0, strides);
}

static void broadcast(Call &call) {
  const Shape &from = call.shape(0), &to = call.resultTypes[0].shape;
  const std::vector<int64_t> &dims = call.dimensions("dimensions", to.size());
  if (!call.require(dims.size() == from.size() &&
                        std::is_sorted(dims.begin(), dims.end()),
                    "dimensions must ascend, one per dimension of the input") ||
      call.failed())
    return;
  Shape strides(to.size(), 0), inputStrides = rowMajorStrides(from);
  for (size_t d = 0; d < from.size(); ++d) {
    const size_t dim = size_t(dims[d]);
    if (!call.require(from[d] == 1 || from[d] == to[dim],
                      "cannot stretch " + toString(call.type(0)) + " to " +
                          toString(call.resultTypes[0])))
      return;
    strides[dim] = from[d] == 1 ? 0 : inputStrides[d];
  }
  passStridedOn(call, {call.dtype(0), to}, 0, strides);
}

static void slice(Call &call) {
  const Shape &from = call.shape(0);
  const std::vector<int64_t> &starts = call.list("starts"),
                             &limits = call.list("limits"),
                             &steps = call.list("strides");
  const size_t rank = from.size();
  if (!call.require(starts.size() == rank && limits.size() == rank &&
                        steps.size() == rank,
                    "needs a start, a limit and a stride per dimension"))
    return;
  Shape shape, strides = rowMajorStrides(from);
  int64_t base = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (!call.require(0 <= starts[d] && starts[d] <= limits[d] &&
                          limits[d] <= from[d] && steps[d] >= 1,
                      "slices " + std::to_string(starts[d]) + ":" +
                          std::to_string(limits[d]) + ":" +
                          std::to_string(steps[d]) + " from dimension " +
                          std::to_string(d) + " of " + toString(call.type(0))))
      return;
    base += starts[d] * strides[d];
    int64_t length = limits[d] - starts[d];
    shape.push_back(length / steps[d] + (length % steps[d] != 0));
    strides[d] *= shape.back() > 1 ? steps[d] : 1;
  }
  passStridedOn(call, {call.dtype(0), shape}, base, strides);
}

static void reverse(Call &call) {
  const Shape &shape = call.shape(0);
  Shape strides = rowMajorStrides(shape);
  int64_t base = 0;
  for (int64_t dim : call.dimensions("dimensions", shape.size())) {
    if (call.failed())
      return;
    base += (shape[size_t(dim)] - 1) * strides[size_t(dim)];
    strides[size_t(dim)] *= -1;
  }
  passStridedOn(call, call.type(0), base, strides);
}

static void concat(Call &call) {
  Shape shape = call.shape(0);
  const int64_t axis = call.dimension("axis", shape.size());
  if (call.failed())
    return;
  shape[size_t(axis)] = 0;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    Shape other = call.shape(i);
    if (!call.require(other.size() == shape.size() &&
                          call.dtype(i) == call.dtype(0),
                      "cannot join " + toString(call.type(i)) + " to " +
                          toString(call.type(0))))
      return;
    const int64_t size =
        std::exchange(other[size_t(axis)], shape[size_t(axis)]);
    if (!call.require(other == shape, "cannot join " + toString(call.type(i)) +
                                          " to " + toString(call.type(0))))
      return;
    shape[size_t(axis)] += size;
  }
  HostTensor *result = call.makeResult({call.dtype(0), shape});
  if (!result)
    return;
  auto to = result->bytes.begin();
  AxisSplit split(shape, axis);
  for (int64_t o = 0; o < split.outer; ++o)
    for (const HostTensor *input : call.operands) {
      const int64_t run = input->type.shape[size_t(axis)] * split.inner *
                          int64_t(sizeOf(input->type.dtype));
      to = std::copy_n(input->bytes.begin() + o * run, run, to);
    }
}

static void transfer(Call &call) { passOn(call, call.type(0)); }

namespace smp::reference {
void pad(Call &call);
}

std::span<const Entry> smp::reference::shapeOps() {
  static constexpr Entry entries[] = {
      {"constant", 0, constant, 1, Splats::Kept},
      {"iota", 0, iota},
      {"random", 2, random},
      {"reshape", 1, reshape, 1, Splats::Kept},
      {"transpose", 1, transpose, 1, Splats::Kept},
      {"broadcast", 1, broadcast, 1, Splats::Kept},
      {"slice", 1, slice, 1, Splats::Kept},
      {"reverse", 1, reverse, 1, Splats::Kept},
      {"pad", 2, pad},
      {"concat", kVariadic, concat},
      {"transfer", 1, transfer, 1, Splats::Kept},
      {"stop_gradient", 1, transfer, 1, Splats::Kept},
  };
  return entries;
}
