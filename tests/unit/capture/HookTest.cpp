// SPDX-License-Identifier: Apache-2.0
// A hook records what steps give, by mode and step, and harms no run.
#include "smp/capture/Hook.h"
#include "TemporaryFolder.h"
#include "TestPrograms.h"
#include "smp/runtime/Session.h"
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
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

class HookTest : public testing::Test, protected Watched {
protected:
  std::vector<std::string> lines() {
    std::istringstream text(folder.read("values.jsonl"));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);)
      all.push_back(line);
    return all;
  }

  TemporaryFolder folder;
};

TEST_F(HookTest, RecordsLossesByModeAndStep) {
  Hook hook;
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
  Hook hook;
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

TEST_F(HookTest, WritesALinePerValueAsItComes) {
  Hook hook({.outDir = folder.path()});
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.watch("y", "my \"own\"").ok());
  ASSERT_TRUE(step("predict", 0.05f).ok());
  ASSERT_EQ(lines().size(), 1u);
  ASSERT_TRUE(step("train", 1e30f).ok());
  ASSERT_EQ(lines().size(), 3u);
  std::string sixteen = "1.1";
  for (int i = 1; i < 16; ++i)
    sixteen += ",1.1";
  EXPECT_EQ(lines()[0],
            "{\"step\":0,\"mode\":\"PREDICT\",\"mode_step\":0,\"entry\":"
            "\"predict\",\"collection\":\"my \\\"own\\\"\",\"name\":\"y\","
            "\"dtype\":\"f32\",\"shape\":[2,8],\"values\":[" +
                sixteen + "]}");
  EXPECT_TRUE(lines()[1].starts_with(
      "{\"step\":1,\"mode\":\"TRAIN\",\"mode_step\":0,\"entry\":\"train\","
      "\"collection\":\"losses\",\"name\":\"loss\","));
  EXPECT_NE(lines()[1].find("[2e+30,2e+30,"), std::string::npos) << lines()[1];
}

TEST_F(HookTest, AnOutputMayBeInSeveralCollections) {
  Hook hook({.outDir = folder.path()});
  ASSERT_TRUE(hook.watch("loss", "mine").ok());
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.watch("loss", "mine").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(hook.values("loss").size(), 1u);
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_NE(lines()[0].find("\"collection\":\"losses\""), std::string::npos);
  EXPECT_NE(lines()[1].find("\"collection\":\"mine\""), std::string::npos);
}

