// SPDX-License-Identifier: Apache-2.0
// Where the folder of a manager is.
#include "ManagedNumber.h"

using namespace smp;
using namespace smp::test;

namespace {

using DirectoryTest = ManagedNumber;

TEST_F(DirectoryTest, WhereNoFolderCanBeIsSaidAtOnce) {
  folder.write("file", "");
  for (const char *name : {"file", "file/below", "file/far/below"}) {
    options.directory = folder.file(name);
    CheckpointManager manager = open();
    const std::string said = manager.status().message();
    EXPECT_EQ(manager.status().code(), StatusCode::FailedPrecondition);
    EXPECT_EQ(said, "'" + folder.file(name) +
                        "' is a file, or below one, and can hold no "
                        "checkpoints; give another directory");
    EXPECT_EQ(manager.save().status().message(), said);
    EXPECT_EQ(manager.saveAsync().wait().status().message(), said);
    EXPECT_EQ(manager.restore().status().message(), said);
    EXPECT_EQ(manager.pin("ckpt-1").message(), said);
    EXPECT_EQ(manager.unpin("ckpt-1").message(), said);
  }
}

TEST_F(DirectoryTest, AFolderFromTheWorkingFolderOnStaysWhereItIs) {
  namespace fs = std::filesystem;
  const fs::path before = fs::current_path();
  fs::create_directory(folder.file("elsewhere"));
  fs::current_path(folder.path());
  options.directory = "run";
  CheckpointManager manager = open();
  EXPECT_EQ(manager.save().take(), "run/ckpt-1");
  fs::current_path(folder.file("elsewhere"));
  EXPECT_EQ(manager.save().take(), "run/ckpt-2");
  EXPECT_EQ(manager.latest(), "run/ckpt-2");
  EXPECT_EQ(manager.checkpoints(), (Names{"run/ckpt-1", "run/ckpt-2"}));
  EXPECT_TRUE(manager.pin(manager.latest()).ok());
  EXPECT_TRUE(manager.pin(folder.file("run/ckpt-1")).ok());
  const auto report = manager.restore({.name = "run/ckpt-1"});
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->path, "run/ckpt-1");
  EXPECT_TRUE(fs::is_empty("."));
  fs::current_path(before);
  options.directory = folder.file("run");
  EXPECT_EQ(open().checkpoints(),
            (Names{folder.file("run/ckpt-1"), folder.file("run/ckpt-2")}));
}

} // namespace
