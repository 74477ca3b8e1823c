// SPDX-License-Identifier: Apache-2.0
// Numbers over steps, as a picture.

#ifndef SMP_TOOLS_PLOT_H
#define SMP_TOOLS_PLOT_H

#include <cstdint>
#include <string>
#include <vector>

namespace smp {

struct PlotPoint {
  uint64_t step = 0;
  double value = 0;
};

/// One line of a picture.
struct PlotLine {
  std::string name;
  std::vector<PlotPoint> points; ///< By their steps.
};

struct Plot {
  std::string title, stepsAre, valuesAre; ///< The last two name the axes.
  std::vector<PlotLine> lines;
};

/// An SVG picture that needs nothing else: axes with ticks, the lines, and a
/// legend that tells which is which. Where there are more points than dots of
/// the screen, the first, the last, the least and the greatest of each column
/// are drawn. Values that are no numbers, infinite, or beyond 1e300 leave a gap
/// and are counted in the legend.
std::string drawPlot(const Plot &plot);

} // namespace smp

#endif // SMP_TOOLS_PLOT_H
