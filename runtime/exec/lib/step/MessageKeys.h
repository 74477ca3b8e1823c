// SPDX-License-Identifier: Apache-2.0
// What messages between ranks are about, within an epoch.

#ifndef SMP_EXEC_MESSAGEKEYS_H
#define SMP_EXEC_MESSAGEKEYS_H

#include <cstdint>

namespace smp {

/// Of tensors of a channel; the key after it is of what goes back.
uint64_t channelKey(uint32_t entry, uint32_t channel);
/// Of an output, to those who want it.
uint64_t outputKey(uint32_t entry, uint32_t output);
/// Of the meeting before an update.
uint64_t gateKey();
/// Of the meetings of ranks that are ready to go on: they have opened their
/// Sessions, or begin a step.
uint64_t readyKey();

} // namespace smp

#endif // SMP_EXEC_MESSAGEKEYS_H
