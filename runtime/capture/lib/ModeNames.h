// SPDX-License-Identifier: Apache-2.0
// What modes are called in files.

#ifndef SMP_CAPTURE_MODENAMES_H
#define SMP_CAPTURE_MODENAMES_H

#include "smp/model/Mode.h"
#include <string_view>

namespace smp {

struct ModeName {
  Mode mode;
  std::string_view lower; ///< In configurations.
  std::string_view upper; ///< In what is written.
};

inline constexpr ModeName kModeNames[] = {
    {Mode::Train, "train", "TRAIN"},
    {Mode::Eval, "eval", "EVAL"},
    {Mode::Predict, "predict", "PREDICT"},
    {Mode::Global, "global", "GLOBAL"},
};

constexpr std::string_view upperName(Mode mode) {
  return kModeNames[size_t(mode) - 1].upper;
}

} // namespace smp

#endif // SMP_CAPTURE_MODENAMES_H
