// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointRoots.h"

namespace smp {

static constexpr RootKind kKinds[] = {
    {kModelRoot, "parameter"},
    {"optimizer", "optimizer"},
    {"state", "state"},
    {"random", "random"},
};

std::span<const RootKind> rootKinds() { return kKinds; }

const RootKind *findRootKind(std::string_view root) {
  for (const RootKind &kind : kKinds)
    if (kind.root == root)
      return &kind;
  return nullptr;
}

} // namespace smp
