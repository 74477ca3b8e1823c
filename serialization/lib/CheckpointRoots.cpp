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

std::string_view findRootOf(std::string_view kind) {
  for (const RootKind &root : kKinds)
    if (root.kind == kind)
      return root.root;
  return {};
}

std::string keyOfVariable(std::string_view root, const std::string &variable) {
  const std::string below = std::string(root) + "/";
  return variable.starts_with(below) ? variable : below + variable;
}

} // namespace smp
