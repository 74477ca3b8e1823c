// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"
#include "smp/model/TypeBounds.h"
#include <algorithm>
#include <cstring>

using namespace smp;
using smp::capi::tensorAt;
using smp::capi::toError;
using smp::capi::viewOf;

// The layout that DLPack publishes.
static_assert(sizeof(void *) != 8 || (sizeof(smp_dl_tensor) == 48 &&
                                      offsetof(smp_dl_tensor, ndim) == 16 &&
                                      offsetof(smp_dl_tensor, shape) == 24 &&
                                      sizeof(smp_dl_managed_tensor) == 64));

namespace {

struct DLType {
  DType dtype;
  uint8_t code, bits;
};
constexpr DLType kTypes[] = {
    {DType::F64, 2, 64}, {DType::F32, 2, 32}, {DType::BF16, 4, 16},
    {DType::F16, 2, 16}, {DType::I64, 0, 64}, {DType::I32, 0, 32},
    {DType::I16, 0, 16}, {DType::I8, 0, 8},   {DType::U64, 1, 64},
    {DType::U32, 1, 32}, {DType::U16, 1, 16}, {DType::U8, 1, 8},
    {DType::Bool, 6, 8}};

/// What a view that we give out owns.
struct Exported {
  smp_dl_managed_tensor managed = {};
  std::vector<int64_t> shape, strides;
};

} // namespace

/// Where there are no elements, strides say nothing. The shape is anybody's.
static bool isRowMajor(const smp_dl_tensor &tensor) {
  if (!tensor.strides || std::find(tensor.shape, tensor.shape + tensor.ndim,
                                   0) != tensor.shape + tensor.ndim)
    return true;
  uint64_t expected = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && uint64_t(tensor.strides[i]) != expected)
      return false;
    expected *= uint64_t(tensor.shape[i]);
  }
  return true;
}

static Status convert(const char *name, const smp_dl_tensor &from,
                      smp_tensor &to) {
  const std::string what = "tensor '" + std::string(name) + "'";
  constexpr int32_t kCpu = 1, kPinned = 3;
  if (from.device_type != kCpu && from.device_type != kPinned)
    return invalidArgument(what + " is on a device of DLPack type " +
                           std::to_string(from.device_type) +
                           "; it must be in host memory, type 1 or 3");
  if (from.ndim > int32_t(kMostDimensions))
    return invalidArgument(what + " has " + std::to_string(from.ndim) +
                           " dimensions; at most " +
                           std::to_string(kMostDimensions));
  if (from.ndim < 0 || (from.ndim > 0 && !from.shape))
    return invalidArgument(what + " has no shape");
  if (!isRowMajor(from))
    return invalidArgument(what + " is not row-major; make it contiguous");
  for (const DLType &type : kTypes) {
    if (from.type_code != type.code || from.type_bits != type.bits ||
        from.type_lanes != 1)
      continue;
    char *data = static_cast<char *>(from.data);
    to = {to.size,
          name,
          smp_dtype(type.dtype),
          size_t(from.ndim),
          from.shape,
          data ? data + from.byte_offset : nullptr,
          0};
    return Status();
  }
  return invalidArgument(
      what + " has elements of DLPack code " + std::to_string(from.type_code) +
      " with " + std::to_string(from.type_bits) + " bits and " +
      std::to_string(from.type_lanes) + " lanes, which smp does not know");
}

extern "C" {

smp_error *smp_tensor_from_dlpack(const char *name,
                                  const smp_dl_managed_tensor *from,
                                  smp_tensor *out_tensor) {
  SMP_RETURN_IF_NULL(name);
  SMP_RETURN_IF_NULL(from);
  SMP_RETURN_IF_NULL(out_tensor);
  auto made = tensorAt(out_tensor, 0);
  Status status =
      made.ok() ? convert(name, from->dl_tensor, *made) : made.status();
  if (status.ok())
    std::memcpy(out_tensor, &*made, std::min(made->size, sizeof(*made)));
  return toError(std::move(status));
}

smp_error *smp_tensor_to_dlpack(const smp_tensor *tensor,
                                smp_dl_managed_tensor **out_tensor) {
  SMP_RETURN_IF_NULL(tensor);
  SMP_RETURN_IF_NULL(out_tensor);
  const auto given = tensorAt(tensor, 0);
  if (!given.ok())
    return toError(given.status());
  const auto view = viewOf(*given);
  if (!view.ok())
    return toError(view.status().in("tensor"));
  const DLType &type = kTypes[size_t(view->dtype)];
  auto *exported = new Exported;
  exported->shape.assign(view->shape.begin(), view->shape.end());
  exported->strides.resize(view->shape.size());
  uint64_t stride = 1;
  for (size_t i = view->shape.size(); i-- > 0;) {
    exported->strides[i] = int64_t(stride);
    stride *= uint64_t(view->shape[i]);
  }
  smp_dl_tensor &dl = exported->managed.dl_tensor;
  dl.data = given->data;
  dl.device_type = 1;
  dl.ndim = int32_t(given->rank);
  dl.type_code = type.code;
  dl.type_bits = type.bits;
  dl.type_lanes = 1;
  dl.shape = exported->shape.data();
  dl.strides = exported->strides.data();
  exported->managed.manager_ctx = exported;
  exported->managed.deleter = [](smp_dl_managed_tensor *self) {
    delete static_cast<Exported *>(self->manager_ctx);
  };
  *out_tensor = &exported->managed;
  return nullptr;
}
}
