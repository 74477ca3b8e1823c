// SPDX-License-Identifier: Apache-2.0
// Where the secret of the ranks comes from.

#ifndef SMP_TOOLS_SMPRUN_RANKSECRET_H
#define SMP_TOOLS_SMPRUN_RANKSECRET_H

#include "smp/base/Status.h"

namespace smp {

/// Names the environment's variable.
inline constexpr char kRankSecretName[] = "SMP_RANK_SECRET";

/// What is in `file`, but for the end of its line; without a file, the
/// environment's. Empty when there is neither.
StatusOr<std::string> readRankSecret(const std::string &file);

} // namespace smp

#endif // SMP_TOOLS_SMPRUN_RANKSECRET_H
