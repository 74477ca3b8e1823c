// SPDX-License-Identifier: Apache-2.0
// A hook records what steps give, by mode and step, and harms no run.
#include "smp/capture/Hook.h"
#include "TemporaryFolder.h"
#include "TestPrograms.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/EventRecord.h"
#include <cmath>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

/// Entries train (outputs loss and y), eval (loss) and predict (y): y is twice
/// x plus one, loss the same of the batch, by another name.
struct Watched {
  Watched() {
    addEntry("train", Mode::Train, {"loss", "y"});
    addEntry("eval", Mode::Eval, {"loss"});
    addEntry("predict", Mode::Predict, {"y"});
    maker->program.entries.erase(maker->program.entries.begin());
    SessionOptions options;
    options.log = [this](LogLevel level, std::string_view line) {
      if (level == LogLevel::Warning)
        warnings.emplace_back(line);
    };
    openFile(std::move(options));
  }

  void openFile(SessionOptions options) {
    EXPECT_TRUE(maker->finish().ok());
    auto opened = Session::open(SharedProgram::read(maker->file()).take(),
                                std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    session = opened.take();
  }

  void addEntry(const std::string &name, Mode mode,
                const std::vector<std::string> &outputs) {
    Entry entry = maker->entry();
    entry.name = name;
    entry.mode = mode;
    entry.outputs.assign(outputs.size(), entry.outputs[0]);
    entry.edges.back().to.clear();
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      entry.outputs[i].name = outputs[i];
      entry.edges.back().to.push_back({kCaller, i});
    }
    maker->program.entries.push_back(std::move(entry));
  }

  /// With x all `value`, so that outputs are all 2 value + 1.
  Status step(std::string_view entry, float value, int64_t microbatches = 1) {
    TestTensor x({2 * microbatches, 8});
    std::fill(x.values.begin(), x.values.end(), value);
    return session->step(entry, std::vector{x.as("x")}, {}).status();
  }

  std::vector<std::string> warnings;
  std::unique_ptr<ProgramMaker> maker = makeChain(1);
  std::optional<Session> session;
};

/// Saves every step.
HookConfig everyStep(const std::string &outDir = {}) {
  return {.outDir = outDir, .saveConfig = {{.saveInterval = 1}}};
}

class HookTest : public testing::Test, protected Watched {
protected:
  std::string outDir() { return folder.file("run"); }

  std::string read(const std::string &file) {
    return folder.read("run/" + file);
  }

  /// The names of the index of a step, which is below 1000.
  std::vector<std::string> namesAt(uint64_t step) {
    const std::string number = std::to_string(1000000000000 + step).substr(1);
    const std::string text =
        read("index/000000000/" + number + "_worker_0.json");
    std::vector<std::string> names;
    const std::string key = "\"tensorname\": \"";
    for (size_t at = text.find(key); at != text.npos; at = text.find(key, at)) {
      at += key.size();
      names.push_back(text.substr(at, text.find('"', at) - at));
    }
    return names;
  }

  TemporaryFolder folder;
};

using Names = std::vector<std::string>;

