// SPDX-License-Identifier: Apache-2.0
// What an entry is run for.

#ifndef SMP_MODEL_MODE_H
#define SMP_MODEL_MODE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace smp {

/// What an entry is run for. Numbers are stored in files.
enum class Mode : uint8_t { Train = 1, Eval = 2, Predict = 3, Global = 4 };
inline constexpr size_t kNumModes = 4;

/// "TRAIN" and so on, as files of captured values have it.
constexpr std::string_view toEventMode(Mode mode) {
  constexpr std::string_view names[kNumModes] = {"TRAIN", "EVAL", "PREDICT",
                                                 "GLOBAL"};
  return names[size_t(mode) - 1];
}

constexpr std::optional<Mode> parseEventMode(std::string_view name) {
  for (const Mode mode : {Mode::Train, Mode::Eval, Mode::Predict, Mode::Global})
    if (toEventMode(mode) == name)
      return mode;
  return std::nullopt;
}

} // namespace smp

#endif // SMP_MODEL_MODE_H
