// SPDX-License-Identifier: Apache-2.0
#include "LossCurve.h"
#include <algorithm>
#include <cstdio>
#include <sstream>

namespace char_lm {

/// The means of `count` parts of the curve, as equal as can be.
static std::vector<float> condense(const std::vector<float> &losses,
                                   size_t count) {
  count = std::min(count, losses.size());
  std::vector<float> means;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * losses.size() / count,
                 end = (i + 1) * losses.size() / count;
    double sum = 0;
    for (size_t k = begin; k < end; ++k)
      sum += double(losses[k]);
    means.push_back(float(sum / double(end - begin)));
  }
  return means;
}

std::string drawText(const std::vector<float> &losses) {
  constexpr size_t kColumns = 64, kRows = 12;
  const std::vector<float> means = condense(losses, kColumns);
  if (means.empty())
    return "";
  const auto [least, most] = std::minmax_element(means.begin(), means.end());
  const float range = std::max(*most - *least, 1e-6f);
  std::vector<std::string> rows(kRows, std::string(means.size(), ' '));
  for (size_t x = 0; x < means.size(); ++x)
    rows[size_t((*most - means[x]) / range * (kRows - 1) + 0.5f)][x] = '*';
  std::string text;
  for (size_t y = 0; y < kRows; ++y) {
    char label[16];
    std::snprintf(label, sizeof(label), "%7.3f ",
                  double(*most - range * float(y) / (kRows - 1)));
    text += label + ("|" + rows[y]) + "\n";
  }
  return text + "        +" + std::string(means.size(), '-') + "\n        0" +
         std::string(means.size() > 12 ? means.size() - 12 : 0, ' ') +
         std::to_string(losses.size()) + " steps\n";
}

std::string drawSvg(const std::vector<float> &losses) {
  constexpr double kWidth = 720, kHeight = 360, kMargin = 48;
  const std::vector<float> means = condense(losses, 360);
  if (means.empty())
    return "";
  const float most = *std::max_element(means.begin(), means.end());
  std::ostringstream text;
  text << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << kWidth
       << "\" height=\"" << kHeight << "\" font-family=\"sans-serif\" "
       << "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
       << "fill=\"white\"/>\n";
  auto yOf = [&](double loss) {
    return kHeight - kMargin - loss / double(most) * (kHeight - 2 * kMargin);
  };
  for (int i = 0; i <= 4; ++i) {
    const double loss = double(most) * i / 4;
    text << "<line x1=\"" << kMargin << "\" x2=\"" << kWidth - kMargin
         << "\" y1=\"" << yOf(loss) << "\" y2=\"" << yOf(loss)
         << "\" stroke=\"#ddd\"/><text x=\"8\" y=\"" << yOf(loss) + 4 << "\">"
         << double(int(loss * 100)) / 100 << "</text>\n";
  }
  text << "<polyline fill=\"none\" stroke=\"#1f6feb\" stroke-width=\"2\" "
          "points=\"";
  for (size_t i = 0; i < means.size(); ++i)
    text << kMargin + (kWidth - 2 * kMargin) * double(i) /
                          double(std::max<size_t>(means.size() - 1, 1))
         << "," << yOf(double(means[i])) << " ";
  text << "\"/>\n<text x=\"" << kWidth / 2 << "\" y=\"" << kHeight - 12
       << "\">loss of " << losses.size() << " steps</text>\n</svg>\n";
  return text.str();
}

} // namespace char_lm
