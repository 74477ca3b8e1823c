// SPDX-License-Identifier: Apache-2.0
#include "PlotAxis.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace smp {

/// The number of the first digit that counts: 2 of 345, -1 of 0.3.
static int exponentOf(double number) {
  return int(std::floor(std::log10(number)));
}

/// The least of 1, 2, 5 and 10 times a power of ten that is as large.
static double roundUp(double size) {
  const double power = std::pow(10, exponentOf(size));
  for (const double digit : {1, 2, 5})
    if (digit * power >= size * (1 - 1e-9))
      return digit * power;
  return 10 * power;
}

PlotAxis::PlotAxis(double least, double most, int ticks, double leastStep,
                   double begin, double end)
    : begin(begin), end(end) {
  // A range that is less than this is but rounding.
  const double size = std::max(std::abs(least), std::abs(most));
  if (most - least <= std::max(size * 1e-12, 1e-290)) {
    const double room = std::max(size > 1e-290 ? size / 10 : 1, leastStep);
    least -= room;
    most += room;
  }
  step = roundUp(std::max((most - least) / ticks, leastStep));
  first = std::floor(least / step) * step;
  last = std::ceil(most / step) * step;
}

std::vector<PlotAxis::Tick> PlotAxis::ticks() const {
  std::vector<Tick> list;
  const double from = std::round(first / step), to = std::round(last / step);
  for (double i = from; i <= to; ++i)
    list.push_back({i * step, textOf(i * step + 0.0)}); // No -0.
  return list;
}

std::string PlotAxis::textOf(double number) const {
  constexpr int kFewDigits = 9;
  const double size = std::max(std::abs(first), std::abs(last));
  const int large = exponentOf(size), small = exponentOf(step * (1 + 1e-9));
  const bool isPlain = large < kFewDigits && small > -kFewDigits;
  const int digits = isPlain       ? std::max(-small, 0)
                     : number == 0 ? 0
                                   : exponentOf(std::abs(number)) - small;
  char text[64];
  const auto [stop, error] = std::to_chars(
      text, text + sizeof(text), number,
      isPlain ? std::chars_format::fixed : std::chars_format::scientific,
      std::max(digits, 0));
  return {text, stop};
}

} // namespace smp
