// SPDX-License-Identifier: Apache-2.0
// How tensors lie in a file.

#ifndef SMP_SERIALIZATION_LIB_SAFETENSORSORDER_H
#define SMP_SERIALIZATION_LIB_SAFETENSORSORDER_H

#include "smp/serialization/Safetensors.h"

namespace smp {

using SafetensorsOrder = std::vector<const SafetensorsSource *>;

Status checkMetadata(const SafetensorsMetadata &metadata);
/// The tensors in file order, checked.
StatusOr<SafetensorsOrder> orderOf(std::span<const SafetensorsSource> tensors);
/// Length, JSON, and spaces up to the data.
StatusOr<std::string> formatHead(const SafetensorsOrder &order,
                                 const SafetensorsMetadata &metadata);
/// That it has as many bytes as its type.
Status checkSize(const SafetensorsSource &tensor, uint64_t size);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_SAFETENSORSORDER_H
