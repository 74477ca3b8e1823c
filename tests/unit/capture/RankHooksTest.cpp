// SPDX-License-Identifier: Apache-2.0
// Which ranks write what of a program that is on several.
#include "RankThreads.h"
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include "smp/trial/Trial.h"
#include <atomic>

using namespace smp;
using namespace smp::test;

namespace {

constexpr const char *kBoth = "0/cpu:0,1/cpu:0";

/// A chain over two partitions, whose twin shows v0 of the first, v1 of the
/// second. Null: both are here.
class ShowingSession {
public:
  explicit ShowingSession(Communicator *communicator) {
    showStages(*maker);
    EXPECT_TRUE(maker->finish().ok());
    SessionOptions options;
    options.devices = communicator ? kBoth : "cpu:0,cpu:1";
    options.communicator = communicator;
    auto opened = Session::open(SharedProgram::read(maker->file()).take(),
                                std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    session = opened.take();
  }

  void step(int number, int64_t microbatches = 2) {
    const TestTensor x({2 * microbatches, 8}, float(number));
    const Status status =
        session->step("predict", std::vector{x.as("x")}, {}).status();
    EXPECT_TRUE(status.ok()) << status.message();
  }

  std::unique_ptr<ProgramMaker> maker = makeChain(2);
  std::optional<Session> session;
};

HookConfig allOf(const std::string &folder, const std::string &workers) {
  HookConfig config = everyStep(folder);
  config.saveAll = true;
  config.includeWorkers = workers;
  return config;
}

constexpr int kSteps = 20;

/// On each rank, or on the one alone.
void runHooks(const HookConfig &config, std::optional<uint32_t> only = {}) {
  onThreads(2, [&](Communicator &communicator) {
    ShowingSession rank(&communicator);
    std::optional<Hook> hook;
    if (!only || *only == communicator.rank())
      hook.emplace(config);
    if (hook) {
      const Status attached = hook->attach(*rank.session);
      EXPECT_TRUE(attached.ok()) << attached.message();
    }
    for (int i = 0; i < kSteps; ++i)
      rank.step(i);
    if (hook)
      EXPECT_TRUE(hook->close().ok());
  });
}

/// All that is saved of a tensor at a step by a worker, or by the first.
std::vector<std::byte> bytesOf(const Trial &trial, std::string_view name,
                               uint64_t step, std::string_view worker = {}) {
  auto value = trial.value(name, {step, Mode::Global, worker});
  EXPECT_TRUE(value.ok()) << value.status().message();
  return value.ok() ? value->bytes : std::vector<std::byte>();
}

using Names = std::vector<std::string>;

class RankHooks : public testing::Test {
protected:
  RankHooks() {
    Hook hook(allOf(alone(), "one"));
    ShowingSession session(nullptr);
    EXPECT_TRUE(hook.attach(*session.session).ok());
    for (int i = 0; i < kSteps; ++i)
      session.step(i);
    EXPECT_TRUE(hook.close().ok());
  }

  std::string alone() { return folder.file("alone"); }
  std::string shared() { return folder.file("shared"); }
  Trial open(const std::string &path) {
    auto trial = Trial::open(path);
    EXPECT_TRUE(trial.ok()) << trial.status().message();
    EXPECT_TRUE(trial->problems().empty());
    return trial.take();
  }

