// SPDX-License-Identifier: Apache-2.0
// Structs of an application that may know fewer fields of them, or more.
#include "Handles.h"
#include <algorithm>
#include <cstring>

using namespace smp;

// Of 0.1, which every application has at least.
static constexpr size_t kLeast =
    offsetof(smp_tensor, bytes) + sizeof(smp_tensor::bytes);

StatusOr<smp_tensor> smp::capi::tensorAt(const smp_tensor *tensors, size_t i) {
  const size_t size = tensors->size;
  if (size < kLeast || size % alignof(smp_tensor) != 0)
    return invalidArgument("smp_tensor's size is " + std::to_string(size) +
                           "; it must be sizeof(smp_tensor), as "
                           "SMP_TENSOR_INIT sets it");
  const auto *bytes = reinterpret_cast<const std::byte *>(tensors) + i * size;
  smp_tensor tensor = {};
  std::memcpy(&tensor, bytes, std::min(size, sizeof(tensor)));
  if (tensor.size != size)
    return invalidArgument(
        "smp_tensor's size is " + std::to_string(tensor.size) +
        ", and that of the first in the array " + std::to_string(size) +
        "; all are SMP_TENSOR_INIT before they are set");
  const auto unknown = [](std::byte byte) { return byte != std::byte(); };
  if (std::any_of(bytes + std::min(size, sizeof(tensor)), bytes + size,
                  unknown))
    return invalidArgument("smp_tensor has a field set that smp " +
                           std::string(versionString()) +
                           " does not know; use a newer libsmp");
  return tensor;
}
