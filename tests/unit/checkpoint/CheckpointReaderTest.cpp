// SPDX-License-Identifier: Apache-2.0
// Parts of a checkpoint are read by what they are, and only they are checked.
#include "smp/serialization/CheckpointReader.h"
#include "CountingFiles.h"
#include "TemporaryFolder.h"
#include "smp/base/AtomicFile.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace smp;
using smp::test::CountingFiles;

namespace {

using Bytes = std::span<const std::byte>;

constexpr int64_t kRows = 1024, kColumns = 1024; // 4 MiB of f32.

/// One tensor, cut in two files: its first columns, and the others.
class CheckpointReaderTest : public testing::Test {
protected:
  CheckpointReaderTest() : values(size_t(kRows * kColumns)) {
    std::iota(values.begin(), values.end(), 0.f);
    addFile("a", {{0, 0}, {kRows, 768}});
    addFile("b", {{0, 768}, {kRows, kColumns - 768}});
    EXPECT_TRUE(writeFile(folder.file("ckpt-1.json"),
                          formatCheckpointManifest(manifest))
                    .ok());
  }

  void addFile(const std::string &name, const TensorSlice &box) {
    std::vector<float> part(size_t(numElements(box.extent)));
    copyCommon(wholeOf(item().type.shape), bytesOf(values).data(), box,
               std::as_writable_bytes(std::span(part)).data(), sizeof(float));
    const SafetensorsTensor tensor{
        "w", {DType::F32, box.extent}, std::as_bytes(std::span(part))};
    auto digest = writeSafetensors({&tensor, 1}, {}, folder.file(name));
    EXPECT_TRUE(digest.ok());
    item().slices.push_back({uint32_t(manifest.files.size()), "w", box});
    manifest.files.push_back({name, digest.take()});
  }
  CheckpointManifest::Item &item() {
    if (manifest.items.empty())
      manifest.items.push_back(
          {"model/w", {DType::F32, {kRows, kColumns}}, {}});
    return manifest.items.front();
  }
  static Bytes bytesOf(const std::vector<float> &values) {
    return std::as_bytes(std::span(values));
  }
  CheckpointReader open() {
    auto reader =
        CheckpointReader::open(folder.file("ckpt-1"), FileSystem::disk());
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    return reader.take();
  }
  /// Reads the box in a new reader, and compares.
  Status read(const TensorSlice &box) {
    CheckpointReader reader = open();
    std::vector<float> part(size_t(numElements(box.extent)));
    const CheckpointReader::Wanted wanted{
        reader.manifest().items.data(), box,
        std::as_writable_bytes(std::span(part))};
    SMP_RETURN_IF_ERROR(reader.read({&wanted, 1}));
    std::vector<float> expected(part.size());
    copyCommon(wholeOf(item().type.shape), bytesOf(values).data(), box,
               std::as_writable_bytes(std::span(expected)).data(),
               sizeof(float));
    EXPECT_EQ(part, expected);
    return Status();
  }
  void flip(const std::string &name, size_t byte) {
    std::string text = folder.read(name);
    text[byte] = char(text[byte] ^ 4);
    folder.write(name, text);
  }

