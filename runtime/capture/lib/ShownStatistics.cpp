// SPDX-License-Identifier: Apache-2.0
#include "ShownStatistics.h"
#include <cstring>
#include <vector>

namespace smp {

TensorStatistics statisticsOf(std::span<const std::byte> records,
                              uint64_t elements) {
  const size_t each =
      size_t(numStatisticsBlocks(int64_t(elements))) * kNumStatistics;
  std::vector<double> numbers(records.size() / sizeof(double));
  std::memcpy(numbers.data(), records.data(), records.size());
  TensorStatistics all;
  for (size_t at = 0; at < numbers.size(); at += each)
    all.add(
        TensorStatistics::of(std::span(numbers).subspan(at, each), elements));
  return all;
}

} // namespace smp
