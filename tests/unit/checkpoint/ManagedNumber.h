// SPDX-License-Identifier: Apache-2.0
// Managers of a number, in a folder.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_MANAGEDNUMBER_H
#define SMP_TESTS_UNIT_CHECKPOINT_MANAGEDNUMBER_H

#include "CheckpointHelpers.h"
#include "smp/serialization/CheckpointState.h"

namespace smp::test {

using Names = std::vector<std::string>;

/// Each save adds 1 to the number, which is what is saved.
class ManagedNumber : public testing::Test {
protected:
  ManagedNumber() {
    options.directory = folder.path();
    options.log = [this](LogLevel, std::string_view line) {
      log.emplace_back(line);
    };
  }

  CheckpointManager open() {
    return CheckpointManager(Checkpoint{{"number", number}}, options);
  }
  /// The name of the checkpoint; empty: none was made.
  std::string saveNext(CheckpointManager &manager,
                       const SaveOptions &wanted = {}) {
    ++number;
    const auto path = manager.save(wanted);
    EXPECT_TRUE(path.ok()) << path.status().message();
    return path.ok() && !path->empty() ? path->substr(folder.path().size() + 1)
                                       : "";
  }
  std::string refusal(CheckpointManager &manager,
                      const SaveOptions &wanted = {}) {
    return manager.save(wanted).status().message();
  }
  int64_t restored(CheckpointManager &manager) {
    number = -1;
    EXPECT_TRUE(restore(manager));
    return number;
  }
  CheckpointState state() {
    auto read = parseCheckpointState(folder.read("checkpoint"));
    EXPECT_TRUE(read.ok()) << read.status().message();
    return read.ok() ? read.take() : CheckpointState();
  }
  /// As if they had been saved at these hours of a day that is long over.
  void saveAtHours(const std::vector<double> &hours) {
    {
      CheckpointManagerOptions all = options;
      all.maxToKeep = {};
      CheckpointManager manager(Checkpoint{{"number", number}}, all);
      for (size_t i = 0; i < hours.size(); ++i)
        saveNext(manager);
    }
    CheckpointState edited = state();
    edited.lastPreserved = kDay;
    for (size_t i = 0; i < hours.size(); ++i)
      edited.timestamps[i] = kDay + 3600 * hours[i];
    folder.write("checkpoint", formatCheckpointState(edited));
  }
  static constexpr double kDay = 1.7e9;
  /// Those that have a manifest.
  Names manifests() {
    Names names;
    for (const std::string &file : folder.names())
      if (file.ends_with(".json"))
        names.push_back(file.substr(0, file.size() - 5));
    return names;
  }

  TemporaryFolder folder;
  CheckpointManagerOptions options;
  int64_t number = 0;
  Names log;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_MANAGEDNUMBER_H