  TemporaryFolder folder;
};

TEST_F(RankHooks, OneGathersWhatAllShow) {
  runHooks(allOf(shared(), "one"));
  const Trial trial = open(shared()), expected = open(alone());
  EXPECT_EQ(trial.workers(), Names{"worker_0"});
  EXPECT_EQ(trial.collections().numWorkers, 1u);
  EXPECT_EQ(trial.steps(), expected.steps());
  EXPECT_EQ(trial.steps().size(), size_t(kSteps));
  EXPECT_EQ(trial.tensorNames().take(), (Names{"v0", "v1", "y"}));
  for (const std::string &name : trial.tensorNames().take())
    for (const uint64_t step : trial.steps())
      EXPECT_EQ(bytesOf(trial, name, step), bytesOf(expected, name, step));
}

/// Whether a file of a run of TensorBoard has values of a tag: the first field
/// of a value, after its length. The two letters of a tag alone are as well
/// anywhere in times and checksums.
bool hasTag(const TemporaryFolder &folder, const std::string &run,
            const std::string &tag) {
  const std::string field = "\x0a" + std::string(1, char(tag.size())) + tag;
  for (const auto &each : std::filesystem::directory_iterator(folder.file(run)))
    if (folder.read(run + "/" + each.path().filename().string()).find(field) !=
        std::string::npos)
      return true;
  return false;
}

TEST_F(RankHooks, EachWorkerHasRunsOfTensorboard) {
  HookConfig config = allOf(shared(), "all");
  config.exportTensorboard = true;
  runHooks(config);
  const std::string first = "shared/tensorboard/worker_0/PREDICT",
                    second = "shared/tensorboard/worker_1/PREDICT";
  EXPECT_TRUE(hasTag(folder, first, "all/v0"));
  EXPECT_FALSE(hasTag(folder, first, "all/v1"));
  EXPECT_TRUE(hasTag(folder, second, "all/v1"));
  EXPECT_FALSE(hasTag(folder, second, "all/v0"));
}

TEST_F(RankHooks, TheFirstRankSuffices) {
  runHooks(allOf(shared(), "one"), /*only=*/0);
  EXPECT_EQ(open(shared()).tensorNames().take(), (Names{"v0", "v1", "y"}));
}

TEST_F(RankHooks, AnotherRankWritesNothingAlone) {
  runHooks(allOf(shared(), "one"), /*only=*/1);
  EXPECT_FALSE(std::filesystem::exists(shared()));
}

TEST_F(RankHooks, AllWriteTheirOwn) {
  runHooks(allOf(shared(), "all"));
  const Trial trial = open(shared()), expected = open(alone());
  EXPECT_EQ(trial.workers(), (Names{"worker_0", "worker_1"}));
  EXPECT_EQ(trial.collections().numWorkers, 2u);
  EXPECT_TRUE(trial.hasEnded());
  EXPECT_EQ(trial.steps(), expected.steps());
  for (const uint64_t step : trial.steps()) {
    const ModeStep all{Mode::Global, step};
    EXPECT_EQ(trial.workersOf("v0", all).take(), Names{"worker_0"});
    EXPECT_EQ(trial.workersOf("v1", all).take(), Names{"worker_1"});
    EXPECT_EQ(trial.workersOf("y", all).take(), trial.workers());
    for (const char *name : {"v0", "v1"})
      EXPECT_EQ(bytesOf(trial, name, step), bytesOf(expected, name, step));
    for (const std::string &worker : trial.workers())
      EXPECT_EQ(bytesOf(trial, "y", step, worker),
                bytesOf(expected, "y", step));
  }
  EXPECT_EQ(folder.read("shared/collections/000000000/worker_0_collections."
                        "json"),
            folder.read("shared/collections/000000000/worker_1_collections."
                        "json"));
  EXPECT_FALSE(std::filesystem::exists(shared() + "/claim.smd"));
  EXPECT_TRUE(std::filesystem::exists(shared() + "/training_job_end.ts"));
}

/// A step of which only one rank has something is complete when the other has
/// said that it has nothing.
TEST_F(RankHooks, AStepIsCompleteWhenAllWroteIt) {
  HookConfig config = everyStep(shared());
  config.includeWorkers = "all";
  config.collections = {{.name = "mine", .tensorNames = {"v1"}}};
  std::atomic<int> closed{0};
  onThreads(2, [&](Communicator &communicator) {
    ShowingSession rank(&communicator);
    Hook hook(config);
    ASSERT_TRUE(hook.attach(*rank.session).ok());
    for (int i = 0; i < 3; ++i)
      rank.step(i);
    if (communicator.rank() == 1)
      closed.wait(0);
    ASSERT_TRUE(hook.close().ok());
    if (communicator.rank() == 1)
      return;
    EXPECT_FALSE(std::filesystem::exists(shared() + "/training_job_end.ts"));
    closed = 1;
    closed.notify_all();
  });
  const Trial trial = open(shared());
  EXPECT_TRUE(trial.hasEnded());
  EXPECT_EQ(trial.workersOf("v1", {Mode::Global, 2}).take(), Names{"worker_1"});
  // As long as the job goes on, too.
  std::filesystem::remove(shared() + "/training_job_end.ts");
  const Trial running = open(shared());
  EXPECT_FALSE(running.hasEnded());
  EXPECT_EQ(running.steps(), (std::vector<uint64_t>{0, 1, 2}));
  std::filesystem::remove(shared() + "/index/000000000/000000000002_worker_0."
                                     "json");
  EXPECT_EQ(open(shared()).steps(), (std::vector<uint64_t>{0, 1}));
}

TEST_F(RankHooks, AFolderOfSeveralIsRefusedAndResumed) {
  runHooks(allOf(shared(), "all"));
  ShowingSession session(nullptr);
  EXPECT_NE(Hook(allOf(shared(), "one"))
                .attach(*session.session)
                .message()
                .find("is of a job that is over"),
            std::string::npos);
  std::filesystem::remove(shared() + "/training_job_end.ts");
  onThreads(2, [&](Communicator &communicator) {
    ShowingSession rank(&communicator);
    EXPECT_NE(Hook(allOf(shared(), "all"))
                  .attach(*rank.session)
                  .message()
                  .find("of another run; choose another, or resume"),
              std::string::npos);
    Hook hook(allOf(shared(), "all"), {.resume = true});
    const Status attached = hook.attach(*rank.session);
    EXPECT_TRUE(attached.ok()) << attached.message();
    EXPECT_FALSE(std::filesystem::exists(shared() + "/ended/worker_" +
                                         std::to_string(communicator.rank())));
    rank.step(0);
    EXPECT_TRUE(hook.close().ok());
  });
  EXPECT_TRUE(std::filesystem::exists(shared() + "/training_job_end.ts"));
}

/// On one process, and on two of which one or all write.
TEST_F(RankHooks, MicrobatchesAreWrittenApart) {
  for (const char *workers : {"one", "all"}) {
    const std::string path = folder.file(std::string("apart-") + workers);
    HookConfig config = allOf(path, workers);
    config.microbatchesApart = true;
    runHooks(config);
    const Trial trial = open(path), joined = open(alone());
    for (const uint64_t step : trial.steps())
      for (const std::string name : {"y", "v0", "v1"}) {
        EXPECT_FALSE(trial.hasTensor(name));
        std::vector<std::byte> whole;
        for (const std::string m : {"0", "1"}) {
          const auto value = trial.value(name + "/microbatch_" + m, {step});
          ASSERT_TRUE(value.ok()) << value.status().message();
          EXPECT_EQ(value->type, kTensor);
          whole.insert(whole.end(), value->bytes.begin(), value->bytes.end());
        }
        EXPECT_EQ(whole, bytesOf(joined, name, step));
      }
    EXPECT_EQ(trial.tensorNames({.collection = "outputs"}).take(),
              (Names{"y/microbatch_0", "y/microbatch_1"}));
    EXPECT_EQ(trial.tensorNames({.collection = "layers"}).take().size(), 4u);
  }
}

TEST_F(RankHooks, OneMicrobatchHasTheTensorsName) {
  HookConfig config = allOf(shared(), "one");
  config.microbatchesApart = true;
  Hook hook(config);
  ShowingSession session(nullptr);
  ASSERT_TRUE(hook.attach(*session.session).ok());
  session.step(0, /*microbatches=*/1);
  session.step(1, /*microbatches=*/3);
  ASSERT_TRUE(hook.close().ok());
  const Trial trial = open(shared());
  EXPECT_TRUE(trial.hasValue("v0", {0}));
  EXPECT_FALSE(trial.hasValue("v0", {1}));
  EXPECT_TRUE(trial.hasValue("v0/microbatch_2", {1}));
}

} // namespace
