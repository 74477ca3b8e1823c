// SPDX-License-Identifier: Apache-2.0
// The folder that analysis tools read, byte for byte.
#include "CaptureFolder.h"
#include "TemporaryFolder.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace smp;

namespace {

std::string hexOf(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[unsigned(byte) >> 4];
    text += kDigits[unsigned(byte) & 15];
  }
  return text;
}

// A record that the real reader has read.
constexpr const char *kGolden =
    "54000000000000005f51458709000000000000f83f10dc0b2a460a440a05612f623a304a1b"
    "0a0e0a096d6f64655f737465701201370a090a046d6f6465120131421e0801120812020802"
    "1202080222100000803f000000400000404000008040b3c02d06";

StepValue fourFloats() {
  static constexpr float kValues[] = {1, 2, 3, 4};
  static constexpr int64_t kShape[] = {2, 2};
  return {DType::F32, kShape, std::as_bytes(std::span(kValues))};
}

StepRecords goldenStep() {
  StepRecords records;
  RecordOfName name("a/b:0");
  records.begin({1.5, 1500, Mode::Train, 7});
  EXPECT_TRUE(records.addTensor(name, fourFloats()).ok());
  return records;
}

std::string messageOf(const std::string &path, bool resume = false) {
  return CaptureFolder::open(path, resume).status().message();
}

TEST(StepRecords, AreThoseThatReadersRead) {
  const StepRecords records = goldenStep();
  EXPECT_EQ(hexOf(records.events()), kGolden);
  EXPECT_EQ(
      records.index("events/x.tfevents"),
      "{\"meta\": {\"mode\": \"TRAIN\", \"mode_step\": 7, "
      "\"event_file_name\": \"events/x.tfevents\"}, "
      "\"tensor_payload\": [{\"tensorname\": \"a/b:0\", \"start_idx\": 0, "
      "\"length\": 100}], \"shape_payload\": []}");
}

TEST(StepRecords, HaveShapesWithoutRecords) {
  StepRecords records;
  records.begin({1.5, 3, Mode::Eval, 0});
  EXPECT_TRUE(records.isEmpty());
  const int64_t shape[] = {2, 3};
  records.addShape(RecordOfName("w"), shape);
  EXPECT_FALSE(records.isEmpty());
  EXPECT_EQ(records.index("events/x.tfevents"),
            "{\"meta\": {\"mode\": \"EVAL\", \"mode_step\": 0}, "
            "\"tensor_payload\": [], \"shape_payload\": [{\"tensorname\": "
            "\"w\", \"originalname\": \"w\", \"shape\": [2, 3]}]}");
}

TEST(StepRecords, LeaveOutWhatHasNoElement) {
  StepRecords records;
  RecordOfName name("nothing");
  const int64_t shape[] = {0, 3};
  EXPECT_TRUE(records.addTensor(name, {DType::F32, shape, {}}).ok());
  EXPECT_TRUE(records.isEmpty());
}

/// Names, types and places of the index change from step to step, or do not.
TEST(StepRecords, AreThoseOfNewNames) {
  RecordOfName a("a"), b("b");
  const float values[] = {1, 2, 3};
  const int64_t three[] = {3}, one[] = {1};
  StepRecords records;
  for (const uint64_t step : {5u, 6u, 500u, 501u, 7u}) {
    const EventStep stamp{double(step), step, Mode::Eval, step / 2};
    StepRecords fresh;
    RecordOfName freshA("a"), freshB("b");
    auto add = [&](StepRecords &to, RecordOfName &first, RecordOfName &second) {
      to.begin(stamp);
      const auto bytes = std::as_bytes(std::span(values));
      const bool isShort = step == 6;
      EXPECT_TRUE(
          to.addTensor(first, isShort
                                  ? StepValue{DType::F32, one, bytes.first(4)}
                                  : StepValue{DType::F32, three, bytes})
              .ok());
      EXPECT_TRUE(to.addNumber(second, double(step)).ok());
    };
    add(records, a, b);
    add(fresh, freshA, freshB);
    EXPECT_EQ(hexOf(records.events()), hexOf(fresh.events())) << step;
    EXPECT_EQ(records.index("x"), fresh.index("x")) << step;
  }
}

TEST(CaptureFolder, HasTheFilesWhereReadersLook) {
  TemporaryFolder root;
  const std::string path = root.file("run");
  {
    StatusOr<CaptureFolder> folder = CaptureFolder::open(path, false);
    ASSERT_TRUE(folder.ok()) << folder.status().message();
    EXPECT_TRUE(std::filesystem::exists(path + "/claim.smd"));
    ASSERT_TRUE(folder->writeCollections("{}").ok());
    ASSERT_TRUE(folder->writeStep(goldenStep()).ok());
    ASSERT_TRUE(folder->writeEnd().ok());
  }
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file())
      files.push_back(entry.path().lexically_relative(path));
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (std::vector<std::string>{
                       "collections/000000000/worker_0_collections.json",
                       "events/000000001500/000000001500_worker_0.tfevents",
                       "index/000000001/000000001500_worker_0.json",
                       "training_job_end.ts"}));
  EXPECT_EQ(root.read("run/" + files[0]), "{}");
  const std::string events = root.read("run/" + files[1]);
  EXPECT_EQ(hexOf(std::as_bytes(std::span(events))), kGolden);
  EXPECT_NE(root.read("run/" + files[2]).find("\"" + files[1] + "\""),
            std::string::npos);
}

TEST(CaptureFolder, IsOfOneRun) {
  TemporaryFolder root;
  const std::string path = root.file("run");
  ASSERT_TRUE(CaptureFolder::open(path, false)->writeStep(goldenStep()).ok());
  EXPECT_EQ(messageOf(path), "the folder '" + path +
                                 "' has 'events' of another run; choose "
                                 "another, or resume that run");
  ASSERT_TRUE(CaptureFolder::open(path, true)->writeEnd().ok());
  EXPECT_EQ(messageOf(path),
            "the folder '" + path +
                "' is of a job that is over ('training_job_end.ts' is there); "
                "choose another, or resume the job");
  ASSERT_EQ(messageOf(path, true), "");
  EXPECT_FALSE(std::filesystem::exists(path + "/training_job_end.ts"));
}

TEST(CaptureFolder, IsWrittenByOneProcess) {
  TemporaryFolder root;
  StatusOr<CaptureFolder> first = CaptureFolder::open(root.path(), false);
  ASSERT_TRUE(first.ok());
  EXPECT_NE(messageOf(root.path()).find("is written by this process"),
            std::string::npos);
  const pid_t child = fork();
  if (child == 0) {
    const std::string holder = "process " + std::to_string(getppid());
    const std::string message = messageOf(root.path());
    _exit(message.find("is written by " + holder) == message.npos);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(CaptureFolder, ThatAKilledProcessClaimedIsFree) {
  TemporaryFolder root;
  const pid_t child = fork();
  if (child == 0) {
    const auto folder = CaptureFolder::open(root.path(), false);
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(std::filesystem::exists(root.file("claim.smd")));
  EXPECT_EQ(messageOf(root.path()), "");
}

TEST(CaptureFolder, IsRefusedWhereReadersWouldMisreadIt) {
  TemporaryFolder root;
  EXPECT_NE(messageOf(root.file("a__b")).find("has '__' in its path"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(root.file("a__b")));
  EXPECT_NE(messageOf("s3://bucket/run").find("is in S3"), std::string::npos);
  root.write("file", "");
  EXPECT_EQ(messageOf(root.file("file")), "cannot make the folder '" +
                                              root.file("file") +
                                              "': Not a directory");
}

} // namespace