TEST_F(HookTest, RecordsLossesByModeAndStep) {
  Hook hook(everyStep());
  EXPECT_EQ(hook.mode(), Mode::Global);
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  EXPECT_EQ(hook.mode(), Mode::Global);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(step("train", float(i), /*microbatches=*/4).ok());
  EXPECT_EQ(hook.mode(), Mode::Train);
  ASSERT_TRUE(step("eval", 10).ok());
  EXPECT_EQ(hook.mode(), Mode::Eval);
  ASSERT_TRUE(step("predict", 20).ok());
  EXPECT_EQ(hook.mode(), Mode::Predict);
  ASSERT_TRUE(step("train", 3).ok());

  const std::vector<CapturedValue> all = hook.values("loss");
  ASSERT_EQ(all.size(), 5u);
  const std::vector<CapturedValue> train = hook.values("loss", Mode::Train);
  ASSERT_EQ(train.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(train[i].modeStep, i);
    EXPECT_EQ(train[i].mean(), 2.0 * double(i) + 1);
    EXPECT_EQ(train[i].entry, "train");
  }
  EXPECT_EQ(train[0].shape, (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(train[3].globalStep, 5u);
  const std::vector<CapturedValue> eval = hook.values("loss", Mode::Eval);
  ASSERT_EQ(eval.size(), 1u);
  EXPECT_EQ(eval[0].modeStep, 0u);
  EXPECT_EQ(eval[0].globalStep, 3u);
  EXPECT_TRUE(hook.values("loss", Mode::Predict).empty());
  EXPECT_TRUE(hook.values("y").empty()); // Nobody asked for it.
}

TEST_F(HookTest, ALossOfEachMicrobatchIsStacked) {
  session.reset();
  maker = makeChain(1);
  maker->entry().outputs[0].batchAxis = -1;
  openFile({});
  Hook hook(everyStep());
  ASSERT_TRUE(hook.registerLoss("y").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  const TestTensor x({6, 8}); // Three microbatches of 16 elements.
  ASSERT_TRUE(session->step("predict", std::vector{x.as("x")}, {}).ok());
  ASSERT_TRUE(step("predict", 4).ok());
  const std::vector<CapturedValue> values = hook.values("y");
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].shape, (std::vector<int64_t>{3, 2, 8}));
  EXPECT_EQ(values[0].bytes.size(), 3u * 64u);
  EXPECT_EQ(values[0].mean(), 2 * 23.5 + 1); // Of 0 to 47.
  EXPECT_EQ(values[1].shape, (std::vector<int64_t>{2, 8}));
  EXPECT_EQ(values[1].mean(), 9);
}

TEST_F(HookTest, WritesEachStepAsItComes) {
  Hook hook(everyStep(outDir()));
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.watch("y", "mine").ok());
  ASSERT_TRUE(step("predict", 0.5f).ok());
  EXPECT_EQ(namesAt(0), Names{"y"});
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(namesAt(1), (Names{"loss", "y"}));
  const std::string events =
      read("events/000000000000/000000000000_worker_0.tfevents");
  const auto record = decodeEventRecord(std::as_bytes(std::span(events)));
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_EQ(record->name, "y");
  EXPECT_EQ(record->mode, Mode::Predict);
  EXPECT_EQ(record->type, (TensorType{DType::F32, {2, 8}}));
  EXPECT_EQ(record->bytes.size(), 64u);
  float first = 0;
  std::memcpy(&first, record->bytes.data(), sizeof(first));
  EXPECT_EQ(first, 2.0f);
  const std::string collections =
      read("collections/000000000/worker_0_collections.json");
  EXPECT_NE(collections.find("{\"name\": \"mine\", \"include_regex\": [], "
                             "\"tensor_names\": [\"y\"]"),
            std::string::npos)
      << collections;
}

TEST_F(HookTest, AnOutputMayBeInSeveralCollections) {
  Hook hook(everyStep(outDir()));
  ASSERT_TRUE(hook.watch("loss", "mine").ok());
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.watch("loss", "mine").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(hook.values("loss").size(), 1u);
  EXPECT_EQ(namesAt(0), Names{"loss"});
}

TEST_F(HookTest, RegexesChooseOutputs) {
  HookConfig config = everyStep(outDir());
  config.includeRegex = {"^y$"};
  Hook hook(config);
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(namesAt(0), Names{"y"});
  EXPECT_TRUE(hook.values("y").empty()); // Nobody asked for it by name.
}

TEST_F(HookTest, ReductionsAndShapesTakeTheTensorsPlace) {
  HookConfig config = everyStep(outDir());
  config.collections = {
      {.name = "mine",
       .tensorNames = {"y"},
       .reductionConfig = ReductionConfig{
           .reductions = {{Reduction::Kind::Max}, {Reduction::Kind::L1, true}},
           .saveShape = true}}};
  Hook hook(config);
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(namesAt(0), (Names{"loss", "smdebug/reductions/max/y",
                               "smdebug/reductions/abs_l1/y", "y"}));
  EXPECT_NE(read("index/000000000/000000000000_worker_0.json")
                .find("\"shape_payload\": [{\"tensorname\": \"y\""),
            std::string::npos);
}

