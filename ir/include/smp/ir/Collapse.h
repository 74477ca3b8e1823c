// SPDX-License-Identifier: Apache-2.0
// Fewer, longer dimensions for groups that do not care about shapes.

#ifndef SMP_IR_COLLAPSE_H
#define SMP_IR_COLLAPSE_H

#include "smp/ir/Smp.h"

namespace smp::ir {

/// Merges neighbouring dimensions of the shape that the group works on wherever
/// all its ops treat them alike: elementwise ops always do, a broadcast when it
/// maps or stretches both, a reduction when it takes or keeps both, a transpose
/// when it leaves them neighbours, a reversal when it reverses both or none.
/// The types in the body change, the elements and their order do not.
/// Statistics are of elements in that order. A group with other ops stays as it
/// is.
void collapseGroup(GroupOp group);

/// Whether elements of the group's results follow from those at the same places
/// in row-major order alone, so that nothing is left of its shape.
bool isFlat(GroupOp group);

} // namespace smp::ir

#endif // SMP_IR_COLLAPSE_H
