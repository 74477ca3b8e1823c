// SPDX-License-Identifier: Apache-2.0
// For groups a, b and c and two partitions that are alike, given the sets {a
// b}, {b c} and {a c}, each by half: every group is in two of them, so it is
// covered, and one and a half partitions are used of two: 0.75 are needed. At
// worths of a quarter per group no set is worth more than a half, as each
// partition is.

#include "CoverLp.h"
#include <algorithm>

namespace smp::passes {

namespace {
constexpr double kTolerance = 1e-9;
/// What it costs to leave a group out; more than it can be worth.
constexpr double kLeftOut = 2;
/// Values differ a little where many would be the same, so that each step
/// leads on.
constexpr double kSpread = 1e-4;
constexpr uint32_t kNone = ~uint32_t(0);
/// Variables of which the best is raised.
constexpr uint32_t kLookedAt = 512;
} // namespace

CoverLp::CoverLp(uint32_t groups, const std::vector<uint32_t> &counts)
    : groups(groups), holders(uint32_t(counts.size())), rows(groups + holders),
      counts(counts.begin(), counts.end()), inverse(size_t(rows) * rows),
      values(rows), prices(rows), direction(rows) {
  for (uint32_t row = 0; row < rows; ++row) {
    inverse[size_t(row) * rows + row] = 1;
    // Any different numbers will do: multiples of the golden ratio.
    const double spread = kSpread * (double(row * 0x9e3779b9u) * 0x1p-32);
    values[row] = (row < groups ? 1 : 0) + spread;
    prices[row] = row < groups ? kLeftOut : 0;
    basis.push_back(row < groups ? artificial(row) : slack(row - groups));
  }
}

void CoverLp::add(const std::vector<uint32_t> &set, uint32_t holder) {
  sets.push_back(set);
  sets.back().push_back(groups + holder);
}

double CoverLp::costOf(uint32_t variable) const {
  return variable < groups ? kLeftOut : variable == scale() ? 1 : 0;
}

double CoverLp::reducedCost(uint32_t variable) const {
  double cost = costOf(variable);
  if (variable >= firstSet()) {
    for (uint32_t row : sets[variable - firstSet()])
      cost -= prices[row];
  } else if (variable == scale()) {
    for (uint32_t h = 0; h < holders; ++h)
      cost += counts[h] * prices[groups + h];
  } else if (variable >= slack(0)) {
    cost -= prices[groups + variable - slack(0)];
  } else {
    cost += prices[variable - surplus(0)];
  }
  return cost;
}

/// A variable to raise, the best of some; artificial ones never come back.
uint32_t CoverLp::choose() {
  const uint32_t first = surplus(0), end = firstSet() + uint32_t(sets.size());
  double least = -kTolerance;
  uint32_t best = kNone;
  for (uint32_t seen = 0; seen < end - first; ++seen) {
    if (best != kNone && seen % kLookedAt == 0)
      break;
    cursor = cursor + 1 < end && cursor >= first ? cursor + 1 : first;
    if (double cost = reducedCost(cursor); cost < least)
      least = cost, best = cursor;
    steps += cursor >= firstSet() ? sets[cursor - firstSet()].size() : 1;
  }
  return best;
}

void CoverLp::addRow(uint32_t row, double value) {
  const double *column = &inverse[size_t(row) * rows];
  for (uint32_t i = 0; i < rows; ++i)
    direction[i] += value * column[i];
}

/// How the variable would change those of the basis.
void CoverLp::transform(uint32_t variable) {
  std::fill(direction.begin(), direction.end(), 0.0);
  if (variable >= firstSet())
    for (uint32_t row : sets[variable - firstSet()])
      addRow(row, 1);
  else if (variable == scale())
    for (uint32_t h = 0; h < holders; ++h)
      addRow(groups + h, -counts[h]);
  else if (variable >= slack(0))
    addRow(groups + variable - slack(0), 1);
  else
    addRow(variable - surplus(0), -1);
}

/// False where nothing stops the variable.
bool CoverLp::pivot(uint32_t entering) {
  transform(entering);
  uint32_t leaving = kNone;
  double least = 0;
  for (uint32_t i = 0; i < rows; ++i)
    if (direction[i] > kTolerance)
      if (double ratio = values[i] / direction[i];
          leaving == kNone || ratio < least)
        least = ratio, leaving = i;
  if (leaving == kNone)
    return false;
  const double cost = reducedCost(entering);
  const double by = 1 / direction[leaving];
  for (uint32_t i = 0; i < rows; ++i)
    values[i] = std::max(0.0, values[i] - direction[i] * least);
  values[leaving] = least;
  for (uint32_t column = 0; column < rows; ++column) {
    double *of = &inverse[size_t(column) * rows];
    const double pivotal = of[leaving] * by;
    if (pivotal == 0)
      continue;
    steps += rows / 4;
    for (uint32_t i = 0; i < rows; ++i)
      of[i] -= direction[i] * pivotal;
    of[leaving] = pivotal;
    prices[column] += cost * pivotal;
  }
  basis[leaving] = entering;
  return true;
}

uint64_t CoverLp::solve(uint64_t mostPivots) {
  const uint64_t before = steps;
  for (uint64_t pivots = 0; pivots < mostPivots; ++pivots) {
    const uint32_t entering = choose();
    if (entering == kNone || !pivot(entering))
      break;
  }
  return steps - before;
}

double CoverLp::needed() const {
  double sum = 0;
  for (uint32_t i = 0; i < rows; ++i)
    sum += costOf(basis[i]) * values[i];
  return sum;
}

std::vector<double> CoverLp::shares() const {
  std::vector<double> result(sets.size());
  for (uint32_t i = 0; i < rows; ++i)
    if (basis[i] >= firstSet())
      result[basis[i] - firstSet()] = values[i];
  return result;
}

std::vector<double> CoverLp::shortfalls() const {
  std::vector<double> result;
  for (uint32_t i = 0; i < sets.size(); ++i)
    result.push_back(reducedCost(firstSet() + i));
  return result;
}

} // namespace smp::passes
