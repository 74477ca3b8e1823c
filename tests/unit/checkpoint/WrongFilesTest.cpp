// SPDX-License-Identifier: Apache-2.0
// Files of a checkpoint that were exchanged, left from an older one, lost or
// made by somebody else: nothing is restored, and all that is wrong is said.
#include "RankTraining.h"
#include "smp/serialization/CheckpointManifest.h"
#include <array>

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;

/// Two checkpoints of several files, of which some have the same size.
class WrongFilesTest : public testing::Test {
protected:
  WrongFilesTest() {
    CheckpointManagerOptions options;
    options.directory = folder.path();
    options.sharding = std::make_shared<MaxShardSizePolicy>(32);
    CheckpointManager manager(training, options);
    for (int i = 0; i < 2; ++i) {
      training.train();
      save(manager);
    }
    training.train();
    const auto manifest = parseCheckpointManifest(folder.read("ckpt-2.json"));
    for (const CheckpointManifest::File &file : manifest->files)
      files.push_back(file.name);
    state = folder.read("checkpoint");
    training.warnings.clear();
  }

  /// The message that says why the latest is not restored: an error, and
  /// nothing is changed; or, where a file has not its size, what is logged when
  /// the one before it is.
  std::string whyNot() {
    training.warnings.clear();
    folder.write("checkpoint", state); // A restore may have mended it.
    CheckpointManager manager(training, {.directory = folder.path()});
    const auto restored = manager.restore();
    expectAfter(training, restored.ok() ? 1 : 3);
    const std::string why = !restored.ok() ? restored.status().message()
                            : training.warnings.empty() ? ""
                                                        : training.warnings[0];
    while (training.steps() < 3)
      training.train();
    return why;
  }
  /// That it names these files of the checkpoint and no others.
  void expectNamed(const std::string &why, const Names &wrong) {
    for (const std::string &file : files) {
      const bool isWrong = std::count(wrong.begin(), wrong.end(), file);
      EXPECT_EQ(why.find(folder.file(file) + ":") != why.npos ||
                    why.find(folder.file(file) + "'") != why.npos,
                isWrong)
          << file << ": " << why;
    }
  }

  RankTraining training{nullptr};
  TemporaryFolder folder;
  Names files; // Of the second.
  std::string state;
};

TEST_F(WrongFilesTest, AnyTwoThatWereExchanged) {
  ASSERT_GT(files.size(), 10u);
  int sameSize = 0, exchanged = 0;
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const std::array texts{folder.read(files[i]), folder.read(files[j])};
      if (texts[0] == texts[1])
        continue;
      folder.write(files[i], texts[1]);
      folder.write(files[j], texts[0]);
      expectNamed(whyNot(), {files[i], files[j]});
      sameSize += texts[0].size() == texts[1].size();
      ++exchanged;
      folder.write(files[i], texts[0]);
      folder.write(files[j], texts[1]);
    }
  EXPECT_GT(sameSize, 20);
  EXPECT_GT(exchanged, sameSize);
  folder.write("checkpoint", state);
  CheckpointManager manager(training, {.directory = folder.path()});
  EXPECT_TRUE(restore(manager));
  expectAfter(training, 2);
}

TEST_F(WrongFilesTest, ThoseOfAnOlderCheckpoint) {
  Names stale;
  for (const std::string &file : files) {
    std::string older = file;
    older.replace(0, 6, "ckpt-1");
    if (folder.read(older) == folder.read(file))
      continue; // Of a parameter that no step changes.
    folder.write(file, folder.read(older));
    stale.push_back(file);
    expectNamed(whyNot(), stale); // One more each time.
  }
  EXPECT_GE(stale.size(), 6u);
}

TEST_F(WrongFilesTest, ThoseThatAreMissing) {
  Names missing;
  for (const std::string &file : files) {
    folder.remove(file);
    missing.push_back(file);
    expectNamed(whyNot(), missing);
  }
}

TEST_F(WrongFilesTest, EachInItsOwnWay) {
  std::string flipped = folder.read(files[0]);
  flipped.back() ^= 1;
  folder.write(files[0], flipped);
  std::string header = folder.read(files[1]);
  header[0] ^= 1;
  folder.write(files[1], header);
  expectNamed(whyNot(), {files[0], files[1]});
  folder.write(files[2], folder.read(files[2]).substr(1));
  folder.remove(files[3]);
  expectNamed(whyNot(), {files[2], files[3]}); // It is not complete.
}

/// The manifest says that it is what was written.
TEST_F(WrongFilesTest, HeadersThatCannotBe) {
  const std::string good = folder.read(files[0]),
                    manifest = folder.read("ckpt-2.json");
  auto headed = [](uint64_t length, const std::string &rest) {
    std::string text(reinterpret_cast<const char *>(&length), sizeof(length));
    return text + rest;
  };
  auto tensor = [&](const std::string &fields) {
    const std::string header = "{\"w0\":{" + fields + "}}";
    return headed(header.size(), header + std::string(64, 'x'));
  };
  const std::string type = "\"dtype\":\"F32\",";
  const Names absurd{
      "",
      "1234567",
      headed(0, ""),
      headed(UINT64_MAX, good.substr(8)),
      headed(uint64_t(1) << 63, good.substr(8)),
      headed(good.size() - 7, good.substr(8)),
      headed(100, std::string(100, '{')),
      headed(100, std::string(100, '[')),
      headed(100, std::string(100, '\0')),
      tensor(type + "\"shape\":[16],\"data_offsets\":[0,18446744073709551615]"),
      tensor(type + "\"shape\":[16],\"data_offsets\":[64,0]"),
      tensor(type + "\"shape\":[16],\"data_offsets\":[64,128]"),
      tensor(type + "\"shape\":[4294967296,4294967296,16],"
                    "\"data_offsets\":[0,64]"),
      tensor(type + "\"shape\":[-16],\"data_offsets\":[0,64]"),
      tensor("\"dtype\":\"F31\",\"shape\":[16],\"data_offsets\":[0,64]"),
      tensor("\"shape\":[16],\"data_offsets\":[0,64]"),
  };
  for (const std::string &text : absurd) {
    CheckpointManifest changed = parseCheckpointManifest(manifest).take();
    changed.files[0].digest = {};
    changed.files[0].digest.add(std::as_bytes(std::span(text)));
    folder.write("ckpt-2.json", formatCheckpointManifest(changed));
    folder.write(files[0], text);
    SCOPED_TRACE(text);
    expectNamed(whyNot(), {files[0]});
  }
}

} // namespace
