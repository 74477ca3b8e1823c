// SPDX-License-Identifier: Apache-2.0
// What becomes of the values that microbatches give to an output.

#include "smp/exec/SessionTypes.h"
#include "smp/model/Float16.h"
#include <algorithm>
#include <cstring>

namespace smp {

namespace {

enum class Reduced : uint8_t { Sum, Mean };

/// How an element type is read, added and written.
template <typename Stored, typename Computed>
struct Plain {
  using Element = Stored;
  using Sum = Computed;
  static Sum read(Element element) { return Sum(element); }
  static Element write(Sum sum) { return Element(sum); }
};
template <Float16Format format>
struct Half {
  using Element = uint16_t;
  using Sum = float;
  static Sum read(Element element) { return Sum(fromFloat16(element, format)); }
  static Element write(Sum sum) { return toFloat16(sum, format); }
};

/// How the values of microbatches lie in an output: `rows` pieces each.
struct Pieces {
  explicit Pieces(const OutputTensor &output)
      : start(static_cast<const std::byte *>(output.microbatch(0))) {
    type.dtype = output.dtype;
    type.shape.assign(output.shape.begin(), output.shape.end());
    if (output.batchAxis < 0) {
      rowBytes = output.bytes;
      step = output.bytes;
      return;
    }
    const auto axis = size_t(output.batchAxis);
    type.shape[axis] /= output.microbatches;
    for (size_t i = 0; i < axis && output.bytes; ++i)
      rows *= uint64_t(type.shape[i]);
    pitch = output.bytes / rows;
    step = rowBytes = pitch / output.microbatches;
  }

  const std::byte *row(uint32_t microbatch, uint64_t index) const {
    return start + step * microbatch + pitch * index;
  }
  void copy(uint32_t microbatch, std::byte *to) const {
    for (uint64_t i = 0; i < rows && rowBytes; ++i)
      std::memcpy(to + rowBytes * i, row(microbatch, i), rowBytes);
  }

  TensorType type; ///< Of one value.
  uint64_t rows = 1, rowBytes = 0, pitch = 0, step = 0;

private:
  const std::byte *start;
};

} // namespace

template <typename Access>
static HostTensor reduceAs(const Pieces &pieces, uint32_t microbatches,
                           Reduced what) {
  using Element = typename Access::Element;
  using Sum = typename Access::Sum;
  HostTensor result = HostTensor::zeros(pieces.type);
  const uint64_t inRow = pieces.rowBytes / sizeof(Element);
  std::vector<Sum> sums(inRow);
  for (uint64_t row = 0; row < pieces.rows; ++row) {
    for (uint32_t m = 0; m < microbatches; ++m) {
      const auto *from = reinterpret_cast<const Element *>(pieces.row(m, row));
      for (uint64_t i = 0; i < inRow; ++i) {
        const Sum value = Access::read(from[i]);
        sums[i] = m == 0 ? value : Sum(sums[i] + value);
      }
    }
    for (uint64_t i = 0; i < inRow; ++i)
      result.as<Element>()[row * inRow + i] = Access::write(
          what == Reduced::Mean ? Sum(sums[i] / Sum(microbatches)) : sums[i]);
  }
  return result;
}

/// Sums of integers are unsigned: they wrap around.
static HostTensor reduceAs(const Pieces &pieces, uint32_t microbatches,
                           DType dtype, Reduced what) {
  switch (dtype) {
  case DType::F64:
    return reduceAs<Plain<double, double>>(pieces, microbatches, what);
  case DType::F32:
    return reduceAs<Plain<float, float>>(pieces, microbatches, what);
  case DType::BF16:
    return reduceAs<Half<kBF16>>(pieces, microbatches, what);
  case DType::F16:
    return reduceAs<Half<kF16>>(pieces, microbatches, what);
  default:
    break;
  }
  switch (sizeOf(dtype)) {
  case 8:
    return reduceAs<Plain<uint64_t, uint64_t>>(pieces, microbatches, what);
  case 4:
    return reduceAs<Plain<uint32_t, uint32_t>>(pieces, microbatches, what);
  case 2:
    return reduceAs<Plain<uint16_t, uint32_t>>(pieces, microbatches, what);
  default:
    return reduceAs<Plain<uint8_t, uint32_t>>(pieces, microbatches, what);
  }
}

/// "output 'y', 2 microbatches of i64[4], ".
static std::string describe(const OutputTensor &output) {
  return "output '" + std::string(output.name) + "', " +
         std::to_string(output.microbatches) + " microbatches of " +
         toString(Pieces(output).type) + ", ";
}

std::vector<HostTensor> OutputTensor::outputs() const {
  const Pieces pieces(*this);
  std::vector<HostTensor> values;
  values.reserve(microbatches);
  for (uint32_t m = 0; m < microbatches; ++m)
    pieces.copy(
        m, values.emplace_back(HostTensor::zeros(pieces.type)).bytes.data());
  return values;
}

StatusOr<HostTensor> OutputTensor::reduceSum() const {
  if (dtype == DType::Bool)
    return invalidArgument(describe(*this) +
                           "has no sum: bool is no number; take stack()");
  return reduceAs(Pieces(*this), microbatches, dtype, Reduced::Sum);
}

StatusOr<HostTensor> OutputTensor::reduceMean() const {
  if (!isFloat(dtype))
    return invalidArgument(describe(*this) +
                           "has no mean: it is no float; take " +
                           (dtype == DType::Bool ? "stack()" : "reduceSum()") +
                           " or convert it in the model");
  return reduceAs(Pieces(*this), microbatches, dtype, Reduced::Mean);
}

StatusOr<HostTensor> OutputTensor::concat() const {
  if (batchAxis < 0)
    return invalidArgument(describe(*this) +
                           "has no batch axis to join them along; take "
                           "stack(), which makes a new first axis");
  HostTensor result{{dtype, {shape.begin(), shape.end()}}, {}};
  const auto *from = static_cast<const std::byte *>(data);
  result.bytes.assign(from, from + bytes);
  return result;
}

StatusOr<HostTensor> OutputTensor::merge() const { return concat(); }

HostTensor OutputTensor::stack() const {
  const Pieces pieces(*this);
  TensorType type = pieces.type;
  type.shape.insert(type.shape.begin(), microbatches);
  HostTensor result = HostTensor::zeros(std::move(type));
  const uint64_t each = pieces.rows * pieces.rowBytes;
  for (uint32_t m = 0; m < microbatches; ++m)
    pieces.copy(m, result.bytes.data() + each * m);
  return result;
}

StatusOr<HostTensor> OutputTensor::accumulate(std::string_view method) const {
  if (method != "variable" && method != "add_n" && method != "accumulate_n")
    return invalidArgument(
        "output '" + std::string(name) + "' cannot be accumulated by method '" +
        std::string(method) +
        "'; the methods are: 'variable', 'add_n', 'accumulate_n'");
  return reduceMean();
}

} // namespace smp
