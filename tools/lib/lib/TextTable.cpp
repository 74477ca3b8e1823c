// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/TextTable.h"
#include <algorithm>

namespace smp {

void TextTable::add(std::vector<std::string> cells) {
  for (std::string &cell : cells)
    for (char &c : cell)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        c = '?';
  rows.push_back(std::move(cells));
}

std::string TextTable::format(const std::string &indent) const {
  std::vector<size_t> widths(rows[0].size());
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line = indent;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace smp
