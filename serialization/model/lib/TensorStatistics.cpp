// SPDX-License-Identifier: Apache-2.0
#include "smp/model/TensorStatistics.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace smp {

/// A NaN of either is the result.
static double least(double one, double other) {
  return std::isnan(one) || one < other ? one : other;
}

static TensorStatistics ofRecord(std::span<const double> record,
                                 uint64_t count) {
  const auto at = [&](Statistic which) { return record[size_t(which)]; };
  TensorStatistics all;
  all.count = count;
  all.min = at(Statistic::Min);
  all.max = at(Statistic::Max);
  all.absMin = at(Statistic::AbsMin);
  all.absMax = -least(all.min, -all.max);
  all.sum = at(Statistic::Sum);
  all.absSum = at(Statistic::AbsSum);
  all.squareSum = at(Statistic::SquareSum);
  all.spread = at(Statistic::Spread);
  all.absSpread = at(Statistic::AbsSpread);
  all.nans = uint64_t(at(Statistic::Nans));
  all.infs = uint64_t(at(Statistic::Infs));
  return all;
}

TensorStatistics TensorStatistics::of(std::span<const double> records,
                                      uint64_t count) {
  TensorStatistics all;
  for (; count > 0; records = records.subspan(kNumStatistics)) {
    const uint64_t size = std::min(count, uint64_t(kStatisticsBlock));
    all.add(ofRecord(records.first(kNumStatistics), size));
    count -= size;
  }
  return all;
}

TensorStatistics
TensorStatistics::ofMicrobatches(std::span<const std::byte> records,
                                 uint64_t count) {
  const size_t each =
      size_t(numStatisticsBlocks(int64_t(count))) * kNumStatistics;
  std::vector<double> numbers(each);
  TensorStatistics all;
  for (; !records.empty(); records = records.subspan(each * sizeof(double))) {
    std::memcpy(numbers.data(), records.data(), each * sizeof(double));
    all.add(of(numbers, count));
  }
  return all;
}

/// Chan, Golub and LeVeque: Updating Formulae and a Pairwise Algorithm for
/// Computing Sample Variances (1979), equation 2.1.
static double joined(double spread, double sum, double count,
                     double otherSpread, double otherSum, double otherCount) {
  const double delta = otherSum / otherCount - sum / count;
  return spread + otherSpread +
         delta * delta * (count * otherCount / (count + otherCount));
}

void TensorStatistics::add(const TensorStatistics &other) {
  if (count == 0) {
    *this = other;
    return;
  }
  spread = joined(spread, sum, double(count), other.spread, other.sum,
                  double(other.count));
  absSpread = joined(absSpread, absSum, double(count), other.absSpread,
                     other.absSum, double(other.count));
  count += other.count;
  min = least(min, other.min);
  max = -least(-max, -other.max);
  absMin = least(absMin, other.absMin);
  absMax = -least(-absMax, -other.absMax);
  sum += other.sum;
  absSum += other.absSum;
  squareSum += other.squareSum;
  nans += other.nans;
  infs += other.infs;
}

double TensorStatistics::l2() const { return std::sqrt(squareSum); }
double TensorStatistics::stddev() const { return std::sqrt(variance()); }
double TensorStatistics::absStddev() const { return std::sqrt(absVariance()); }

} // namespace smp
