// SPDX-License-Identifier: Apache-2.0
// `ulimit -f`: passing it ends a process that does not expect it.
#include "ResourceLimit.h"
#include "TemporaryFolder.h"
#include "smp/base/AtomicFile.h"

using namespace smp;
using namespace smp::test;

namespace {

TEST(FileLimit, AFileBeyondItIsAnErrorAndLeavesNothing) {
  const TemporaryFolder folder;
  Status status;
  {
    const ResourceLimit limit(RLIMIT_FSIZE, 4096);
    status = writeFile(folder.file("large"), std::string(8192, 'x'));
  }
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "cannot write '" + folder.file("large") + "': File too large");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileLimit, RoomBeyondItIsNotTaken) {
  const TemporaryFolder folder;
  std::unique_ptr<WritableFile> file;
  ASSERT_EQ(
      FileSystem::uncachedDisk().make(folder.file("large"), nullptr, file), 0);
  {
    const ResourceLimit limit(RLIMIT_FSIZE, 4096);
    file->reserve(8192);
  }
  EXPECT_EQ(std::filesystem::file_size(folder.file("large")), 0u);
}

} // namespace
