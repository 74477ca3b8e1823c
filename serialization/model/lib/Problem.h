// SPDX-License-Identifier: Apache-2.0
// What is wrong with a thing that is checked.

#ifndef SMP_MODEL_LIB_PROBLEM_H
#define SMP_MODEL_LIB_PROBLEM_H

#include <concepts>
#include <optional>
#include <string>

namespace smp {

/// Nothing, or what is wrong.
using Problem = std::optional<std::string>;

std::string number(std::integral auto value) { return std::to_string(value); }

} // namespace smp

#endif // SMP_MODEL_LIB_PROBLEM_H
