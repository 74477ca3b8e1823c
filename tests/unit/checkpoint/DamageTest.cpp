// SPDX-License-Identifier: Apache-2.0
// Files of a checkpoint that are not what was written: nothing is restored, and
// the message names the file and what to do.
#include "CheckpointHelpers.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/CheckpointReader.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/Safetensors.h"

using namespace smp;
using namespace smp::test;

namespace {

constexpr const char *kFiles[] = {"ckpt-2.json", "ckpt-2.model.safetensors",
                                  "ckpt-2.state.safetensors"};

class DamageTest : public testing::Test {
protected:
  DamageTest() {
    CheckpointManager manager(session, {.directory = folder.path()});
    session.step();
    save(manager);
    first = savedOf(session.values());
    session.step();
    save(manager);
    session.step();
    before = session.values();
  }

  /// Restoring must fail, change nothing, and say this.
  std::string refused() {
    CheckpointManager manager(session, {.directory = folder.path()});
    const StatusOr<RestoreReport> restored = manager.restore();
    EXPECT_FALSE(restored.ok());
    EXPECT_EQ(restored.status().code(), StatusCode::DataLoss);
    EXPECT_EQ(session.values(), before);
    return restored.status().message();
  }

  Status verified() {
    auto reader =
        CheckpointReader::open(folder.file("ckpt-2"), FileSystem::disk());
    return reader.ok() ? reader->verify() : reader.status();
  }

