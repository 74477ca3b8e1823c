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

/// What a mode is called.
struct ModeName {
  Mode mode;
  std::string_view word;  ///< In models, in configurations and for people.
  std::string_view event; ///< In files of captured values.
};

inline constexpr ModeName kModeNames[kNumModes] = {
    {Mode::Train, "train", "TRAIN"},
    {Mode::Eval, "eval", "EVAL"},
    {Mode::Predict, "predict", "PREDICT"},
    {Mode::Global, "global", "GLOBAL"},
};

constexpr std::string_view toString(Mode mode) {
  return kModeNames[size_t(mode) - 1].word;
}

constexpr std::string_view toEventMode(Mode mode) {
  return kModeNames[size_t(mode) - 1].event;
}

constexpr std::optional<Mode> parseMode(std::string_view word) {
  for (const ModeName &each : kModeNames)
    if (each.word == word)
      return each.mode;
  return std::nullopt;
}

constexpr std::optional<Mode> parseEventMode(std::string_view name) {
  for (const ModeName &each : kModeNames)
    if (each.event == name)
      return each.mode;
  return std::nullopt;
}

} // namespace smp

#endif // SMP_MODEL_MODE_H
