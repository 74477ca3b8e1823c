// SPDX-License-Identifier: Apache-2.0
// What ops are to those who place them, predict their cost and lower them.

#ifndef SMP_IR_ROLE_H
#define SMP_IR_ROLE_H

#include "mlir/IR/Operation.h"

namespace smp::ir {

/// Said once, by each op (`role` in its definition); everybody who asks what
/// kind of op it is asks for this.
enum class OpRole {
  Compute,     ///< Makes new elements of its operands', or draws them.
  Movement,    ///< Has its operand's elements in other places, or some of them.
  Virtual,     ///< Has elements that each reader can make where it needs them.
  Alias,       ///< Another name for its operand's memory.
  Source,      ///< A value that is there before the step.
  Write,       ///< Keeps a value beyond the step.
  Control,     ///< Says what is run, and where values go.
  Request,     ///< Stands for what a pass makes in its place; has no kernel.
  Declaration, ///< No op of a step.
};

/// The role of the op; one of another dialect is taken for work.
OpRole roleOf(mlir::Operation *op);

/// Whether the value is there before the step, so that every partition and
/// stage that needs it can have it without a transfer.
bool isSource(mlir::Operation *op);

/// Whether the op shows elements that are there, or follow from their place,
/// without work.
bool isView(mlir::Operation *op);

/// The value whose memory has the elements of `value`: other names for it are
/// looked through.
mlir::Value aliased(mlir::Value value);

/// Whether the op is no work for a device: it makes no new elements, or makes
/// them from nothing.
bool isFree(mlir::Operation *op);

/// Whether readers can make the op's elements where they need them, at no cost
/// and without memory. So can those of a constant of equal elements.
bool isVirtual(mlir::Operation *op);

/// Whether the op gives memory that is there a name, keeps it or hands it on,
/// so that no kernel is made for it.
bool needsNoKernel(mlir::Operation *op);

} // namespace smp::ir

#endif // SMP_IR_ROLE_H
