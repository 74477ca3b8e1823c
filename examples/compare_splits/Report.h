// SPDX-License-Identifier: Apache-2.0
// What the demo prints.

#ifndef SMP_EXAMPLES_COMPARE_SPLITS_REPORT_H
#define SMP_EXAMPLES_COMPARE_SPLITS_REPORT_H

#include "Comparison.h"

namespace demo {

void printHeads(const Network &network, const Outcome &first);
/// A line per stage.
void printStages(const Split &split, const Outcome &outcome);
/// Steps of all microbatches, beside the first split's; and whether the results
/// are the same to the last bit. False when they are not.
bool printComparison(const std::vector<Split> &splits,
                     const std::vector<Outcome> &outcomes);

} // namespace demo

#endif // SMP_EXAMPLES_COMPARE_SPLITS_REPORT_H