TEST_F(HookTest, SavesSomeStepsAndKeepsSome) {
  Hook hook({.saveConfig = {{.saveInterval = 3}}}, {.keepValues = 2});
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("eval", 0).ok()); // Does not move the steps of TRAIN.
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(step("train", float(i)).ok());
  std::vector<uint64_t> steps;
  for (const CapturedValue &value : hook.values("loss"))
    steps.push_back(value.modeStep);
  EXPECT_EQ(steps, (std::vector<uint64_t>{3, 6}));
}

TEST_F(HookTest, ACollectionIsSwitchedOff) {
  Hook hook(everyStep(outDir()));
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  hook.collection("losses").saveConfig.endStep = 0;
  hook.collection("metrics").saveConfig.endStep = 0;
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_TRUE(hook.values("loss").empty());
  EXPECT_FALSE(std::filesystem::exists(outDir() + "/index"));
}

TEST_F(HookTest, ADryRunWritesNothing) {
  HookConfig config = everyStep(outDir());
  config.dryRun = true;
  Hook hook(config);
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(hook.values("loss").size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(outDir()));
}

TEST_F(HookTest, AnUnknownOutputIsNamed) {
  const std::string message = "the hook is to watch 'lose', which no entry has "
                              "as output; there are 'loss', 'y'";
  Hook before;
  ASSERT_TRUE(before.registerLoss("lose").ok());
  EXPECT_EQ(before.attach(*session).message(), message);
  Hook after;
  ASSERT_TRUE(after.attach(*session).ok());
  EXPECT_EQ(after.registerLoss("lose").message(), message);
  EXPECT_TRUE(after.registerLoss("loss").ok());
}

TEST_F(HookTest, WrongUseIsAnError) {
  EXPECT_EQ(
      Hook({.saveConfig = {{.saveInterval = 0}}}).attach(*session).message(),
      "the hook: 'save_interval' is 0; it must be 1 or more (to save nothing, "
      "set 'end_step' to 0)");
  Hook hook;
  ASSERT_TRUE(hook.attach(*session).ok());
  EXPECT_EQ(hook.attach(*session).message(),
            "the hook is attached to a Session, or closed; every Session needs "
            "a hook of its own");
  Hook empty;
  empty.collection("mine");
  EXPECT_NE(empty.attach(*session).message().find("the collection 'mine' has "
                                                  "neither a regex nor"),
            std::string::npos);
  EXPECT_NE(Hook({.exportTensorboard = true})
                .attach(*session)
                .message()
                .find("TensorBoard, which smp cannot yet"),
            std::string::npos);
}

TEST_F(HookTest, ANameThatReadersTakeForAReductionIsRefused) {
  session.reset();
  addEntry("odd", Mode::Predict, {"x/smdebug/reductions/y"});
  openFile({});
  EXPECT_EQ(Hook({.saveAll = true}).attach(*session).message(),
            "the output 'x/smdebug/reductions/y' of the collection 'all' "
            "has 'smdebug/reductions/' in its name, which readers take for a "
            "reduction; rename it, or leave it out");
  EXPECT_TRUE(Hook(everyStep()).attach(*session).ok()); // It is not saved.
}

TEST_F(HookTest, AHookThatIsGoneTellsReadersSo) {
  {
    Hook hook(everyStep(outDir()));
    ASSERT_TRUE(hook.registerLoss("loss").ok());
    ASSERT_TRUE(hook.attach(*session).ok());
    ASSERT_TRUE(step("train", 1).ok());
    EXPECT_TRUE(std::filesystem::exists(outDir() + "/claim.smd"));
  }
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(namesAt(0), Names{"loss"});
  EXPECT_EQ(namesAt(1), Names{});
  EXPECT_TRUE(std::filesystem::exists(outDir() + "/training_job_end.ts"));
  EXPECT_FALSE(std::filesystem::exists(outDir() + "/claim.smd"));
  EXPECT_NE(
      Hook(everyStep(outDir())).attach(*session).message().find("is over"),
      std::string::npos);
}

