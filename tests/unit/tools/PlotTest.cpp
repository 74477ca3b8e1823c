// SPDX-License-Identifier: Apache-2.0
// Pictures of numbers over steps: ticks, places, and what is drawn.
#include "smp/tools/Plot.h"
#include "PlotAxis.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace smp;

using Texts = std::vector<std::string>;

static Texts ticksOf(double least, double most, double leastStep = 0) {
  Texts texts;
  for (const PlotAxis::Tick &tick :
       PlotAxis(least, most, 6, leastStep, 0, 100).ticks())
    texts.push_back(tick.text);
  return texts;
}

TEST(PlotAxis, HasTicksOfFewDigits) {
  EXPECT_EQ(ticksOf(0, 1), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(ticksOf(-3, 17), (Texts{"-5", "0", "5", "10", "15", "20"}));
  EXPECT_EQ(ticksOf(1000000.1, 1000000.4),
            (Texts{"1000000.10", "1000000.15", "1000000.20", "1000000.25",
                   "1000000.30", "1000000.35", "1000000.40"}));
  EXPECT_EQ(ticksOf(0, 2, /*leastStep=*/1), (Texts{"0", "1", "2"}));
}

TEST(PlotAxis, WritesVeryLargeAndSmallNumbersWithExponents) {
  EXPECT_EQ(ticksOf(0, 3e12), (Texts{"0e+00", "5e+11", "1.0e+12", "1.5e+12",
                                     "2.0e+12", "2.5e+12", "3.0e+12"}));
  EXPECT_EQ(ticksOf(1e-12, 3e-12),
            (Texts{"1.0e-12", "1.5e-12", "2.0e-12", "2.5e-12", "3.0e-12"}));
  EXPECT_EQ(ticksOf(-kMostDrawn, kMostDrawn),
            (Texts{"-1.0e+300", "-5e+299", "0e+00", "5e+299", "1.0e+300"}));
}

TEST(PlotAxis, HasRoomAroundOneNumber) {
  EXPECT_EQ(ticksOf(0, 0), (Texts{"-1.0", "-0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(ticksOf(50, 50), (Texts{"44", "46", "48", "50", "52", "54", "56"}));
  EXPECT_EQ(ticksOf(7, 7, /*leastStep=*/1), (Texts{"6", "7", "8"}));
  EXPECT_EQ(ticksOf(5e-324, 1e-323).size(), 5u); // As of 0.
}

TEST(PlotAxis, PlacesNumbersBetweenItsEnds) {
  const PlotAxis axis(0, 10, 6, 0, /*begin=*/400, /*end=*/40);
  EXPECT_EQ(axis.placeOf(0), 400);
  EXPECT_EQ(axis.placeOf(10), 40);
  EXPECT_EQ(axis.placeOf(5), 220);
}

// The axes, a gap where a value is no number, and a line of one point.
static constexpr const char *kGolden =
    R"(<svg xmlns="http://www.w3.org/2000/svg" width="860" height="496" viewBox="0 0 860 496">
<g font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<line x1="90.0" y1="40.0" x2="90.0" y2="400.0" stroke="#dddddd"/>
<text x="90.0" y="416.0" text-anchor="middle">0</text>
<line x1="277.5" y1="40.0" x2="277.5" y2="400.0" stroke="#dddddd"/>
<text x="277.5" y="416.0" text-anchor="middle">1</text>
<line x1="465.0" y1="40.0" x2="465.0" y2="400.0" stroke="#dddddd"/>
<text x="465.0" y="416.0" text-anchor="middle">2</text>
<line x1="652.5" y1="40.0" x2="652.5" y2="400.0" stroke="#dddddd"/>
<text x="652.5" y="416.0" text-anchor="middle">3</text>
<line x1="840.0" y1="40.0" x2="840.0" y2="400.0" stroke="#dddddd"/>
<text x="840.0" y="416.0" text-anchor="middle">4</text>
<line x1="90.0" y1="400.0" x2="840.0" y2="400.0" stroke="#dddddd"/>
<text x="84.0" y="404.0" text-anchor="end">0.0</text>
<line x1="90.0" y1="328.0" x2="840.0" y2="328.0" stroke="#dddddd"/>
<text x="84.0" y="332.0" text-anchor="end">0.2</text>
<line x1="90.0" y1="256.0" x2="840.0" y2="256.0" stroke="#dddddd"/>
<text x="84.0" y="260.0" text-anchor="end">0.4</text>
<line x1="90.0" y1="184.0" x2="840.0" y2="184.0" stroke="#dddddd"/>
<text x="84.0" y="188.0" text-anchor="end">0.6</text>
<line x1="90.0" y1="112.0" x2="840.0" y2="112.0" stroke="#dddddd"/>
<text x="84.0" y="116.0" text-anchor="end">0.8</text>
<line x1="90.0" y1="40.0" x2="840.0" y2="40.0" stroke="#dddddd"/>
<text x="84.0" y="44.0" text-anchor="end">1.0</text>
<line x1="90.0" y1="400.0" x2="840.0" y2="400.0" stroke="#333333"/>
<line x1="90.0" y1="40.0" x2="90.0" y2="400.0" stroke="#333333"/>
<text x="465.0" y="436.0" text-anchor="middle">step</text>
<text x="90.0" y="32.0" text-anchor="end">value</text>
<text x="430.0" y="20.0" text-anchor="middle" font-size="15">run-1</text>
<polyline fill="none" stroke="#0072b2" stroke-width="1.5" points="90.0,40.0 277.5,220.0"/>
<polyline fill="none" stroke="#0072b2" stroke-width="1.5" points="652.5,310.0 840.0,355.0"/>
<line x1="90.0" y1="456.0" x2="114.0" y2="456.0" stroke="#0072b2" stroke-width="1.5"/>
<text x="122.0" y="460.0">loss &amp; &lt;co&gt; (1 not finite)</text>
<circle cx="465.0" cy="130.0" r="2" fill="none" stroke="#d55e00" stroke-width="1.5"/>
<line x1="90.0" y1="474.0" x2="114.0" y2="474.0" stroke="#d55e00" stroke-width="1.5"/>
<text x="122.0" y="478.0">one</text>
</g>
</svg>
)";

TEST(Plot, IsThisText) {
  const Plot plot{
      "run-1",
      "step",
      "value",
      {{"loss & <co>", {{0, 1}, {1, 0.5}, {2, NAN}, {3, 0.25}, {4, 0.125}}},
       {"one", {{2, 0.75}}}}};
  EXPECT_EQ(drawPlot(plot), kGolden);
}

TEST(Plot, KeepsTheExtremesOfManyPoints) {
  Plot plot{"", "", "", {{"many", {}}}};
  for (uint64_t step = 0; step < 100000; ++step)
    plot.lines[0].points.push_back({step, step == 54321 ? 10.0 : 0.0});
  const std::string svg = drawPlot(plot);
  const size_t start = svg.find("points=\"");
  ASSERT_NE(start, svg.npos);
  const std::string points = svg.substr(start, svg.find('/', start) - start);
  EXPECT_LT(std::ranges::count(points, ','), 3 * 860);
  EXPECT_NE(points.find(",40.0"), points.npos); // The greatest is at the top.
}

TEST(Plot, MayHaveNothingToDraw) {
  const std::string svg =
      drawPlot({"", "", "", {{"none", {{0, NAN}, {1, INFINITY}}}}});
  EXPECT_NE(svg.find("none (2 not finite)"), svg.npos);
  EXPECT_EQ(svg.find("polyline"), svg.npos);
  EXPECT_EQ(svg.find("nan"), svg.npos);
}

TEST(Plot, TellsManyLinesApart) {
  Plot plot;
  for (int i = 0; i < 8; ++i)
    plot.lines.push_back({std::to_string(i), {{0, 0}, {1, double(i)}}});
  const std::string svg = drawPlot(plot);
  EXPECT_NE(svg.find("stroke=\"#0072b2\" stroke-width=\"1.5\" "
                     "stroke-dasharray=\"6 3\""),
            svg.npos);
}
