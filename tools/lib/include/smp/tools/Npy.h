// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, as tools read and write tensors.

#ifndef SMP_TOOLS_NPY_H
#define SMP_TOOLS_NPY_H

#include "smp/base/Status.h"
#include "smp/model/Graph.h"

namespace smp {

/// Reads versions 1 to 3, little-endian, in C order, of every DType. NumPy has
/// no bf16: "V2", which is what ml_dtypes saves, is read as bf16, and writeNpy
/// writes bf16 as its bits, u16. Who expects bf16 may take u16 as it is.
StatusOr<HostTensor> parseNpy(std::span<const std::byte> bytes);
/// Messages begin with the path.
StatusOr<HostTensor> readNpy(const std::string &path);

/// The bytes of `type` in row-major order, as version 1. The file appears
/// complete or not at all.
Status writeNpy(const TensorType &type, std::span<const std::byte> bytes,
                const std::string &path);
/// What stands before the data: a multiple of 64 bytes.
std::string formatNpyHeader(const TensorType &type);

} // namespace smp

#endif // SMP_TOOLS_NPY_H
