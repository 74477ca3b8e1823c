// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Cores.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace smp;
namespace fs = std::filesystem;

namespace {

/// A folder that looks like /sys/fs/cgroup.
class CgroupTest : public testing::Test {
protected:
  CgroupTest() {
    root = testing::TempDir() + "smp-cgroup-" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root);
    fs::create_directories(root);
  }
  ~CgroupTest() override { fs::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  std::string root;
};

TEST_F(CgroupTest, WithoutFilesThereIsNoLimit) {
  EXPECT_EQ(cgroupCpuQuota(root, ""), 0);
  EXPECT_EQ(cgroupCpuQuota(root, "0::/\n"), 0);
  EXPECT_EQ(cgroupCpuQuota(root, "rubbish\n:\n"), 0);
}

TEST_F(CgroupTest, Version2TakesTheTightestAncestor) {
  write("/a/cpu.max", "150000 100000\n");
  write("/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroupCpuQuota(root, "0::/a/b\n"), 1.5);
  write("/a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroupCpuQuota(root, "0::/a/b\n"), 0.5);
}

TEST_F(CgroupTest, Version1HasItsOwnFiles) {
  write("/cpu/x/cpu.cfs_quota_us", "300000\n");
  write("/cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroupCpuQuota(root, "4:cpu,cpuacct:/x\n"), 3);
  EXPECT_EQ(cgroupCpuQuota(root, "4:cpuset:/x\n"), 0);
  write("/cpu/x/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cgroupCpuQuota(root, "4:cpu:/x\n"), 0);
}

TEST_F(CgroupTest, AContainersOwnMountCountsWhenThePathIsTheHosts) {
  write("/cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroupCpuQuota(root, "0::/docker/deadbeef\n"), 2);
  EXPECT_EQ(cgroupCpuQuota(root, "0::/../../elsewhere\n"), 2);
}

TEST_F(CgroupTest, PhysicalCoresAreFoundBySiblings) {
  for (const char *core : {"0", "4"})
    write(std::string("/cpu") + core + "/topology/thread_siblings_list",
          "0,4\n");
  for (const char *core : {"2", "3"})
    write(std::string("/cpu") + core + "/topology/thread_siblings_list",
          "2-3\n");
  EXPECT_EQ(physicalCores(root, {0, 1, 2, 3, 4}),
            (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(physicalCores(root, {3, 4}), (std::vector<uint32_t>{3, 4}));
}

TEST(AllowedCores, AreAscendingAndNotEmpty) {
  const AllowedCores allowed = allowedCores();
  ASSERT_FALSE(allowed.cores.empty());
  EXPECT_TRUE(std::is_sorted(allowed.cores.begin(), allowed.cores.end()));
  EXPECT_GE(allowed.usable, 1u);
  EXPECT_LE(allowed.usable, allowed.cores.size());
}

TEST(CoreClaim, NobodySpinsWhenThreadsDoNotFit) {
  const unsigned usable = allowedCores().usable;
  CoreClaim fits(usable);
  EXPECT_TRUE(CoreClaim::maySpin());
  {
    CoreClaim tooMany(1);
    EXPECT_FALSE(CoreClaim::maySpin());
  }
  EXPECT_TRUE(CoreClaim::maySpin());
}

} // namespace
