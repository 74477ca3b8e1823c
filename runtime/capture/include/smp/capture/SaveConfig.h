// SPDX-License-Identifier: Apache-2.0
// Which steps are saved. Since 0.1.

#ifndef SMP_CAPTURE_SAVECONFIG_H
#define SMP_CAPTURE_SAVECONFIG_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include "smp/model/Mode.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace smp {

/// No step is the end.
inline constexpr int64_t kNoEndStep = INT64_MAX;

/// What is said of the steps that are saved. What is not said here is taken
/// from further out, key by key: SaveConfig says in which order.
struct SaveConfigMode {
  std::optional<int64_t> saveInterval = {}; ///< 1 or more; default 500.
  std::optional<int64_t> startStep = {};    ///< Default 0.
  std::optional<int64_t> endStep = {};      ///< The first that is not saved.
  std::optional<std::vector<int64_t>> saveSteps = {}; ///< Beside start and end.
  bool operator==(const SaveConfigMode &) const = default;
};

/// The same for every mode, with what is said of one mode alone. Of a key
/// counts what is said first of: a collection's mode, the collection, the
/// hook's mode, the hook, the default.
struct SaveConfig : SaveConfigMode {
  std::array<SaveConfigMode, kNumModes> modes =
      {}; ///< By the mode's number minus 1.

  SaveConfigMode &of(Mode mode) { return modes[size_t(mode) - 1]; }
  const SaveConfigMode &of(Mode mode) const { return modes[size_t(mode) - 1]; }
  bool operator==(const SaveConfig &) const = default;
};

/// The steps of one mode that are saved, all of it said.
struct StepSelection {
  int64_t saveInterval = 500;
  int64_t startStep = 0;
  int64_t endStep = kNoEndStep;
  std::vector<int64_t> saveSteps = {};

  /// Whether `step`, from 0 among those of the mode, is one of saveSteps, or a
  /// multiple of the interval from the start on and before the end.
  SMP_API bool has(int64_t step) const;
};

/// What counts for a collection of a hook.
SMP_API StepSelection selectSteps(Mode mode, const SaveConfig &hook,
                                  const SaveConfig &collection);

/// Fails for an interval below 1, and says whose it is.
SMP_API Status checkSaveConfig(const SaveConfig &config);

} // namespace smp

#endif // SMP_CAPTURE_SAVECONFIG_H
