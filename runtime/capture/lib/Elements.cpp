// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "smp/model/Elements.h"
#include "smp/serialization/EventRecord.h"
#include <type_traits>

namespace smp {

template <typename To>
static std::vector<std::byte> convert(DType dtype,
                                      std::span<const std::byte> bytes) {
  const size_t count = bytes.size() / sizeOf(dtype);
  std::vector<std::byte> converted(count * sizeof(To));
  for (size_t i = 0; i < count; ++i) {
    const To value = visitElement(dtype, bytes, i, [](auto from) {
      if constexpr (std::is_same_v<decltype(from), uint64_t>)
        from = std::min<uint64_t>(from, INT64_MAX);
      return To(from);
    });
    std::memcpy(converted.data() + i * sizeof(To), &value, sizeof(To));
  }
  return converted;
}

std::vector<std::byte> convertToStored(DType dtype,
                                       std::span<const std::byte> bytes) {
  const DType stored = storedEventType(dtype);
  if (stored == dtype)
    return {bytes.begin(), bytes.end()};
  if (stored == DType::F32)
    return convert<float>(dtype, bytes);
  if (stored == DType::I32)
    return convert<int32_t>(dtype, bytes);
  return convert<int64_t>(dtype, bytes);
}

} // namespace smp
