// SPDX-License-Identifier: Apache-2.0
// Figures of plans as people read them.

#ifndef SMP_PASSES_PLACEMENT_LIB_PLANFORMAT_H
#define SMP_PASSES_PLACEMENT_LIB_PLANFORMAT_H

#include <cstdint>
#include <string>

namespace smp::passes {

/// "1.234 ms".
std::string milliseconds(double seconds);
/// "12 B", "1.5 KiB", "1.5 MiB".
std::string sizeText(int64_t bytes);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_PLANFORMAT_H
