// SPDX-License-Identifier: Apache-2.0
// Whether there is memory for something large, asked before it is taken: code
// without exceptions cannot be told when it is not.

#ifndef SMP_MODEL_HOSTMEMORY_H
#define SMP_MODEL_HOSTMEMORY_H

#include <cstdint>
#include <string>

namespace smp {

/// Why the process cannot take so many bytes beside those it has, naming both
/// them and the bound; empty when it can. Where the system promises more memory
/// than there is, only what is more than all of the machine's is refused, and
/// another thread may take it first.
std::string checkMemory(uint64_t bytes);

} // namespace smp

#endif // SMP_MODEL_HOSTMEMORY_H
