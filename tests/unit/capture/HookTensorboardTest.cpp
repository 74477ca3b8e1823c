// SPDX-License-Identifier: Apache-2.0
// What a hook writes for TensorBoard, byte for byte.
#include "Histograms.h"
#include "StepCapture.h"
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include <cstring>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

class HookTensorboard : public testing::Test, protected Watched {
protected:
  /// Saves every step: losses, and a reduction of y, of which there is a
  /// histogram.
  HookConfig config() {
    HookConfig config = everyStep(folder.file("run"));
    config.exportTensorboard = true;
    config.collections = {{.name = "mine",
                           .tensorNames = {"y"},
                           .reductionConfig = ReductionConfig{
                               .reductions = {{TensorReduction::Kind::Max}}}}};
    return config;
  }

  void run(const HookConfig &config, HookOptions options,
           const std::vector<const char *> &entries) {
    session.reset();
    openFile({});
    Hook hook(config, std::move(options));
    ASSERT_TRUE(hook.registerLoss("loss").ok());
    const Status attached = hook.attach(*session);
    ASSERT_TRUE(attached.ok()) << attached.message();
    for (const char *entry : entries)
      ASSERT_TRUE(step(entry, 1).ok());
    const Status closed = hook.close();
    ASSERT_TRUE(closed.ok()) << closed.message();
  }

  /// From the folder of the run on, sorted.
  std::vector<std::string> files(const std::string &below = "run/tensorboard") {
    std::vector<std::string> names;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(folder.file(below)))
      if (entry.is_regular_file())
        names.push_back(entry.path().lexically_relative(folder.file(below)));
    std::sort(names.begin(), names.end());
    return names;
  }

  static std::string nameOf(const std::string &start) {
    char host[256] = {};
    gethostname(host, sizeof(host) - 1);
    return start + "_" + std::to_string(getpid()) + "_" + host + ".tfevents";
  }

  std::string read(const std::string &name) {
    return folder.read("run/tensorboard/" + name);
  }

  TemporaryFolder folder;
};

/// A file, made anew: its time is that of the file.
struct Expected {
  explicit Expected(const std::string &file) {
    std::memcpy(&time, file.data() + 13, sizeof(time)); // Of its first record.
    appendTensorboardVersion(time, bytes);
  }
  void start(uint64_t step) { appendSessionStart(time, step, bytes); }
  void scalar(uint64_t step, const char *tag, float value) {
    appendScalarSummary(time, step, tag, value, bytes);
  }
  /// Of an output of sixteen elements.
  void histogram(uint64_t step, const char *tag, float value) {
    const std::vector<float> all(16, value);
    const auto made = histogramOf(DType::F32, std::as_bytes(std::span(all)));
    appendHistogramSummary(time, step, tag, *made, bytes);
  }
  std::string text() const {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }

  double time;
  std::vector<std::byte> bytes;
};

using Names = std::vector<std::string>;

TEST_F(HookTensorboard, HasNumbersAndHistogramsOfEachStep) {
  run(config(), {}, {"train", "eval", "train"});
  const Names names = {nameOf("EVAL/000000000001"),
                       nameOf("TRAIN/000000000000"),
                       nameOf("TRAIN/000000000002")};
  ASSERT_EQ(files(), names);
  const std::string file = read(names[2]);
  Expected expected(file);
  expected.scalar(2, "loss", 3);
  expected.histogram(2, "mine/y", 3);
  EXPECT_EQ(file, expected.text());
  Expected eval(read(names[0]));
  eval.start(1);
  eval.scalar(1, "loss", 3);
  EXPECT_EQ(read(names[0]), eval.text());
}

TEST_F(HookTensorboard, GoesWhereItIsTold) {
  HookConfig wanted = config();
  wanted.exportTensorboard = false; // The folder is enough.
  wanted.tensorboardDir = folder.file("boards/one");
  run(wanted, {}, {"train"});
  EXPECT_EQ(files("boards/one"), Names{nameOf("TRAIN/000000000000")});
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/tensorboard")));
}

TEST_F(HookTensorboard, HasNoHistogramsWhereTheyAreOff) {
  HookConfig wanted = config();
  wanted.collections[0].saveHistogram = false;
  run(wanted, {}, {"train", "predict"});
  ASSERT_EQ(files(), Names{nameOf("TRAIN/000000000000")});
  Expected expected(read(files()[0]));
  expected.start(0);
  expected.scalar(0, "loss", 3);
  EXPECT_EQ(read(files()[0]), expected.text());
}

