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
/// Of the meeting of ranks that have opened their Sessions.
uint64_t readyKey();
/// Of what a rank says as it begins a step: one byte.
uint64_t wishKey();

} // namespace smp

#endif // SMP_EXEC_MESSAGEKEYS_H
