// SPDX-License-Identifier: Apache-2.0
// Which collections values of a step are in by what they are.

#ifndef SMP_CAPTURE_TAPCOLLECTIONS_H
#define SMP_CAPTURE_TAPCOLLECTIONS_H

#include "Collections.h"
#include "smp/model/Tap.h"

namespace smp {

/// Puts the value where its role says: inputs into "inputs", parameters into
/// "weights" unless the regex of "biases" finds them, gradients into
/// "gradients", variables of the optimizer into "optimizer_variables", others
/// into "layers".
Status addTap(Collections &collections, std::string_view name, TapRole role);

} // namespace smp

#endif // SMP_CAPTURE_TAPCOLLECTIONS_H
