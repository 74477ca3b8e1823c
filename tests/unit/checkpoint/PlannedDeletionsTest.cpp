// SPDX-License-Identifier: Apache-2.0
// What the next save deletes, and why the rest stays.
#include "ManagedNumber.h"
#include <map>

using namespace smp;
using namespace smp::test;

namespace {

class PlannedDeletionsTest : public ManagedNumber {
protected:
  using Plan = std::map<std::string, std::string>;

  /// The reasons, by name; of what is deleted after a '-'.
  Plan planOf(const CheckpointManager &manager) {
    Plan plan;
    for (const PlannedDeletion &each : manager.plannedDeletions())
      plan[each.path.substr(folder.path().size() + 1)] =
          (each.isDeleted ? "- " : "") + each.reason;
    return plan;
  }
  /// That the next save deletes what the plan says, and nothing else.
  void expectSoDone(CheckpointManager &manager) {
    Names stay;
    for (const auto &[name, reason] : planOf(manager))
      if (!reason.starts_with("-"))
        stay.push_back(name);
    stay.push_back(saveNext(manager));
    std::sort(stay.begin(), stay.end());
    EXPECT_EQ(manifests(), stay);
  }
};

TEST_F(PlannedDeletionsTest, SaysWhatTheNextSaveDeletesAndWhy) {
  options.keepEveryHours = 2;
  options.maxToKeep = 2;
  saveAtHours({1, 2, 3});
  folder.write("notes.json", "mine");
  CheckpointManager manager = open();
  const std::string theirs =
      "another manager wrote it, and this one has not restored";
  EXPECT_EQ(planOf(manager),
            (Plan{{"ckpt-1", theirs}, {"ckpt-2", theirs}, {"ckpt-3", theirs}}));
  EXPECT_EQ(restored(manager), 3);
  EXPECT_EQ(planOf(manager),
            (Plan{{"ckpt-1", "- it is older than the newest 2"},
                  {"ckpt-2", "one is kept every 2 hours"},
                  {"ckpt-3", "it is one of the newest 2"}}));
  folder.remove("notes.json");
  expectSoDone(manager);
  options.checkpointName = "best";
  EXPECT_EQ(planOf(open())["ckpt-2"], "it is of another name");
  EXPECT_EQ(planOf(manager)["ckpt-2"],
            "the file 'checkpoint' does not list it");
  options = {.directory = folder.path()};
  CheckpointManager all = open();
  EXPECT_TRUE(restore(all));
  EXPECT_EQ(planOf(all)["ckpt-3"], "maxToKeep is not set: all are kept");
  EXPECT_EQ(planOf(all).size(), 3u);
}

TEST_F(PlannedDeletionsTest, WithoutAFolderThereIsNone) {
  options.directory = folder.file("none");
  EXPECT_TRUE(open().plannedDeletions().empty());
}

} // namespace
