// SPDX-License-Identifier: Apache-2.0
#include "smp/model/TensorStatistics.h"
#include <algorithm>
#include <cmath>

namespace smp {

/// The sum of the squared differences from the mean, from those from `shift`.
static double centred(double shiftedSquares, double sum, double shift,
                      double count) {
  const double offset = sum / count - shift;
  // A NaN stays one.
  return std::max(shiftedSquares - count * offset * offset, 0.0);
}

/// A NaN of either is the result.
static double least(double one, double other) {
  return std::isnan(one) || one < other ? one : other;
}

TensorStatistics TensorStatistics::of(std::span<const double> record,
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
  const double shift = at(Statistic::Shift);
  all.squares =
      centred(at(Statistic::ShiftedSquareSum), all.sum, shift, double(count));
  all.absSquares = centred(at(Statistic::AbsShiftedSquareSum), all.absSum,
                           std::abs(shift), double(count));
  all.nans = uint64_t(at(Statistic::Nans));
  all.infs = uint64_t(at(Statistic::Infs));
  return all;
}

/// Chan, Golub and LeVeque: Updating Formulae and a Pairwise Algorithm for
/// Computing Sample Variances (1979), equation 2.1.
static double joined(double squares, double sum, double count,
                     double otherSquares, double otherSum, double otherCount) {
  const double delta = otherSum / otherCount - sum / count;
  return squares + otherSquares +
         delta * delta * (count * otherCount / (count + otherCount));
}

void TensorStatistics::add(const TensorStatistics &other) {
  if (count == 0) {
    *this = other;
    return;
  }
  squares = joined(squares, sum, double(count), other.squares, other.sum,
                   double(other.count));
  absSquares = joined(absSquares, absSum, double(count), other.absSquares,
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
