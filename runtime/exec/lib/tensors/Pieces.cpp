// SPDX-License-Identifier: Apache-2.0
#include "Pieces.h"
#include "smp/model/Float16.h"
#include <cstring>

namespace smp {

TensorType valueType(const OutputTensor &output) {
  TensorType type{output.dtype, {output.shape.begin(), output.shape.end()}};
  if (output.batchAxis >= 0)
    type.shape[size_t(output.batchAxis)] /= output.microbatches;
  return type;
}

Pieces::Pieces(const OutputTensor &output)
    : dtype(output.dtype), microbatches(output.microbatches),
      start(static_cast<const std::byte *>(output.microbatch(0))) {
  if (output.batchAxis < 0) {
    rowBytes = output.bytes;
    step = output.bytes;
    return;
  }
  for (size_t i = 0; i < size_t(output.batchAxis) && output.bytes; ++i)
    rows *= uint64_t(output.shape[i]);
  pitch = output.bytes / rows;
  step = rowBytes = pitch / output.microbatches;
}

void Pieces::copy(uint32_t microbatch, std::byte *to) const {
  for (uint64_t i = 0; i < rows && rowBytes; ++i)
    std::memcpy(to + rowBytes * i, row(microbatch, i), rowBytes);
}

namespace {

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

} // namespace

template <typename Access>
static void reduceAs(const Pieces &pieces, Reduced what, std::byte *to) {
  using Element = typename Access::Element;
  using Sum = typename Access::Sum;
  auto *result = reinterpret_cast<Element *>(to);
  const uint64_t inRow = pieces.rowBytes / sizeof(Element);
  auto element = [&](uint32_t m, uint64_t row, uint64_t i) {
    return Access::read(
        reinterpret_cast<const Element *>(pieces.row(m, row))[i]);
  };
  for (uint64_t row = 0; row < pieces.rows; ++row)
    for (uint64_t i = 0; i < inRow; ++i) {
      Sum sum = element(0, row, i);
      for (uint32_t m = 1; m < pieces.microbatches; ++m)
        sum = Sum(sum + element(m, row, i));
      result[row * inRow + i] = Access::write(
          what == Reduced::Mean ? Sum(sum / Sum(pieces.microbatches)) : sum);
    }
}

/// Sums of integers are unsigned: they wrap around.
void Pieces::reduce(Reduced what, std::byte *to) const {
  switch (dtype) {
  case DType::F64:
    return reduceAs<Plain<double, double>>(*this, what, to);
  case DType::F32:
    return reduceAs<Plain<float, float>>(*this, what, to);
  case DType::BF16:
    return reduceAs<Half<kBF16>>(*this, what, to);
  case DType::F16:
    return reduceAs<Half<kF16>>(*this, what, to);
  default:
    break;
  }
  switch (sizeOf(dtype)) {
  case 8:
    return reduceAs<Plain<uint64_t, uint64_t>>(*this, what, to);
  case 4:
    return reduceAs<Plain<uint32_t, uint32_t>>(*this, what, to);
  case 2:
    return reduceAs<Plain<uint16_t, uint32_t>>(*this, what, to);
  default:
    return reduceAs<Plain<uint8_t, uint32_t>>(*this, what, to);
  }
}

} // namespace smp
