// SPDX-License-Identifier: Apache-2.0
// Ranks make sure that they are about to run the same thing.

#ifndef SMP_EXEC_AGREERANKS_H
#define SMP_EXEC_AGREERANKS_H

#include "smp/base/Log.h"
#include "smp/device/Communicator.h"
#include <string>
#include <vector>

namespace smp {

/// What a rank opens a Session with.
struct RankOffer {
  std::string program; ///< Its fingerprint.
  std::string devices; ///< The list, of all ranks.
  std::string kinds;   ///< Of this rank's; empty: it has none.
  std::vector<std::string> wantedOutputs; ///< Empty: all.
};

/// Tells the others what this rank opens, and gives what each of them does, by
/// rank. Fails where program or devices differ; that kinds do is said to `log`.
StatusOr<std::vector<RankOffer>> agreeRanks(Communicator &communicator,
                                            uint64_t epoch, Deadline deadline,
                                            const RankOffer &mine,
                                            const LogSink &log);

} // namespace smp

#endif // SMP_EXEC_AGREERANKS_H