TEST_F(HookTest, ValuesThatAreNoNumbersAreText) {
  Hook hook({.outDir = folder.path()});
  ASSERT_TRUE(hook.watch("y").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  for (float value : {NAN, INFINITY, -INFINITY})
    ASSERT_TRUE(step("predict", value).ok());
  EXPECT_NE(lines()[0].find("[\"NaN\",\"NaN\","), std::string::npos);
  EXPECT_NE(lines()[1].find("[\"Infinity\","), std::string::npos);
  EXPECT_NE(lines()[2].find("[\"-Infinity\","), std::string::npos);
  EXPECT_TRUE(std::isnan(hook.values("y")[0].mean()));
}

TEST_F(HookTest, RecordsSomeStepsAndKeepsSome) {
  Hook hook({.saveInterval = 3, .keepValues = 2});
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
  EXPECT_EQ(Hook({.saveInterval = 0}).attach(*session).message(),
            "saveInterval is 0; it must be 1 or more");
  Hook hook;
  ASSERT_TRUE(hook.attach(*session).ok());
  EXPECT_EQ(hook.attach(*session).message(),
            "the hook is attached to a Session; every Session needs a hook of "
            "its own");
  folder.write("file", "");
  EXPECT_EQ(Hook({.outDir = folder.file("file")}).attach(*session).message(),
            "cannot make the folder '" + folder.file("file") +
                "': Not a directory");
}

TEST_F(HookTest, AHookThatIsGoneRecordsNothing) {
  {
    Hook hook({.outDir = folder.path()});
    ASSERT_TRUE(hook.registerLoss("loss").ok());
    ASSERT_TRUE(hook.attach(*session).ok());
    ASSERT_TRUE(step("train", 1).ok());
  }
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(lines().size(), 1u);
}

TEST_F(HookTest, OutlivesItsSession) {
  Hook hook;
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  session.reset();
  EXPECT_EQ(hook.values("loss").size(), 1u);
}

TEST_F(HookTest, ALineThatWasCutIsDropped) {
  folder.write("values.jsonl", "{\"step\":7}\n{\"step\":8,\"mo");
  Hook hook({.outDir = folder.path()});
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(lines()[0], "{\"step\":7}");
  EXPECT_TRUE(lines()[1].starts_with("{\"step\":0,\"mode\":\"TRAIN\""));
}

TEST_F(HookTest, ALongLineThatWasCutIsDropped) {
  for (size_t whole : {0u, 1u, 4096u, 5000u}) {
    const std::string good = whole ? std::string(whole - 1, 'a') + "\n" : "";
    folder.write("values.jsonl", good + std::string(9000, 'b'));
    Hook hook({.outDir = folder.path()});
    ASSERT_TRUE(hook.attach(*session).ok());
    EXPECT_EQ(folder.read("values.jsonl"), good);
  }
}

TEST_F(HookTest, LinesGoToWhatALinkLeadsTo) {
  folder.write("far.jsonl", "{\"step\":7}\n");
  std::filesystem::create_symlink("far.jsonl", folder.file("values.jsonl"));
  Hook hook({.outDir = folder.path()});
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(lines().size(), 2u);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("values.jsonl")));
  EXPECT_EQ(folder.names().size(), 2u);
}

TEST_F(HookTest, AFifoGetsLinesAsTheyCome) {
  const std::string path = folder.file("values.jsonl");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  Hook hook({.outDir = folder.path(), .onError = OnObserverError::Stop});
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  const Status attached = hook.attach(*session);
  ASSERT_TRUE(attached.ok()) << attached.message();
  ASSERT_TRUE(step("train", 1).ok());
  std::string got(4096, '\0');
  got.resize(size_t(std::max<ssize_t>(0, read(reader, got.data(), 4096))));
  EXPECT_TRUE(got.starts_with("{\"step\":0,\"mode\":\"TRAIN\"")) << got;
  EXPECT_TRUE(got.ends_with("}\n")) << got;
  close(reader);
  EXPECT_EQ(step("train", 1).message(), // Of the reader that left.
            "an observer of step 1, entry 'train', failed and is off now: "
            "cannot write '" +
                path + "': Broken pipe");
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

/// From now on no file of this process grows beyond 2000 bytes.
void limitFiles() {
  std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {2000, 2000};
  setrlimit(RLIMIT_FSIZE, &limit);
}

class FullDiskTest : public testing::TestWithParam<OnObserverError> {};

TEST_P(FullDiskTest, SwitchesTheHookOffAndSaysItOnce) {
  TemporaryFolder folder;
  const bool stops = GetParam() == OnObserverError::Stop;
  EXPECT_EQ(inChild([&] {
              Watched test; // A Session of that process.
              Hook hook({.outDir = folder.path(), .onError = GetParam()});
              bool good = hook.registerLoss("loss").ok() &&
                          hook.attach(*test.session).ok();
              limitFiles();
              int failed = 0;
              for (int i = 0; i < 30; ++i)
                failed += !test.step("train", 1).ok();
              good &= failed == (stops ? 1 : 0);
              good &= test.warnings.size() == 1;
              good &= test.warnings.at(0).find("values.jsonl': File too "
                                               "large") != std::string::npos;
              return good;
            }),
            0);
  const std::string text = folder.read("values.jsonl");
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text.back(), '\n'); // Whole lines only.
}

INSTANTIATE_TEST_SUITE_P(OnError, FullDiskTest,
                         testing::Values(OnObserverError::SwitchOff,
                                         OnObserverError::Stop));

} // namespace