  TemporaryFolder folder;
  Trained session;
  Values first, before;
};

TEST_F(DamageTest, EveryPlaceOfEveryFileIsNoticed) {
  for (const char *file : kFiles) {
    const std::string good = folder.read(file);
    ASSERT_GT(good.size(), 100u);
    for (size_t i = 0; i < good.size(); i += i < 64 ? 1 : 23) {
      std::string bad = good;
      bad[i] = char(bad[i] ^ (i % 2 ? 0x01 : 0x80));
      folder.write(file, bad);
      const std::string message = refused();
      ASSERT_NE(message.find(folder.file(file)), message.npos)
          << "byte " << i << ": " << message;
    }
    folder.write(file, good);
  }
}

TEST_F(DamageTest, EveryLengthOfEveryFileIsNoticed) {
  for (const char *file : kFiles) {
    const std::string good = folder.read(file);
    for (size_t size = 0; size < good.size(); size += size < 32 ? 1 : 41) {
      folder.write(file, good.substr(0, size));
      const Status status = verified();
      ASSERT_NE(status.message().find(folder.file(file)), std::string::npos)
          << status.message();
    }
    folder.write(file, good + "\n");
    EXPECT_FALSE(verified().ok());
    folder.write(file, good);
  }
}

TEST_F(DamageTest, MessagesNameTheFileTheBoundAndWhatToDo) {
  const std::string todo = "; to restore another one, set "
                           "model_checkpoint_path in '" +
                           folder.file("checkpoint") +
                           "' to one of 'ckpt-1', or restore with fallBack";
  const std::string model = folder.file("ckpt-2.model.safetensors");
  const std::string good = folder.read("ckpt-2.model.safetensors");
  std::string bad = good;
  bad.back() ^= 1;
  folder.write("ckpt-2.model.safetensors", bad);
  const auto digest = [](const std::string &text) {
    return std::to_string(crc32c(std::as_bytes(std::span(text))));
  };
  const std::string damage = model + ": its CRC-32C is " + digest(bad) +
                             "; that of what was written is " + digest(good);
  EXPECT_EQ(refused(), damage + todo);
  std::string first = folder.read("ckpt-1.model.safetensors");
  first.back() ^= 1;
  folder.write("ckpt-1.model.safetensors", first);
  EXPECT_EQ(refused(), damage + "; there is no other checkpoint: remove '" +
                           folder.file("checkpoint") + "' to begin anew");
}

TEST_F(DamageTest, WhatTheMessageSaysWorks) {
  std::string manifest = folder.read("ckpt-2.json");
  manifest[50] ^= 1;
  folder.write("ckpt-2.json", manifest);
  refused();
  std::string text = folder.read("checkpoint");
  text.replace(text.find("ckpt-2"), 6, "ckpt-1");
  folder.write("checkpoint", text);
  CheckpointManager manager(session, {.directory = folder.path()});
  EXPECT_TRUE(restore(manager));
  EXPECT_EQ(save(manager), folder.file("ckpt-3"));
}

TEST_F(DamageTest, FallBackTakesTheNewestThatIsNotDamaged) {
  session.step();
  CheckpointManager manager(session, {.directory = folder.path()});
  save(manager);
  for (const char *file : {"ckpt-3.state.safetensors", "ckpt-2.json"}) {
    std::string text = folder.read(file);
    text[text.size() / 2] ^= 1;
    folder.write(file, text);
  }
  before = session.values();
  EXPECT_NE(refused().find("' to one of 'ckpt-1', or restore with fallBack"),
            std::string::npos);
  const auto restored = manager.restore({.fallBack = true});
  ASSERT_TRUE(restored.ok()) << restored.status().message();
  EXPECT_TRUE(*restored);
  EXPECT_EQ(savedOf(session.values()), first);
  ASSERT_FALSE(session.warnings.empty());
  EXPECT_TRUE(session.warnings.back().ends_with(
      "; 'ckpt-1' is restored, the newest that is not damaged"))
      << session.warnings.back();
  EXPECT_EQ(save(manager), folder.file("ckpt-4"));
}

TEST_F(DamageTest, FilesOfAnotherCheckpointAreNoticed) {
  for (const char *suffix : {".model.safetensors", ".state.safetensors"}) {
    const std::string name = std::string("ckpt-2") + suffix;
    const std::string good = folder.read(name);
    folder.write(name, folder.read(std::string("ckpt-1") + suffix));
    EXPECT_NE(refused().find("CRC-32C"), std::string::npos);
    folder.write(name, good);
  }
}

/// A manifest that is right in itself, and says something else than the files.
TEST_F(DamageTest, AManifestThatDoesNotFitItsFilesIsNoticed) {
  const auto good = parseCheckpointManifest(folder.read("ckpt-2.json")).take();
  auto say = [&](auto change) {
    CheckpointManifest manifest = good;
    change(manifest);
    folder.write("ckpt-2.json", formatCheckpointManifest(manifest));
    return verified().message();
  };
  const std::string model = folder.file("ckpt-2.model.safetensors");
  EXPECT_TRUE(say([](auto &m) { m.items[0].slices[0].tensor = "v"; })
                  .starts_with(model + ": it has no tensor 'v', which the "
                                       "manifest has as 'model/w'"));
  EXPECT_TRUE(say([](auto &m) {
                m.items[0].type.shape = {16};
                m.items[0].slices[0].box = {{0}, {16}};
              })
                  .starts_with(model + ": tensor 'w' is a f32[2x8]; the "
                                       "manifest has a f32[16]"));
  EXPECT_TRUE(say([](auto &m) { m.items.erase(m.items.begin()); })
                  .starts_with(model + ": it has 2 tensors; the manifest "
                                       "has 1"));
}

TEST_F(DamageTest, AFileThatIsNoTensorsIsNoticed) {
  CheckpointManifest manifest =
      parseCheckpointManifest(folder.read("ckpt-2.json")).take();
  const std::string text = "this is no file of tensors";
  manifest.files[0].digest = {};
  manifest.files[0].digest.add(std::as_bytes(std::span(text)));
  folder.write("ckpt-2.json", formatCheckpointManifest(manifest));
  folder.write("ckpt-2.model.safetensors", text);
  EXPECT_TRUE(refused().starts_with(folder.file("ckpt-2.model.safetensors")));
}

} // namespace