  TemporaryFolder folder;
  std::vector<float> values;
  CheckpointManifest manifest;
};

TEST_F(CheckpointReaderTest, SlicesAreJoined) {
  CheckpointReader reader = open();
  auto all = reader.read(reader.manifest().items[0]);
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_TRUE(std::ranges::equal(*all, bytesOf(values)));
  EXPECT_TRUE(reader.verify().ok());
}

TEST_F(CheckpointReaderTest, BoxesOfOneOrSeveralFilesAreRead) {
  for (const TensorSlice &box :
       {TensorSlice{{0, 0}, {1, 1}}, TensorSlice{{1000, 700}, {24, 324}},
        TensorSlice{{5, 800}, {7, 100}}, TensorSlice{{0, 767}, {1024, 2}}})
    EXPECT_TRUE(read(box).ok()) << toString(box);
}

TEST_F(CheckpointReaderTest, OnlyPiecesThatAreTouchedAreChecked) {
  ASSERT_EQ(manifest.files[0].digest.pieces.size(), 4u);
  flip("a", 2 * kPieceBytes + 100); // Rows from 681 on.
  const std::string message =
      folder.file("a") + ": the CRC-32C of its bytes from 2097152 on is ";
  EXPECT_TRUE(read({{0, 0}, {681, kColumns}}).ok());
  EXPECT_TRUE(read({{0, 768}, {kRows, 256}}).ok());
  for (const TensorSlice &box : {TensorSlice{{700, 3}, {1, 1}},
                                 TensorSlice{{0, 0}, {kRows, kColumns}}}) {
    const Status status = read(box);
    EXPECT_EQ(status.code(), StatusCode::DataLoss);
    EXPECT_TRUE(status.message().starts_with(message)) << status.message();
  }
  EXPECT_TRUE(open().verify().message().starts_with(message));
}

TEST_F(CheckpointReaderTest, APieceIsReadOnceForAllThatIsWantedOfIt) {
  CountingFiles files(FileSystem::disk());
  auto reader = CheckpointReader::open(folder.file("ckpt-1"), files);
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  const CheckpointManifest::Item &whole = reader->manifest().items[0];
  // Rows of both files, which overlap, in another order.
  const std::vector<TensorSlice> boxes{{{700, 0}, {324, kColumns}},
                                       {{0, 0}, {800, kColumns}},
                                       {{100, 5}, {900, 1}},
                                       {{3, 1000}, {1, 24}}};
  std::vector<std::vector<float>> parts;
  for (const TensorSlice &box : boxes)
    parts.emplace_back(size_t(numElements(box.extent)));
  std::vector<CheckpointReader::Wanted> wanted;
  for (size_t i = 0; i < boxes.size(); ++i)
    wanted.push_back(
        {&whole, boxes[i], std::as_writable_bytes(std::span(parts[i]))});
  const Status status = reader->read(wanted);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(files.bytesRead(),
            manifest.files[0].digest.size + manifest.files[1].digest.size);
  for (size_t i = 0; i < boxes.size(); ++i) {
    std::vector<float> expected(parts[i].size());
    copyCommon(wholeOf(item().type.shape), bytesOf(values).data(), boxes[i],
               std::as_writable_bytes(std::span(expected)).data(),
               sizeof(float));
    EXPECT_EQ(parts[i], expected) << toString(boxes[i]);
  }
  // What is known of the files is not read again.
  ASSERT_TRUE(reader->read({wanted.data() + 3, 1}).ok());
  EXPECT_EQ(files.bytesRead(), kPieceBytes);
}

TEST_F(CheckpointReaderTest, MoreThanAFileHasRoomForIsRefused) {
  CheckpointManifest::Item &large =
      manifest.items.emplace_back(manifest.items[0]);
  large.key = "model/large";
  large.type.shape = {int64_t(1) << 40};
  large.slices = {{0, "large", wholeOf(large.type.shape)}};
  ASSERT_TRUE(
      writeFile(folder.file("ckpt-1.json"), formatCheckpointManifest(manifest))
          .ok());
  const Status status =
      CheckpointReader::open(folder.file("ckpt-1"), FileSystem::disk())
          .status();
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_EQ(status.message(),
            folder.file("a") + ": it has " +
                std::to_string(manifest.files[0].digest.size) +
                " bytes; the manifest has more of tensors, as 'model/large' "
                "of 4398046511104");
}

TEST_F(CheckpointReaderTest, AFileThatIsNotTouchedIsNotRead) {
  flip("b", 0);
  EXPECT_TRUE(read({{0, 0}, {kRows, 768}}).ok());
  EXPECT_TRUE(read({{0, 768}, {1, 1}})
                  .message()
                  .starts_with(folder.file("b") +
                               ": the CRC-32C of its bytes from 0 on is "));
}

TEST_F(CheckpointReaderTest, AFileOfAnotherSizeIsNoCheckpoint) {
  folder.write("b", "short");
  EXPECT_EQ(CheckpointReader::open(folder.file("ckpt-1"), FileSystem::disk())
                .status()
                .message(),
            folder.file("b") + ": it has 5 bytes, of " +
                std::to_string(manifest.files[1].digest.size) +
                " that were written");
}

} // namespace
