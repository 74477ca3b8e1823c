// SPDX-License-Identifier: Apache-2.0
// Images that cannot be loaded, and why.
#include "smp/drivers/host/HostImage.h"
#include "ResourceLimit.h"
#include "TestKernels.h"
#include <fcntl.h>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

Status loadWithin(__rlimit_resource resource, rlim_t limit) {
  const ResourceLimit within(resource, limit);
  return HostImage::load(testKernelsElf()).status();
}

/// `ulimit -f`: passing it ends a process that does not expect it.
TEST(HostImage, OneThatIsLargerThanFilesMayBeIsAnError) {
  const Status status = loadWithin(RLIMIT_FSIZE, 4096);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(status.message(),
            "kernel image: writing " + std::to_string(testKernelsElf().size()) +
                " bytes to memory: File too large; raise the limit that "
                "`ulimit -f` shows");
}

TEST(HostImage, TooManyOpenFilesAreNoDamage) {
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(next, 0);
  close(next);
  const std::string end =
      ": Too many open files; raise the limit that `ulimit -n` shows";
  for (const auto &[files, what] :
       {std::pair(next, std::string("memfd_create")),
        {next + 1,
         "loading " + std::to_string(testKernelsElf().size()) + " bytes"}}) {
    const Status status = loadWithin(RLIMIT_NOFILE, rlim_t(files));
    EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
    EXPECT_EQ(status.message(), "kernel image: " + what + end);
  }
  EXPECT_TRUE(HostImage::load(testKernelsElf()).ok());
}

TEST(HostImage, OtherBytesAreDamage) {
  const std::vector<std::byte> zeros(4096);
  EXPECT_EQ(HostImage::load(zeros).status().code(), StatusCode::DataLoss);
}

} // namespace
