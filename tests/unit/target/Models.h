// SPDX-License-Identifier: Apache-2.0
// Models that meet everything that a target must have kernels for, as text.

#ifndef SMP_TESTS_TARGET_MODELS_H
#define SMP_TESTS_TARGET_MODELS_H

#include <string>

namespace smp::test {

/// Transformers as the demo trains them, of a size that the reference evaluator
/// can follow.
std::string transformer();

/// Every strategy of kernels: convolutions, windows, padding, concats, running
/// sums, sorting, scattering, reductions of rows and of columns.
std::string network();

/// Matrix products and padded convolutions for which GPUs have tiles of each
/// size, of all types of floats.
std::string products();

/// Lines and updates that are too many for one block or one launch: sorts,
/// selections, scatters, running sums.
std::string sequences();

} // namespace smp::test

#endif // SMP_TESTS_TARGET_MODELS_H
