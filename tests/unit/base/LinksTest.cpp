// SPDX-License-Identifier: Apache-2.0
// Outputs whose names are links.
#include "FileHelpers.h"
#include "smp/base/AtomicFile.h"
#include <fcntl.h>

using namespace smp;
using namespace smp::test;

namespace {

struct Links : testing::Test {
  TemporaryFolder folder;

  void makeFolder(const std::string &name) {
    std::filesystem::create_directory(folder.file(name));
  }
  void link(const std::string &name, const std::string &target) {
    std::filesystem::create_symlink(target, folder.file(name));
  }
  bool isLink(const std::string &name) {
    return S_ISLNK(statusOf(folder.file(name)).st_mode);
  }
  std::string write(const std::string &name) {
    return writeFile(folder.file(name), "new").message();
  }
};

} // namespace

TEST_F(Links, AreFollowed) {
  folder.write("file", "old");
  ASSERT_EQ(chmod(folder.file("file").c_str(), 0640), 0);
  link("link", "file");
  EXPECT_EQ(write("link"), "");
  EXPECT_TRUE(isLink("link"));
  EXPECT_EQ(folder.read("file"), "new");
  EXPECT_EQ(modeOf(folder.file("file")), 0640u);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"file", "link"}));
}

TEST_F(Links, TheTemporaryFileLiesBesideTheTarget) {
  makeFolder("far");
  folder.write("far/file", "old");
  link("link", "far/file");
  StatusOr<AtomicFile> file = AtomicFile::create(folder.file("link"));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"far", "link"}));
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry :
       std::filesystem::directory_iterator(folder.file("far")))
    ++files;
  EXPECT_EQ(files, 2u);
}

/// a/one -> ../b/two -> <absolute>/c/three -> file, which is not there.
TEST_F(Links, InARowOverFoldersAreFollowed) {
  for (const char *name : {"a", "b", "c"})
    makeFolder(name);
  link("a/one", "../b/two");
  link("b/two", folder.file("c/three"));
  link("c/three", "file");
  EXPECT_EQ(write("a/one"), "");
  EXPECT_EQ(folder.read("c/file"), "new");
  for (const char *name : {"a/one", "b/two", "c/three"})
    EXPECT_TRUE(isLink(name)) << name;
}

TEST_F(Links, ToFoldersAreFoldersOnTheWay) {
  makeFolder("real");
  link("folder", "real");
  EXPECT_EQ(write("folder/file"), "");
  EXPECT_EQ(folder.read("real/file"), "new");
  EXPECT_EQ(write("folder"), "cannot write '" + folder.file("folder") +
                                 "', which leads to '" + folder.file("real") +
                                 "': Is a directory");
}

TEST_F(Links, ToNothingMakeTheFile) {
  link("link", "file");
  EXPECT_EQ(write("link"), "");
  EXPECT_TRUE(isLink("link"));
  EXPECT_EQ(folder.read("file"), "new");
}

TEST_F(Links, ToAFolderThatIsNotThereAreTold) {
  link("link", "none/file");
  EXPECT_EQ(write("link"),
            "cannot write '" + folder.file("link") + "', which leads to '" +
                folder.file("none/file") + "': No such file or directory");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"link"});
}

TEST_F(Links, InACircleAreTold) {
  link("one", "two");
  link("two", "one");
  EXPECT_EQ(write("one"), "cannot write '" + folder.file("one") +
                              "': Too many levels of symbolic links");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"one", "two"}));
}

TEST_F(Links, WhatLiesBesideIsBesideTheLink) {
  makeFolder("far");
  link("link", "far/file");
  StatusOr<std::string> path = pathBeside(folder.file("link"), "w.safetensors");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(*path, folder.file("w.safetensors"));
  path = pathBeside("p.smp", "w.safetensors");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(*path, "w.safetensors");
}

//===----------------------------------------------------------------------===//
// Links to what is open
//===----------------------------------------------------------------------===//

/// A file of this process, by the name that the kernel gives it.
static std::string nameOf(int descriptor) {
  return "/dev/fd/" + std::to_string(descriptor);
}

TEST_F(Links, ADescriptorOfOursIsWrittenWhereItStands) {
  const int file =
      open(folder.file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::write(file, "before ", 7), 7);
  EXPECT_TRUE(writeFile(nameOf(file), "new").ok());
  ASSERT_EQ(::write(file, " after", 6), 6);
  close(file);
  EXPECT_EQ(folder.read("log"), "before new after");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"log"});
}

TEST_F(Links, ADescriptorOfAFileWithoutANameIsWritten) {
  const int file = open(folder.file("a").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  folder.remove("a");
  EXPECT_TRUE(writeFile(nameOf(file), "new").ok());
  char text[4] = {};
  EXPECT_EQ(pread(file, text, 3, 0), 3);
  close(file);
  EXPECT_STREQ(text, "new");
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(Links, ADescriptorThatIsNotOpenIsTold) {
  EXPECT_EQ(writeFile("/dev/fd/98765", "new").message(),
            "cannot write '/dev/fd/98765': No such file or directory");
}
