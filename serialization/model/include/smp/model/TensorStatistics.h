// SPDX-License-Identifier: Apache-2.0
// Statistics of a tensor from one walk over its elements: what kernels give,
// how those of several microbatches are combined, and what follows. Since 0.1.

#ifndef SMP_MODEL_TENSORSTATISTICS_H
#define SMP_MODEL_TENSORSTATISTICS_H

#include <cstdint>
#include <span>

namespace smp {

/// Which number of the record that a kernel makes, f64 each. Numbers are stored
/// in files. A NaN among the elements makes all but the counts NaN.
enum class Statistic : uint8_t {
  Min = 0,
  Max = 1,
  AbsMin = 2,
  Sum = 3,
  AbsSum = 4,
  SquareSum = 5,
  /// The first element: the variance is formed of differences from it, so that
  /// a mean far from zero does not cost its precision.
  Shift = 6,
  ShiftedSquareSum = 7,    ///< Of x - shift.
  AbsShiftedSquareSum = 8, ///< Of |x| - |shift|.
  Nans = 9,
  Infs = 10,
};
inline constexpr uint32_t kNumStatistics = 11;

/// What is known of the elements of a tensor, in f64.
struct TensorStatistics {
  /// Of one record, `record` being kNumStatistics long, of `count` elements, 1
  /// at least.
  static TensorStatistics of(std::span<const double> record, uint64_t count);
  /// Takes those of further elements in. In the same order the same bits.
  void add(const TensorStatistics &other);

  double stddev() const;
  double absStddev() const;
  double variance() const { return squares / double(count); }
  double absVariance() const { return absSquares / double(count); }
  double mean() const { return sum / double(count); }
  double absMean() const { return absSum / double(count); }
  double l1() const { return absSum; }
  double l2() const;

  uint64_t count = 0;
  double min = 0, max = 0, absMin = 0, absMax = 0;
  double sum = 0, absSum = 0, squareSum = 0;
  /// The sums of the squared differences from the mean, and of the elements'
  /// absolute values from theirs.
  double squares = 0, absSquares = 0;
  uint64_t nans = 0, infs = 0;
};

} // namespace smp

#endif // SMP_MODEL_TENSORSTATISTICS_H
