// SPDX-License-Identifier: Apache-2.0
#include "Talk.h"
#include "Connection.h"

namespace smp {

Status Talk::advance() {
  while (true) {
    const bool sends = !shake.toSend().empty();
    if (!sends && shake.room().empty())
      return Status();
    SMP_ASSIGN_OR_RETURN(const size_t moved,
                         sends ? sendSome(connection.get(), shake.toSend())
                               : receiveSome(connection.get(), shake.room()));
    if (moved == 0)
      return Status();
    if (sends)
      shake.sent(moved);
    else
      shake.filled(moved);
  }
}

pollfd Talk::waitsFor() const {
  const bool sends = !shake.toSend().empty();
  return {connection.get(), short(sends ? POLLOUT : POLLIN), 0};
}

} // namespace smp
