// SPDX-License-Identifier: Apache-2.0
// Small modules at random, as text.

#ifndef SMP_TESTS_E2E_PLANNING_RANDOMMODULE_H
#define SMP_TESTS_E2E_PLANNING_RANDOMMODULE_H

#include <random>
#include <string>

namespace smp::test {

/// Products, elementwise ops, with parameters and without, and reductions, at
/// most `most` of them, whose values have any number of users. `isTrained`:
/// with an entry that is trained by the sum of its results.
std::string randomModule(std::mt19937 &random, unsigned most, bool isTrained);

} // namespace smp::test

#endif // SMP_TESTS_E2E_PLANNING_RANDOMMODULE_H
