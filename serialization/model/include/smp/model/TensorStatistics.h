// SPDX-License-Identifier: Apache-2.0
// Statistics of a tensor from one walk over its elements: what kernels give,
// how those of several microbatches are combined, and what follows. Since 0.1.

#ifndef SMP_MODEL_TENSORSTATISTICS_H
#define SMP_MODEL_TENSORSTATISTICS_H

#include "smp/model/Export.h"
#include <cstddef>
#include <cstdint>
#include <span>

namespace smp {

/// Which number of a record, f64 each. Numbers are stored in files. A NaN among
/// the elements makes all but the counts NaN.
enum class Statistic : uint8_t {
  Min = 0,
  Max = 1,
  AbsMin = 2,
  Sum = 3,
  AbsSum = 4,
  SquareSum = 5,
  Spread = 6,    ///< The sum of the squared differences from the mean.
  AbsSpread = 7, ///< The same of the absolute values.
  Nans = 8,
  Infs = 9,
};
inline constexpr uint32_t kNumStatistics = 10;

/// How many elements a record is of, in row-major order; the last one is of
/// those that are left. So parts of a tensor are worked on side by side, and in
/// f32 without loss.
inline constexpr int64_t kStatisticsBlock = 8192;

/// How many records `elements` have.
constexpr int64_t numStatisticsBlocks(int64_t elements) {
  return (elements + kStatisticsBlock - 1) / kStatisticsBlock;
}

/// What is known of the elements of a tensor, in f64.
struct SMP_API TensorStatistics {
  /// Of the records of a tensor of `count` elements, 1 at least, one after the
  /// other.
  static TensorStatistics of(std::span<const double> records, uint64_t count);
  /// Of records in memory, of one microbatch of so many elements after the
  /// other.
  static TensorStatistics ofMicrobatches(std::span<const std::byte> records,
                                         uint64_t count);
  /// Takes those of further elements in. In the same order the same bits.
  void add(const TensorStatistics &other);

  double stddev() const;
  double absStddev() const;
  double variance() const { return spread / double(count); }
  double absVariance() const { return absSpread / double(count); }
  double mean() const { return sum / double(count); }
  double absMean() const { return absSum / double(count); }
  double l1() const { return absSum; }
  double l2() const;

  uint64_t count = 0;
  double min = 0, max = 0, absMin = 0, absMax = 0;
  double sum = 0, absSum = 0, squareSum = 0;
  /// The sums of the squared differences from the mean, and of the elements'
  /// absolute values from theirs.
  double spread = 0, absSpread = 0;
  uint64_t nans = 0, infs = 0;
};

} // namespace smp

#endif // SMP_MODEL_TENSORSTATISTICS_H
