// SPDX-License-Identifier: Apache-2.0
// Columns of text as wide as their widest cell.

#ifndef SMP_TOOLS_TEXTTABLE_H
#define SMP_TOOLS_TEXTTABLE_H

#include <string>
#include <vector>

namespace smp {

class TextTable {
public:
  explicit TextTable(std::vector<std::string> heads) { add(std::move(heads)); }
  /// As many cells as there are heads. Control characters become '?': names
  /// come from files, and a terminal obeys some of them.
  void add(std::vector<std::string> cells);
  /// One line per row, each after `indent`; the first is the heads.
  std::string format(const std::string &indent) const;

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace smp

#endif // SMP_TOOLS_TEXTTABLE_H
