// SPDX-License-Identifier: Apache-2.0
// An axis of a picture: which numbers it has ticks at, and where they lie.

#ifndef SMP_TOOLS_LIB_PLOTAXIS_H
#define SMP_TOOLS_LIB_PLOTAXIS_H

#include <string>
#include <vector>

namespace smp {

/// Numbers beyond it, up or down, are not drawn.
inline constexpr double kMostDrawn = 1e300;

/// From one tick to another, that of numbers which have few digits: 1, 2 or 5
/// and zeros.
class PlotAxis {
public:
  /// Has the numbers from `least` to `most`, neither of which is beyond
  /// kMostDrawn, about `ticks` ticks, and `leastStep` or more between two; it
  /// lies from `begin` to `end` of the picture. Where all numbers are the same
  /// it has room around them.
  PlotAxis(double least, double most, int ticks, double leastStep, double begin,
           double end);

  struct Tick {
    double number;
    std::string text;
  };
  std::vector<Tick> ticks() const;
  double placeOf(double number) const {
    return begin + (number - first) / (last - first) * (end - begin);
  }

private:
  std::string textOf(double number) const;

  double first, last, step;
  double begin, end;
};

} // namespace smp

#endif // SMP_TOOLS_LIB_PLOTAXIS_H
