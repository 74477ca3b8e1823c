// SPDX-License-Identifier: Apache-2.0
// Which variables of a Session a root of a checkpoint has.

#ifndef SMP_SERIALIZATION_CHECKPOINTROOTS_H
#define SMP_SERIALIZATION_CHECKPOINTROOTS_H

#include <span>
#include <string_view>

namespace smp {

/// The root whose tensors are in files of their own, under plain names.
inline constexpr std::string_view kModelRoot = "model";

struct RootKind {
  std::string_view root;
  std::string_view kind; ///< VariableSignature::kind.
};

/// All that a Session has.
std::span<const RootKind> rootKinds();
/// Null when a Session has no root of the name.
const RootKind *findRootKind(std::string_view root);

} // namespace smp

#endif // SMP_SERIALIZATION_CHECKPOINTROOTS_H
