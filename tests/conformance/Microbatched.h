// SPDX-License-Identifier: Apache-2.0
// Cases in several microbatches.

#ifndef SMP_CONFORMANCE_MICROBATCHED_H
#define SMP_CONFORMANCE_MICROBATCHED_H

#include "Backend.h"

namespace smp::conformance {

/// Results that begin so, or with kRefused, are no failures.
inline constexpr char kNoRows[] = "no rows: ";

/// Declares the first axis of a case's first input as the batch, compiles the
/// model for fewer rows, and gives it all of them: that must give what is
/// recorded for all (an empty result), or be refused. Some cases have no rows
/// to cut.
std::string runMicrobatched(const Case &test);

} // namespace smp::conformance

#endif // SMP_CONFORMANCE_MICROBATCHED_H
