// SPDX-License-Identifier: Apache-2.0
// Numbers and enums as people read them.

#ifndef SMP_TOOLS_WORDS_H
#define SMP_TOOLS_WORDS_H

#include "smp/serialization/Program.h"

namespace smp {

const char *wordOf(Unit unit);
const char *wordOf(Origin origin);
const char *wordOf(VariableKind kind);

/// "0", "all".
std::string wordOf(const Placement &placement);
/// "stage 1 'predict.1' input 0", "output 'y'".
std::string describeEnd(const Program &program, const Entry &entry,
                        const Edge::End &end, bool isSource);

/// "512 B", "1.5 KiB", "97.7 MiB".
std::string formatBytes(uint64_t bytes);
/// "1.25 ms", "3 us".
std::string formatSeconds(double seconds);

/// Seconds that entries are expected to take: one core per partition, the
/// entry's schedule or the generated one.
double predictSeconds(const Program &program, const Entry &entry,
                      uint32_t microbatches);

/// Which part of that time the partitions have nothing to do: "12.5 %".
std::string predictBubble(const Program &program, const Entry &entry,
                          uint32_t microbatches);

/// The microbatch counts for which predictions are shown: the entry's own, or
/// one and several.
std::vector<uint32_t> shownMicrobatches(const Entry &entry);
/// "any number of microbatches", "8 microbatches, schedule 'interleaved'".
std::string describeSchedule(const Entry &entry);

} // namespace smp

#endif // SMP_TOOLS_WORDS_H
