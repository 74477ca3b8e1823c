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

/// Whether a loop can go through all elements of the group's results in
/// row-major order, kVectorElements at a time: what it reads for them lies side
/// by side, too, or is one element for all of them. Nothing is moved but along
/// whole rows of so many, or there are no rows.
bool isInOrder(GroupOp group);

/// As many elements of 32 bits as the widest vector of a processor has.
inline constexpr int64_t kVectorElements = 16;

} // namespace smp::ir

#endif // SMP_IR_COLLAPSE_H
