// SPDX-License-Identifier: Apache-2.0
// Floats as signed integers that are in the same order.

#ifndef SMP_TOOLS_EXPORTER_ORDEREDBITS_H
#define SMP_TOOLS_EXPORTER_ORDEREDBITS_H

#include "Call.h"

namespace smp::tensorflow {

/// Of floats of the call's type; -0 is less than +0. A NaN is the greatest
/// integer or the least.
std::string orderedBits(exporter::Call &call, const std::string &floats,
                        bool isNanGreatest);
/// The way back.
exporter::Node fromOrderedBits(exporter::Call &call, const std::string &bits);

} // namespace smp::tensorflow

#endif // SMP_TOOLS_EXPORTER_ORDEREDBITS_H
