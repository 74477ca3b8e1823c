// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_EXECUTE_MEMORYFORMS_H
#define SMP_EMULATOR_EXECUTE_MEMORYFORMS_H

#include "../core/Program.h"
#include <string_view>

namespace smp::emulator {

/// ld and st of elements of `bytes` with registers of `width`; null if there is
/// no such access. The elements are ops[0] to ops[3], the address is ops[4].
Handler loadHandler(uint8_t bytes, uint8_t width, bool isSigned);
Handler storeHandler(uint8_t bytes, uint8_t width);
/// ld.param of a kernel: at the offset `immediate` of the parameters.
Handler parameterHandler(uint8_t bytes, uint8_t width, bool isSigned);
/// atom and red; null if there is none. The result is ops[0] (or nowhere), the
/// operands are ops[1] and ops[2].
Handler atomicHandler(std::string_view operation, Type type);
/// cp.async of `bytes`: ops[0] + `target` says where in shared memory, ops[4]
/// from where, both of 8 bytes, ops[1] how many of the bytes are taken (or
/// nowhere).
Handler asyncCopyHandler();
Handler commitCopiesHandler();
/// cp.async.wait_group: all but `immediate` groups; below 0, all copies.
Handler waitCopiesHandler();
/// membar and fence.
Handler fenceHandler();

} // namespace smp::emulator

#endif // SMP_EMULATOR_EXECUTE_MEMORYFORMS_H
