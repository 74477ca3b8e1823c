// SPDX-License-Identifier: Apache-2.0
// Which variables of a Session a root has.

#ifndef SMP_CHECKPOINT_ROOTKINDS_H
#define SMP_CHECKPOINT_ROOTKINDS_H

#include <string_view>

namespace smp {

/// The root whose tensors are in a file of their own, under plain names.
inline constexpr std::string_view kModelRoot = "model";

struct RootKind {
  std::string_view root;
  std::string_view kind; ///< VariableSignature::kind.
};

/// Null when a Session has no root of the name.
const RootKind *findRootKind(std::string_view root);

} // namespace smp

#endif // SMP_CHECKPOINT_ROOTKINDS_H
