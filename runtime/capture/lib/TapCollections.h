// SPDX-License-Identifier: Apache-2.0
// Which collections values of a step are in by what they are.

#ifndef SMP_CAPTURE_TAPCOLLECTIONS_H
#define SMP_CAPTURE_TAPCOLLECTIONS_H

#include "Collections.h"
#include "smp/model/Tap.h"

namespace smp {

/// Puts the value into the collection of its role, if there is one for that.
Status addTap(Collections &collections, std::string_view name, TapRole role);

} // namespace smp

#endif // SMP_CAPTURE_TAPCOLLECTIONS_H
