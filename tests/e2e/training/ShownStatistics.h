// SPDX-License-Identifier: Apache-2.0
// Trainings that are watched, and whether what they show is right.

#ifndef SMP_TESTS_E2E_TRAINING_SHOWNSTATISTICS_H
#define SMP_TESTS_E2E_TRAINING_SHOWNSTATISTICS_H

#include "TrainedBits.h"
#include "smp/serialization/Program.h"

namespace smp::test {

/// The same division, watched.
Division watched(StepView view, Division division = {});

/// Whether a name of Bits is of something that is shown.
bool isShown(const std::string &name);
/// Without what is shown.
Bits unshown(Bits bits);
void expectEqual(const Bits &bits, const Bits &others);

/// The whole values that the twin of "train" shows.
std::vector<Tap> tapsOfTraining(const Program &program);

/// Compares the statistics that `steps` steps of the program have shown with
/// the values that they have, and says how many that are.
size_t compareWithValues(const Program &program, const Bits &shown,
                         int steps = kSteps);

} // namespace smp::test

#endif // SMP_TESTS_E2E_TRAINING_SHOWNSTATISTICS_H
