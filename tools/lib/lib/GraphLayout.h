// SPDX-License-Identifier: Apache-2.0
// Where each op of an entry is drawn.

#ifndef SMP_TOOLS_LIB_GRAPHLAYOUT_H
#define SMP_TOOLS_LIB_GRAPHLAYOUT_H

#include "smp/serialization/Program.h"

namespace smp {

/// Columns are stages, in order, after one for ops that are on every device or
/// in no stage. In a column an op is one row below the lowest of its operands,
/// so that data flows down; ops of a row stand side by side.
struct GraphLayout {
  static constexpr uint32_t kNoOp = UINT32_MAX;
  struct Box {
    uint32_t op = 0; ///< Index into Graph::ops.
    uint32_t column = 0, row = 0, place = 0;
  };
  struct Column {
    uint32_t rows = 0;
    uint32_t width = 0; ///< Ops in the widest row.
  };
  std::vector<Box> boxes;      ///< Reads and constants have none.
  std::vector<Column> columns; ///< The first, then one per stage of the entry.
  std::vector<uint32_t> boxOf; ///< Per value: the box that makes it, or kNoOp.
};

GraphLayout layOut(const Program &program, const Entry &entry);

} // namespace smp

#endif // SMP_TOOLS_LIB_GRAPHLAYOUT_H
