// SPDX-License-Identifier: Apache-2.0
// SavedModels as folders: complete or not there.
#include "ExportGraphs.h"
#include "TemporaryFolder.h"
#include "smp/base/AtomicFile.h"
#include "smp/tools/ExportSavedModel.h"
#include "smp/tools/TensorBundle.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

GraphMaker sum() {
  GraphMaker m;
  const uint32_t x = m.input("x", floats({4}));
  m.output("y", m.op("add", {x, m.read("a/w.1", floats({4}))}, floats({4})));
  return m;
}

std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> names;
  EXPECT_EQ(FileSystem::disk().list(folder, names), 0);
  std::ranges::sort(names);
  return names;
}

TEST(WriteSavedModel, VariablesAreABundleByTheirNames) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  const ExportedModel model = sum().finish();
  const Status status = writeSavedModel(model, path + "/");
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(filesIn(folder.path()), std::vector<std::string>{"model"});
  EXPECT_EQ(filesIn(path),
            (std::vector<std::string>{"saved_model.pb", "variables"}));
  const auto bundle = TensorBundle::open(path + "/variables/variables");
  ASSERT_TRUE(bundle.ok()) << bundle.status().message();
  ASSERT_EQ(bundle->tensors().size(), 1u);
  const auto read = bundle->read(bundle->tensors()[0]);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(bundle->tensors()[0].key, "a/w.1");
  EXPECT_TRUE(
      std::ranges::equal(read->bytes, *model.value("a/w.1", floats({4}))));
}

TEST(WriteSavedModel, WithoutVariablesThereAreNone) {
  const TemporaryFolder folder;
  GraphMaker m;
  m.output("y", m.op("neg", {m.input("x", floats({4}))}, floats({4})));
  ASSERT_EQ(FileSystem::disk().makeFolder(folder.file("empty")), 0);
  const Status status = writeSavedModel(m.finish(), folder.file("empty"));
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(filesIn(folder.file("empty")),
            std::vector<std::string>{"saved_model.pb"});
}

TEST(WriteSavedModel, WhatIsThereIsNotReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  for (const bool isFolder : {false, true}) {
    if (isFolder) {
      ASSERT_EQ(FileSystem::disk().remove(path), 0);
      ASSERT_EQ(FileSystem::disk().makeFolder(path), 0);
    }
    const std::string mine = isFolder ? path + "/mine" : path;
    ASSERT_TRUE(writeFile(mine, std::string_view("mine")).ok());
    EXPECT_EQ(writeSavedModel(sum().finish(), path).message(),
              "'" + path +
                  "' is there already and is not replaced; remove it, or give "
                  "another name");
    EXPECT_TRUE(FileSystem::disk().read(mine).ok());
    EXPECT_EQ(filesIn(folder.path()), std::vector<std::string>{"model"});
  }
}

TEST(WriteSavedModel, FoldersAboveItAreMade) {
  const TemporaryFolder folder;
  const Status written =
      writeSavedModel(sum().finish(), folder.file("serve/sum/1/"));
  EXPECT_TRUE(written.ok()) << written.message();
  EXPECT_EQ(filesIn(folder.file("serve/sum")), std::vector<std::string>{"1"});
}

TEST(WriteSavedModel, NothingIsLeftOfWhatFails) {
  const TemporaryFolder folder;
  GraphMaker two = sum();
  two.output("z", two.read("", floats({4}))); // No key of a bundle.
  EXPECT_EQ(writeSavedModel(two.finish(), folder.file("model")).message(),
            folder.file("model") +
                ": tensor '' cannot be saved under that key");
  EXPECT_TRUE(filesIn(folder.path()).empty());
  EXPECT_FALSE(writeSavedModel(sum().finish(), "/proc/model").ok());
}

} // namespace
