// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_EXECUTE_ORDER_H
#define SMP_EMULATOR_EXECUTE_ORDER_H

#include "Access.h"

namespace smp::emulator {

// What fences and atomics order, beside barriers. A fence followed by an atomic
// or strong store publishes at its address what the warp has seen done; whoever
// reads the address with an atomic or strong load and fences then has seen it
// too. By warps, not by lanes: a fence that only another lane has made counts.

void orderFence(Warp &warp);
void orderLoad(Warp &warp, const Instruction &instruction,
               const Access &access);
void orderStore(Warp &warp, const Instruction &instruction,
                const Access &access);

/// Both, as of a read-modify-write.
void orderAtomic(Warp &warp, const Instruction &instruction,
                 const Access &access);

/// Makes what `from` has seen done known to `to`; both of one block.
void joinClocks(Warp &to, const Clock &clock,
                const std::shared_ptr<const ForeignClocks> &foreign);

} // namespace smp::emulator

#endif // SMP_EMULATOR_EXECUTE_ORDER_H