TEST_F(HookTensorboard, HasWhatIsGiven) {
  Hook hook(config());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  ASSERT_TRUE(hook.saveScalar("accuracy", 0.25).ok());
  const TestTensor x({4, 4}, 2);
  ASSERT_TRUE(hook.saveTensor("x", x.as("x").tensor, {"mine", "all"}).ok());
  ASSERT_TRUE(hook.close().ok());
  const std::string file = read(files().at(0));
  EXPECT_NE(file.find("scalar/accuracy"), file.npos);
  EXPECT_NE(file.find("mine/x"), file.npos);
  EXPECT_NE(file.find("all/x"), file.npos);
}

TEST_F(HookTensorboard, StartsAgainAfterAResume) {
  run(config(), {}, {"train", "train"});
  folder.write("run/tensorboard/TRAIN/000000000000_1_other.tfevents", "old");
  folder.write("run/tensorboard/TRAIN/000000000001_1_other.part", "torn");
  folder.write("run/tensorboard/TRAIN/000000000007_1_other.tfevents", "old");
  run(config(), {.resume = true}, {"train", "train"});
  const Names names = {nameOf("TRAIN/000000000000"),
                       nameOf("TRAIN/000000000001"),
                       "TRAIN/000000000007_1_other.tfevents"};
  ASSERT_EQ(files(), names);
  Expected first(read(names[0])), second(read(names[1]));
  first.start(0);
  first.scalar(0, "loss", 3);
  first.histogram(0, "mine/y", 3);
  EXPECT_EQ(read(names[0]), first.text());
  second.scalar(1, "loss", 3);
  second.histogram(1, "mine/y", 3);
  EXPECT_EQ(read(names[1]), second.text());
}

TEST_F(HookTensorboard, WrongFoldersAreNamed) {
  auto message = [&](const std::string &path) {
    HookConfig wanted = config();
    wanted.tensorboardDir = path;
    return Hook(wanted).attach(*session).message();
  };
  EXPECT_EQ(message("s3://bucket/board"),
            "the TensorBoard folder 's3://bucket/board' is in S3; smp writes "
            "folders of this machine");
  folder.write("file", "");
  EXPECT_EQ(message(folder.file("file/board")),
            "cannot write the TensorBoard folder '" +
                folder.file("file/board") + "': Not a directory");
  std::filesystem::create_directories(folder.file("board/EVAL"));
  folder.write("board/EVAL/000000000001_1_other.tfevents", "");
  EXPECT_EQ(message(folder.file("board")),
            "the TensorBoard folder '" + folder.file("board") +
                "' has 'EVAL' of another run; choose another, or resume that "
                "run");
  EXPECT_EQ(message(folder.file("fresh")), ""); // No claim was left behind.
}

TEST_F(HookTensorboard, ADryRunWritesNothing) {
  HookConfig wanted = config();
  wanted.dryRun = true;
  run(wanted, {}, {"train"});
  EXPECT_FALSE(std::filesystem::exists(folder.file("run")));
}

/// Histograms need values where the reductions would need statistics.
TEST_F(HookTensorboard, AsksStepsForValues) {
  ProgramTensors tensors;
  tensors.taps["w"] = {.name = "w", .type = {DType::F32, {2}}};
  auto viewOf = [&](HookConfig wanted) {
    wanted.collections = {{.name = "mine", .tensorNames = {"w"}}};
    wanted.collections[0].saveHistogram = wanted.exportTensorboard;
    wanted.collections[0].reductionConfig = {
        {.reductions = {{TensorReduction::Kind::Max}}}};
    return StepCapture::prepare(wanted, tensors, {})->wants(Mode::Train, 0);
  };
  HookConfig wanted = config();
  EXPECT_EQ(viewOf(wanted), StepView::Values);
  wanted.exportTensorboard = false;
  wanted.tensorboardDir = "board"; // Its histograms are off.
  EXPECT_EQ(viewOf(wanted), StepView::Statistics);
}

TEST_F(HookTensorboard, HasHistogramsOfWhatTheProgramShows) {
  session.reset();
  maker = makeChain(1);
  addTwin(*maker);
  Entry &twin = maker->program.entries.back();
  twin.twin->taps[0].name = "shown";
  twin.outputs.back().name = "value/shown";
  openFile({});
  HookConfig wanted = config();
  wanted.collections[0].tensorNames = {"shown"};
  wanted.collections[0].reductionConfig.emplace(); // Nothing else is saved.
  Hook hook(wanted);
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("predict", 1).ok());
  ASSERT_TRUE(hook.close().ok());
  ASSERT_EQ(files().size(), 1u);
  const std::string file = read(files()[0]);
  Expected expected(file);
  expected.start(0);
  expected.histogram(0, "mine/shown", 3);
  EXPECT_EQ(file, expected.text());
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/events")));
}

} // namespace
