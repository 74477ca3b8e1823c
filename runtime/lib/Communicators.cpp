// SPDX-License-Identifier: Apache-2.0
#include "smp/runtime/Communicators.h"
#include "smp/drivers/ranks/Communicators.h"

namespace smp {

std::vector<std::unique_ptr<Communicator>>
createInProcessCommunicators(uint32_t size) {
  return makeInProcessCommunicators(size);
}

StatusOr<std::unique_ptr<Communicator>>
createSocketCommunicator(const SocketOptions &options) {
  return connectSockets(options);
}

} // namespace smp
