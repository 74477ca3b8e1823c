// SPDX-License-Identifier: Apache-2.0
// What the variables of a Session are called in a checkpoint.

#ifndef SMP_CHECKPOINT_KEYS_H
#define SMP_CHECKPOINT_KEYS_H

#include "smp/checkpoint/Checkpoint.h"
#include "smp/model/Shape.h"

namespace smp {

struct KeyedVariable {
  std::string key;      ///< "model/w"
  std::string variable; ///< "w"
  TensorType type;
};

/// Those of a root that has a Session. Fails when two have one key.
StatusOr<std::vector<KeyedVariable>> variablesOf(const Checkpoint::Root &root);

/// The kinds of the Session's devices, sorted: "x86-64-v3".
std::string kindsOf(const SessionCore &session);

/// The files of the checkpoint `name`, in the order in which they are written.
inline constexpr std::string_view kModelSuffix = ".model.safetensors",
                                  kStateSuffix = ".state.safetensors",
                                  kManifestSuffix = ".json";

} // namespace smp

#endif // SMP_CHECKPOINT_KEYS_H
