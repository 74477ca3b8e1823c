// SPDX-License-Identifier: Apache-2.0
// What a checkpoint says of Sessions: what their variables are called, and
// where they are.

#ifndef SMP_CHECKPOINT_KEYS_H
#define SMP_CHECKPOINT_KEYS_H

#include "smp/checkpoint/Checkpoint.h"
#include "smp/model/Shape.h"
#include "smp/serialization/CheckpointFiles.h"
#include <optional>

namespace smp {

struct KeyedVariable {
  std::string key;      ///< "model/w"
  std::string variable; ///< "w"
  TensorType type;
  uint32_t rank; ///< That holds it.
  bool isNeeded; ///< By this rank; see SessionCore::variablesNeeded().
  std::optional<uint32_t> partition; ///< The first that uses it.
};

/// Those of a root that has a Session. Fails when two have one key.
StatusOr<std::vector<KeyedVariable>> variablesOf(const Checkpoint::Root &root);

/// The kinds of the Session's devices, sorted: "x86-64-v3".
std::string kindsOf(const SessionCore &session);

/// The devices of the Session's partitions on this rank, "<rank>/<device>" by
/// partition; empty where it has none.
std::vector<std::string> devicesOf(const SessionCore &session, uint32_t rank);

/// The log of the first Session; without one nothing is logged.
LogSink logOf(const Checkpoint &checkpoint);

/// The kinds of two such lists.
std::string joinKinds(const std::string &one, const std::string &other);

} // namespace smp

#endif // SMP_CHECKPOINT_KEYS_H
