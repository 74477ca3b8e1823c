// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/cpu/Level.h"
#include "smp/ir/Collapse.h"

namespace smp::codegen::cpu {

llvm::ArrayRef<Level> levels() {
  static constexpr Level table[] = {
      {"v2", "x86-64-v2", 16, 16},
      {"v3", "x86-64-v3", 32, 16},
      {"v4", "x86-64-v4", 64, 32},
  };
  // What goes through elements in order counts on it.
  static_assert(std::end(table)[-1].vectorBytes <= ir::kVectorElements * 4);
  return table;
}

} // namespace smp::codegen::cpu
