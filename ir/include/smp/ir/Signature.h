// SPDX-License-Identifier: Apache-2.0
// What tells kernels from each other: before a program is made, in it, and in
// files of what they take.

#ifndef SMP_IR_SIGNATURE_H
#define SMP_IR_SIGNATURE_H

#include "smp/ir/Smp.h"
#include <string>

namespace smp::ir {

/// A copy of the group at the end of `module`, in a function of its own that
/// says the group's target. Its shapes are the simplest (Collapse.h), equal ops
/// are one, and ops say nothing that no kernel depends on: where they are
/// placed, what they derive from.
GroupOp isolateGroup(mlir::ModuleOp module, GroupOp group);

/// All of an isolated group that its kernel follows from but for the target and
/// `smp.in_place`, as text: equal ones do the same to operands of equal types.
std::string signatureOf(GroupOp isolated);

/// What programs and files have of a signature; never 0.
uint64_t digestOf(llvm::StringRef signature);

/// The digest of a group's signature, wherever the group is.
uint64_t digestOf(GroupOp group);

} // namespace smp::ir

#endif // SMP_IR_SIGNATURE_H
