// SPDX-License-Identifier: Apache-2.0
// A collections file: which tensors belong together, and how many workers
// write.

#ifndef SMP_SERIALIZATION_EVENTCOLLECTIONS_H
#define SMP_SERIALIZATION_EVENTCOLLECTIONS_H

#include "smp/base/Status.h"
#include <cstdint>
#include <string_view>
#include <vector>

namespace smp {

struct EventCollections {
  /// The tensors that are listed, and those whose names a regex matches.
  struct Collection {
    std::string name;
    std::vector<std::string> includeRegex, tensorNames;
  };

  std::vector<Collection> collections; ///< In the order of the file.
  uint64_t numWorkers = 1;             ///< At least 1.
};

/// What a collections file says. How tensors of a collection are saved is for
/// those who write. Fails with DataLoss; the message has all that is wrong.
StatusOr<EventCollections> parseEventCollections(std::string_view text);

} // namespace smp

#endif // SMP_SERIALIZATION_EVENTCOLLECTIONS_H
