// SPDX-License-Identifier: Apache-2.0
// Weights, inputs and directions that follow from names: anyone can make the
// same ones. record_gradients.py does.
//
// Word i of a name: FNV-1a 64 of the name + (i + 1) * 0x9E3779B97F4A7C15, mixed
// as in SplitMix64.

#ifndef SMP_E2E_TRAINING_SEEDEDVALUES_H
#define SMP_E2E_TRAINING_SEEDEDVALUES_H

#include "smp/model/Graph.h"
#include <array>
#include <cstdint>
#include <string>

namespace smp::test {

class SeededWords {
public:
  explicit SeededWords(const std::string &name);
  uint64_t operator[](int64_t i) const;

private:
  uint64_t hash;
};

/// Element i is u = the upper 24 bits of word i as a number in [-1, 1), in f32.
HostTensor seededTensor(const std::string &name, Shape shape);

/// First values of a variable, in f32: of rank 2 and more u * sqrt(6 / elements
/// per result); `*/weight` and `*/running_var` 1 + 0.1 u; others 0.1 u.
HostTensor seededVariable(const std::string &name, Shape shape);

/// Integers: word i modulo `count`, as i64.
HostTensor seededClasses(const std::string &name, Shape shape, uint64_t count);

inline constexpr int kDirections = 16;
/// The products of a tensor with 16 directions of normally distributed numbers:
/// those of element i come in pairs from the words 8 i to 8 i + 7 of
/// `projection/<name>`, by Box and Muller.
std::array<double, kDirections> project(const std::string &name,
                                        std::span<const float> values);

} // namespace smp::test

#endif // SMP_E2E_TRAINING_SEEDEDVALUES_H