TEST_F(HookTest, AManagedJobIsEndedByItsManager) {
  ::setenv("TRAINING_JOB_NAME", "job", 1);
  Hook hook(everyStep(outDir()));
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(hook.close().ok());
  ::unsetenv("TRAINING_JOB_NAME");
  EXPECT_FALSE(std::filesystem::exists(outDir() + "/training_job_end.ts"));
}

TEST_F(HookTest, AResumedRunWritesTheSameFilesForTheSameSteps) {
  auto run = [&](int steps, bool resume) {
    session.reset();
    openFile({});
    Hook hook(everyStep(outDir()), {.resume = resume});
    EXPECT_TRUE(hook.registerLoss("loss").ok());
    const Status attached = hook.attach(*session);
    EXPECT_TRUE(attached.ok()) << attached.message();
    for (int i = 0; i < steps; ++i)
      EXPECT_TRUE(step("train", float(i)).ok());
  };
  auto files = [&] {
    std::map<std::string, std::string> all;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(outDir()))
      if (entry.is_regular_file()) {
        const std::string name =
            entry.path().lexically_relative(folder.path()).string();
        std::string text = folder.read(name);
        if (name.ends_with(".tfevents"))
          text.erase(13, 8); // The wall time.
        all[name] = std::move(text);
      }
    return all;
  };
  run(2, false);
  const auto first = files();
  EXPECT_EQ(first.size(), 6u);
  run(2, true);
  EXPECT_EQ(files(), first);
}

TEST_F(HookTest, AnS3PathIsSaidNotToBeWritten) {
  std::vector<std::string> said;
  HookConfig config = everyStep(outDir());
  config.s3Path = "s3://bucket/run";
  Hook hook(config, {.log = [&](LogLevel, std::string_view line) {
              said.emplace_back(line);
            }});
  ASSERT_TRUE(hook.attach(*session).ok());
  EXPECT_EQ(said, Names{"'s3://bucket/run' is not written: smp uploads "
                        "nothing; copy '" +
                        outDir() + "' there"});
}

TEST_F(HookTest, OutlivesItsSession) {
  Hook hook(everyStep());
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  session.reset();
  EXPECT_EQ(hook.values("loss").size(), 1u);
}

/// Runs `body` in a process of its own.
template <typename Body>
int inChild(Body body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// From now on no file of this process grows beyond 50 bytes.
void limitFiles() {
  std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {50, 50};
  setrlimit(RLIMIT_FSIZE, &limit);
}

class FullDiskTest : public testing::TestWithParam<OnObserverError> {};

TEST_P(FullDiskTest, SwitchesTheHookOffAndSaysItOnce) {
  TemporaryFolder folder;
  const bool stops = GetParam() == OnObserverError::Stop;
  EXPECT_EQ(inChild([&] {
              Watched test; // A Session of that process.
              Hook hook(everyStep(folder.file("run")), {.onError = GetParam()});
              bool good = hook.registerLoss("loss").ok() &&
                          hook.attach(*test.session).ok() &&
                          test.step("train", 1).ok();
              limitFiles();
              int failed = 0;
              for (int i = 0; i < 30; ++i)
                failed += !test.step("train", 1).ok();
              good &= failed == (stops ? 1 : 0);
              good &= test.warnings.size() == 1;
              good &= test.warnings.at(0).find(
                          "000000000001_worker_0.tfevents': File too large") !=
                      std::string::npos;
              return good;
            }),
            0);
  std::vector<std::string> files; // Of the step before alone, and whole.
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder.file("run/events")))
    if (entry.is_regular_file())
      files.push_back(entry.path().filename());
  EXPECT_EQ(files, Names{"000000000000_worker_0.tfevents"});
}

INSTANTIATE_TEST_SUITE_P(OnError, FullDiskTest,
                         testing::Values(OnObserverError::SwitchOff,
                                         OnObserverError::Stop));

} // namespace
