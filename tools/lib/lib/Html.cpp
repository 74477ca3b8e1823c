// SPDX-License-Identifier: Apache-2.0
#include "Html.h"
#include "smp/model/Graph.h"

namespace smp {

std::string escapeHtml(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
    }
  }
  return result;
}

std::string colourOf(int32_t partition) {
  // Told apart by most people who do not see all colours, on white and in
  // print.
  static constexpr const char *kColours[] = {"#9ecbee", "#f7c27b", "#a5d6a0",
                                             "#e7a6c8", "#f3e68a", "#b9a7e0",
                                             "#8fd6cf", "#e39a8d"};
  if (partition == Placement::kAll)
    return "#dddddd";
  return kColours[size_t(partition) % std::size(kColours)];
}

std::string svgBegin(int64_t width, int64_t height) {
  std::string w = std::to_string(width), h = std::to_string(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w +
         "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " + h + "\">\n";
}

std::string svgBox(int64_t x, int64_t y, int64_t width, int64_t height,
                   const std::string &fill, const std::string &hover,
                   const std::string &attributes) {
  return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
         "\" width=\"" + std::to_string(width) + "\" height=\"" +
         std::to_string(height) + "\" fill=\"" + fill + "\" " + attributes +
         "><title>" + escapeHtml(hover) + "</title></rect>\n";
}

std::string svgText(int64_t x, int64_t y, std::string_view text,
                    const char *cssClass) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
         "\" class=\"" + cssClass + "\">" + escapeHtml(text) + "</text>\n";
}

} // namespace smp
