// SPDX-License-Identifier: Apache-2.0
// An entry as plain data, for programs and for the reference evaluator.

#ifndef SMP_IR_GRAPHEXPORT_H
#define SMP_IR_GRAPHEXPORT_H

#include "smp/ir/Smp.h"
#include "smp/model/Graph.h"

namespace smp::ir {

/// The ops of `entry`, or of a group or stage, in order, with names, attributes
/// and placements. Fails, with a located error, on an op of another dialect or
/// an attribute that plain data has no form for.
mlir::FailureOr<Graph> exportGraph(mlir::Operation *function);

/// One op without operands and results: name, mnemonic, attributes, placement.
mlir::FailureOr<GraphOp> exportOp(mlir::Operation *op);

} // namespace smp::ir

#endif // SMP_IR_GRAPHEXPORT_H
