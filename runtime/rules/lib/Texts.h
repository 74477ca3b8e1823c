// SPDX-License-Identifier: Apache-2.0
// Figures in sentences.

#ifndef SMP_RULES_TEXTS_H
#define SMP_RULES_TEXTS_H

#include <cstdint>
#include <string>

namespace smp {

/// Four digits that count.
std::string figure(double number);
/// "1 step", "3 steps".
std::string counted(uint64_t number, const char *noun);

} // namespace smp

#endif // SMP_RULES_TEXTS_H
