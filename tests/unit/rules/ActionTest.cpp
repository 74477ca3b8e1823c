// SPDX-License-Identifier: Apache-2.0
// The code of docs/rationale/rules.md.
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include "smp/checkpoint/CheckpointManager.h"
#include "smp/exec/SessionCore.h"
#include "smp/rules/BuiltInRules.h"
#include "smp/rules/RuleWatch.h"
#include <cmath>
#include <iostream>

using namespace smp;
using namespace smp::test;

namespace {

TEST(RuleAction, SavesACheckpoint) {
  const TemporaryFolder folder;
  Watched watched;
  CheckpointManager manager(*watched.session, {.directory = folder.path()});
  RuleWatch watch;
  std::ostringstream said;
  std::streambuf *const before = std::cerr.rdbuf(said.rdbuf());
#include "save-on-nan.inc"
  ASSERT_TRUE(added.ok());
  ASSERT_TRUE(watch.attach(*watched.session).ok());
  ASSERT_TRUE(watched.step("train", 1).ok());
  EXPECT_EQ(manager.latest(), "");
  ASSERT_TRUE(watched.step("train", NAN).ok());
  ASSERT_TRUE(watched.step("train", NAN).ok());
  std::cerr.rdbuf(before);
  ASSERT_EQ(manager.checkpoints().size(), 1u);
  EXPECT_TRUE(manager.restore().ok());
  // Of the step that was met, and so after it.
  EXPECT_EQ(static_cast<SessionCore &>(*watched.session).steps(),
            (StepCounts{2, 0, 0, 0}));
  EXPECT_EQ(said.str(), "ExplodingTensor is met at step 1 of TRAIN by 'loss': "
                        "16 of 16 elements are NaN\n");
}

} // namespace
