// SPDX-License-Identifier: Apache-2.0
#include "TemporaryFolder.h"
#include "TroubledFiles.h"
#include "smp/tools/TensorBundle.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {
struct WriteBundle : testing::Test {
  TemporaryFolder folder;
  const std::vector<float> w = {1, 2, 3, 4, 5, 6};
  const std::vector<TensorToBundle> tensors = {
      {"w", {DType::F32, {2, 3}}, std::as_bytes(std::span(w)), {}},
      {"text", {}, {}, "some text"},
      {"none", {DType::BF16, {0}}, {}, {}}};
};
} // namespace

TEST_F(WriteBundle, IsReadAgain) {
  const std::string prefix = folder.file("b");
  const Status status = writeTensorBundle(tensors, prefix);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"b.data-00000-of-00001", "b.index"}));
  const auto bundle = TensorBundle::open(prefix);
  ASSERT_TRUE(bundle.ok()) << bundle.status().message();
  ASSERT_EQ(bundle->tensors().size(), 3u);
  const auto read = bundle->read(*bundle->find("w"));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(std::ranges::equal(read->bytes, std::as_bytes(std::span(w))));
  EXPECT_EQ(bundle->readTexts(*bundle->find("text"))->front(), "some text");
  EXPECT_EQ(bundle->find("none")->shape, Shape{0});
  EXPECT_EQ(bundle->find("nobody"), nullptr);
}

TEST_F(WriteBundle, OneThatIsThereStays) {
  const std::string prefix = folder.file("b");
  ASSERT_TRUE(writeTensorBundle(tensors, prefix).ok());
  const std::string data = folder.read("b.data-00000-of-00001");
  const Status status = writeTensorBundle({}, prefix);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(status.message().find(prefix + ".index"), std::string::npos);
  EXPECT_EQ(folder.read("b.data-00000-of-00001"), data);
}

TEST_F(WriteBundle, WrongTensorsAreRefusedAndNothingIsThere) {
  const TensorToBundle &w = tensors.front();
  for (const std::vector<TensorToBundle> &wrong :
       {std::vector{w, w},
        {{"", w.type, w.bytes, {}}},
        {{std::string(1, '\0'), w.type, w.bytes, {}}},
        {{"w", {DType::F64, {2, 3}}, w.bytes, {}}}}) {
    EXPECT_EQ(writeTensorBundle(wrong, folder.file("b")).code(),
              StatusCode::InvalidArgument);
    EXPECT_TRUE(folder.names().empty());
  }
}

TEST_F(WriteBundle, BytesMayComeInPieces) {
  std::vector<TensorToBundle> pieces = tensors;
  pieces.front().bytes = {};
  pieces.front().source = [&](const ByteSink &sink) {
    for (const float &value : w)
      SMP_RETURN_IF_ERROR(sink(std::as_bytes(std::span(&value, 1))));
    return Status();
  };
  ASSERT_TRUE(writeTensorBundle(tensors, folder.file("whole")).ok());
  ASSERT_TRUE(writeTensorBundle(pieces, folder.file("pieces")).ok());
  for (const char *end : {".index", ".data-00000-of-00001"})
    EXPECT_EQ(folder.read(std::string("pieces") + end),
              folder.read(std::string("whole") + end));
  pieces.front().source = [](const ByteSink &) { return Status(); };
  EXPECT_EQ(writeTensorBundle(pieces, folder.file("none")).message(),
            "tensor 'w' has 0 bytes, which a f32[2x3] does not have");
  EXPECT_EQ(folder.names().size(), 4u);
}

/// Whatever operation fails, a bundle that is there is complete.
TEST_F(WriteBundle, IsCompleteOrNotThere) {
  int written = 0, failed = 0;
  for (const bool isForEver : {false, true})
    for (int operation = 0;; ++operation) {
      TemporaryFolder here;
      test::TroubledFiles files(FileSystem::disk());
      files.begin(operation,
                  isForEver ? test::Failing::Changes : test::Failing::One);
      const Status status = writeTensorBundle(tensors, here.file("b"), files);
      if (!files.wereTroubled())
        break;
      ++(status.ok() ? written : failed);
      if (std::filesystem::exists(here.file("b.index")))
        EXPECT_TRUE(TensorBundle::open(here.file("b")).ok()) << operation;
      else
        EXPECT_FALSE(status.ok()) << operation;
      if (!isForEver && !status.ok() &&
          !std::filesystem::exists(here.file("b.index")))
        EXPECT_TRUE(here.names().empty()) << operation;
    }
  EXPECT_GT(failed, 10);
  EXPECT_EQ(written, 0);
}
