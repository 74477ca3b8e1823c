// SPDX-License-Identifier: Apache-2.0
// Which variables of a Session a root of a checkpoint has.

#ifndef SMP_SERIALIZATION_CHECKPOINTROOTS_H
#define SMP_SERIALIZATION_CHECKPOINTROOTS_H

#include <span>
#include <string>
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
/// The root that has the variables of a kind; empty when none has.
std::string_view findRootOf(std::string_view kind);
/// What a variable is called in a checkpoint: "model/w", or its name where that
/// begins with the root already.
std::string keyOfVariable(std::string_view root, const std::string &variable);

} // namespace smp

#endif // SMP_SERIALIZATION_CHECKPOINTROOTS_H
