// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Plot.h"
#include "PlotAxis.h"
#include "smp/tools/Html.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace smp {

// In dots of the screen.
constexpr int64_t kWidth = 860, kLeft = 90, kRight = 20, kTop = 40,
                  kBottom = 400, kLegendRow = 18;
constexpr int64_t kLegendTop = kBottom + 60;

//===----------------------------------------------------------------------===//
// Pieces of SVG
//===----------------------------------------------------------------------===//

/// A place, to a tenth of a dot.
static std::string dots(double place) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), place,
                                          std::chars_format::fixed, 1);
  return {text, end};
}

static std::string attribute(const char *name, const std::string &value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}

static std::string lineFrom(double x1, double y1, double x2, double y2,
                            const std::string &attributes) {
  return "<line" + attribute("x1", dots(x1)) + attribute("y1", dots(y1)) +
         attribute("x2", dots(x2)) + attribute("y2", dots(y2)) + attributes +
         "/>\n";
}

static std::string textAt(double x, double y, const std::string &text,
                          const std::string &attributes = "") {
  return "<text" + attribute("x", dots(x)) + attribute("y", dots(y)) +
         attributes + ">" + escapeHtml(text) + "</text>\n";
}

/// How a line looks: colours that most people tell apart, then dashes.
static std::string strokeOf(size_t line) {
  static constexpr const char *kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                             "#cc79a7", "#e69f00", "#56b4e9",
                                             "#000000"};
  static constexpr const char *kDashes[] = {"", "6 3", "2 2", "8 3 2 3"};
  const char *dashes = kDashes[line / std::size(kColours) % std::size(kDashes)];
  std::string stroke =
      attribute("stroke", kColours[line % std::size(kColours)]) +
      attribute("stroke-width", "1.5");
  return *dashes ? stroke + attribute("stroke-dasharray", dashes) : stroke;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

namespace {
struct Axes {
  PlotAxis steps, values;
};
} // namespace

static bool isDrawn(const PlotPoint &point) {
  return std::abs(point.value) <= kMostDrawn; // NaN is not.
}

static Axes axesOf(const Plot &plot) {
  double firstStep = INFINITY, lastStep = -INFINITY;
  double least = INFINITY, most = -INFINITY;
  for (const PlotLine &line : plot.lines)
    for (const PlotPoint &point : line.points) {
      firstStep = std::min(firstStep, double(point.step));
      lastStep = std::max(lastStep, double(point.step));
      if (!isDrawn(point))
        continue;
      least = std::min(least, point.value);
      most = std::max(most, point.value);
    }
  if (firstStep > lastStep)
    firstStep = lastStep = 0;
  if (least > most)
    least = most = 0;
  return {{firstStep, lastStep, 8, /*leastStep=*/1, kLeft, kWidth - kRight},
          {least, most, 6, /*leastStep=*/0, kBottom, kTop}};
}

static std::string drawAxes(const Plot &plot, const Axes &axes) {
  const std::string grid = attribute("stroke", "#dddddd");
  std::string svg;
  for (const auto &[number, text] : axes.steps.ticks()) {
    const double x = axes.steps.placeOf(number);
    svg += lineFrom(x, kTop, x, kBottom, grid);
    svg += textAt(x, kBottom + 16, text, attribute("text-anchor", "middle"));
  }
  for (const auto &[number, text] : axes.values.ticks()) {
    const double y = axes.values.placeOf(number);
    svg += lineFrom(kLeft, y, kWidth - kRight, y, grid);
    svg += textAt(kLeft - 6, y + 4, text, attribute("text-anchor", "end"));
  }
  const std::string frame = attribute("stroke", "#333333");
  svg += lineFrom(kLeft, kBottom, kWidth - kRight, kBottom, frame);
  svg += lineFrom(kLeft, kTop, kLeft, kBottom, frame);
  const std::string middle = attribute("text-anchor", "middle");
  svg += textAt((kLeft + kWidth - kRight) / 2.0, kBottom + 36, plot.stepsAre,
                middle);
  svg +=
      textAt(kLeft, kTop - 8, plot.valuesAre, attribute("text-anchor", "end"));
  return svg + textAt(kWidth / 2.0, 20, plot.title,
                      middle + attribute("font-size", "15"));
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

namespace {
/// A part of a line without a gap, with few points in each column of dots.
class Stretch {
public:
  explicit Stretch(const Axes &axes) : axes(axes) {}

  void add(const PlotPoint &point) {
    const double x = axes.steps.placeOf(double(point.step));
    if (inColumn.empty() || std::floor(x) != column)
      flush();
    column = std::floor(x);
    inColumn.push_back(point);
  }

  /// Ends it and returns its SVG; empty where it has no point.
  std::string end(const std::string &stroke) {
    flush();
    std::string svg;
    if (count > 1)
      svg = "<polyline fill=\"none\"" + stroke + attribute("points", places) +
            "/>\n";
    else if (count == 1)
      svg = "<circle" + attribute("cx", dots(last.first)) +
            attribute("cy", dots(last.second)) + attribute("r", "2") +
            " fill=\"none\"" + stroke + "/>\n";
    places.clear();
    count = 0;
    return svg;
  }

private:
  /// Of those in the column that the ones after it cannot hide.
  void flush() {
    if (inColumn.empty())
      return;
    const auto [least, most] =
        std::ranges::minmax_element(inColumn, {}, &PlotPoint::value);
    std::vector<size_t> chosen = {0, size_t(least - inColumn.begin()),
                                  size_t(most - inColumn.begin()),
                                  inColumn.size() - 1};
    std::ranges::sort(chosen);
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (const size_t i : chosen)
      place(inColumn[i]);
    inColumn.clear();
  }

  void place(const PlotPoint &point) {
    last = {axes.steps.placeOf(double(point.step)),
            axes.values.placeOf(point.value)};
    places += (count++ ? " " : "") + dots(last.first) + "," + dots(last.second);
  }

  const Axes &axes;
  double column = 0;
  std::vector<PlotPoint> inColumn;
  std::string places;
  size_t count = 0; ///< Of `places`.
  std::pair<double, double> last;
};
} // namespace

static std::string drawLine(const PlotLine &line, const Axes &axes,
                            const std::string &stroke) {
  std::string svg;
  Stretch stretch(axes);
  for (const PlotPoint &point : line.points)
    if (isDrawn(point))
      stretch.add(point);
    else
      svg += stretch.end(stroke);
  return svg + stretch.end(stroke);
}

static std::string drawLegend(const PlotLine &line, double y,
                              const std::string &stroke) {
  const auto gaps = std::ranges::count_if(
      line.points, [](const PlotPoint &point) { return !isDrawn(point); });
  const std::string note =
      gaps ? " (" + std::to_string(gaps) + " not finite)" : "";
  return lineFrom(kLeft, y - 4, kLeft + 24, y - 4, stroke) +
         textAt(kLeft + 32, y, line.name + note);
}

std::string drawPlot(const Plot &plot) {
  const Axes axes = axesOf(plot);
  const int64_t height = kLegendTop + kLegendRow * int64_t(plot.lines.size());
  std::string svg = svgBegin(kWidth, height) +
                    "<g font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
                    drawAxes(plot, axes);
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    svg += drawLine(plot.lines[i], axes, strokeOf(i));
    svg +=
        drawLegend(plot.lines[i], double(kLegendTop + kLegendRow * int64_t(i)),
                   strokeOf(i));
  }
  return svg + "</g>\n</svg>\n";
}

} // namespace smp
