// SPDX-License-Identifier: Apache-2.0
// What a hook says of names of which a program shows a value, or none.
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include "smp/trial/Trial.h"

using namespace smp;
using namespace smp::test;

namespace {

/// Of a program that gives y and shows v0, which is the same.
class ShownNames : public testing::Test, protected Watched {
protected:
  ShownNames() {
    session.reset();
    maker = makeChain(1);
    showStages(*maker);
    openFile({});
  }

  TemporaryFolder folder;
};

TEST_F(ShownNames, AreNoneOfTensorsThatAreGiven) {
  Hook hook(everyStep(folder.file("run")));
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("predict", 1).ok());
  const std::vector<float> pair{1, 3};
  const int64_t size = 2;
  EXPECT_EQ(
      hook.saveTensor("v0", {DType::F32, {&size, 1}, pair.data()}).message(),
      "the tensor 'v0' has the name of a value that the program shows "
      "already; rename it, or save that by addToCollection()");
  ASSERT_TRUE(hook.addToCollection("mine", "v0").ok());
  ASSERT_TRUE(step("predict", 1).ok());
  ASSERT_TRUE(hook.close().ok());
  const auto trial = Trial::open(folder.file("run"));
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  ASSERT_EQ(*trial->stepsOf("v0"), std::vector<uint64_t>{1});
  ASSERT_TRUE(trial->hasValue("v0", {1}));
  EXPECT_EQ(trial->value("v0", {1})->type, kTensor); // Not the pair.
}

TEST_F(ShownNames, ThatThereAreNotAreNamed) {
  Hook hook;
  ASSERT_TRUE(hook.addToCollection("mine", "v1").ok());
  EXPECT_EQ(hook.attach(*session).message(),
            "the hook is to watch 'v1', which the program neither gives nor "
            "shows; it gives 'y', and shows 1 more; compile it with "
            "--capture or --capture-all");
}

} // namespace
