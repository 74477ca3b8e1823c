// SPDX-License-Identifier: Apache-2.0
// What an entry is run for.

#ifndef SMP_MODEL_MODE_H
#define SMP_MODEL_MODE_H

#include <cstddef>
#include <cstdint>

namespace smp {

/// What an entry is run for. Numbers are stored in files.
enum class Mode : uint8_t { Train = 1, Eval = 2, Predict = 3, Global = 4 };
inline constexpr size_t kNumModes = 4;

} // namespace smp

#endif // SMP_MODEL_MODE_H
