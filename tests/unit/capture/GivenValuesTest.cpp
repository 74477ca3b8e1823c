// SPDX-License-Identifier: Apache-2.0
// What the application gives a hook between steps: scalars, tensors, modes.
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include "smp/serialization/EventRecord.h"
#include <cmath>
#include <cstdlib>

using namespace smp;
using namespace smp::test;

namespace {

class GivenValues : public testing::Test, protected Watched {
protected:
  using Values = std::map<std::string, std::vector<double>>;

  /// Of the records of a step, which is below 1000, by name; empty: no file.
  Values valuesAt(uint64_t step) {
    const std::string number = std::to_string(1000000000000 + step).substr(1);
    const std::string text = folder.read("run/events/" + number + "/" + number +
                                         "_worker_0.tfevents");
    auto bytes = std::as_bytes(std::span(text));
    Values values;
    while (!bytes.empty()) {
      const size_t size = *eventRecordBytes(bytes);
      const EventRecord record = *decodeEventRecord(bytes.first(size));
      modes[step] = {record.mode, record.modeStep};
      std::vector<double> &list = values[std::string(record.name)];
      for (size_t i = 0; i < size_t(record.type.elements()); ++i)
        list.push_back(elementOf(record, i));
      bytes = bytes.subspan(size);
    }
    return values;
  }

  static double elementOf(const EventRecord &record, size_t i) {
    float f = 0;
    double d = 0;
    if (record.type.dtype == DType::F32)
      std::memcpy(&f, record.bytes.data() + i * sizeof(f), sizeof(f));
    else
      std::memcpy(&d, record.bytes.data() + i * sizeof(d), sizeof(d));
    return record.type.dtype == DType::F32 ? double(f) : d;
  }

  void attach(HookConfig config) {
    config.outDir = folder.file("run");
    hook.emplace(std::move(config));
    const Status status = hook->attach(*session);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  TensorView floats(std::span<const float> values) {
    size = int64_t(values.size());
    return {DType::F32, {&size, 1}, values.data()};
  }

  TemporaryFolder folder;
  std::map<uint64_t, std::pair<Mode, uint64_t>> modes; ///< Of valuesAt().
  std::optional<Hook> hook;
  int64_t size = 0;
};

TEST_F(GivenValues, ScalarsAreOfTheLastStepWhateverIsSavedOfIt) {
  attach({});
  ASSERT_TRUE(hook->saveScalar("early", 0.5).ok());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(step("train", float(i)).ok());
    if (i == 1)
      ASSERT_TRUE(hook->saveScalar("accuracy", 0.25).ok());
  }
  ASSERT_TRUE(hook->saveScalar("accuracy", 0.75).ok());
  ASSERT_TRUE(hook->saveScalar("rate", 1e-3).ok());
  ASSERT_TRUE(hook->close().ok());
  EXPECT_EQ(valuesAt(0), (Values{{"scalar/early", {0.5}}}));
  EXPECT_EQ(valuesAt(1), (Values{{"scalar/accuracy", {0.25}}}));
  EXPECT_EQ(valuesAt(2),
            (Values{{"scalar/accuracy", {0.75}}, {"scalar/rate", {1e-3}}}));
  EXPECT_EQ(modes[2], std::pair(Mode::Train, uint64_t(2)));
}

TEST_F(GivenValues, AScalarJoinsWhatTheStepHas) {
  attach(everyStep());
  ASSERT_TRUE(hook->registerLoss("loss").ok());
  ASSERT_TRUE(step("train", 1).ok());
  ASSERT_TRUE(hook->saveScalar("a", 2).ok());
  ASSERT_TRUE(step("train", 2).ok());
  ASSERT_TRUE(hook->close().ok());
  EXPECT_EQ(valuesAt(0),
            (Values{{"loss", std::vector<double>(16, 3)}, {"scalar/a", {2}}}));
  EXPECT_EQ(valuesAt(1), (Values{{"loss", std::vector<double>(16, 5)}}));
}

TEST_F(GivenValues, TensorsAreSavedAsTheirCollectionsSay) {
  HookConfig config{.saveConfig = {{.saveInterval = 2}}};
  config.collections = {{.name = "mean",
                         .includeRegex = {"^never$"},
                         .saveConfig = {{.saveInterval = 3}},
                         .reductionConfig = ReductionConfig{
                             .reductions = {{TensorReduction::Kind::Mean}}}}};
  attach(config);
  const std::vector<float> pair{1, 3};
  ASSERT_TRUE(hook->saveTensor("x", floats(pair)).ok()); // Of no step.
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(step("train", 0).ok());
    ASSERT_TRUE(hook->saveTensor("x", floats(pair), {"mine", "mean"}).ok());
  }
  ASSERT_TRUE(hook->close().ok());
  const Values whole{{"x", {1, 3}}}, mean{{"smdebug/reductions/mean/x", {2}}};
  Values both = whole;
  both.insert(mean.begin(), mean.end());
  EXPECT_EQ(valuesAt(0), both);
  EXPECT_EQ(valuesAt(1), Values{});
  EXPECT_EQ(valuesAt(2), whole);
  EXPECT_EQ(valuesAt(3), mean);
  const std::string collections =
      folder.read("run/collections/000000000/worker_0_collections.json");
  for (const char *name : {"default", "mine", "mean"}) {
    const size_t at = collections.find("{\"name\": \"" + std::string(name));
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_EQ(collections.find("\"tensor_names\": [\"x\"]", at),
              collections.find("\"tensor_names\"", at))
        << name;
  }
}

TEST_F(GivenValues, ATensorWithoutElementsIsLeftOut) {
  attach(everyStep());
  ASSERT_TRUE(step("train", 0).ok());
  ASSERT_TRUE(hook->saveTensor("x", floats({})).ok());
  ASSERT_TRUE(hook->close().ok());
  EXPECT_FALSE(std::filesystem::exists(folder.file("run/index")));
}

TEST_F(GivenValues, WrongOnesAreNamed) {
  EXPECT_NE(Hook().saveScalar("a", 1).message().find(
                "the hook cannot save the scalar 'scalar/a': it is not "
                "attached to a Session, or closed"),
            std::string::npos);
  attach(everyStep());
  ASSERT_TRUE(step("train", 0).ok());
  const std::vector<float> one{1};
  auto tensor = [&](std::string_view name) {
    return hook->saveTensor(name, floats(one)).message();
  };
  EXPECT_EQ(tensor("loss"),
            "the tensor 'loss' has the name of an output; rename it");
  EXPECT_EQ(tensor(""), "a tensor that is saved needs a name");
  EXPECT_EQ(tensor("scalar/a"), "the tensor 'scalar/a' begins with 'scalar/', "
                                "as those of saveScalar() do; rename it");
  EXPECT_NE(tensor("a/smdebug/reductions/b").find("take for a reduction"),
            std::string::npos);
  EXPECT_NE(hook->saveScalar("smdebug/reductions/b", 1)
                .message()
                .find("take for a reduction"),
            std::string::npos);
  EXPECT_EQ(hook->saveScalar("", 1).message(),
            "a scalar that is saved needs a name");
  EXPECT_EQ(hook->saveTensor("x", floats(one), {}).message(),
            "the tensor 'x' is to be in no collection; name one");
  size = -1;
  EXPECT_EQ(
      hook->saveTensor("x", {DType::F32, {&size, 1}, one.data()}).message(),
      "the tensor 'x' has a size below 0, or beyond 2^63 bytes");
  for (const size_t rank : {size_t(255), SIZE_MAX / 8}) // There is one size.
    EXPECT_EQ(hook->saveTensor("x", {DType::F32, {&size, rank}, one.data()})
                  .message(),
              "the tensor 'x' has " + std::to_string(rank) +
                  " dimensions; at most 254");
  EXPECT_EQ(
      hook->saveTensor("x", {DType(77), {&size, 1}, one.data()}).message(),
      "the tensor 'x' is dtype 77, which smp does not have");
  EXPECT_EQ(tensor("fine"), ""); // What failed left nothing behind.
}

TEST_F(GivenValues, MetricsAreLinesOfAFile) {
  ::setenv("SAGEMAKER_METRICS_DIRECTORY", folder.path().c_str(), 1);
  attach(everyStep());
  ::unsetenv("SAGEMAKER_METRICS_DIRECTORY");
  ASSERT_TRUE(hook->registerLoss("loss").ok());
  ASSERT_TRUE(hook->addToCollection("mine", "y").ok());
  ASSERT_TRUE(step("train", 1).ok());
  ASSERT_TRUE(hook->saveScalar("a", std::nan(""), /*smMetric=*/true).ok());
  ASSERT_TRUE(hook->saveScalar("b", 1).ok());
  ASSERT_TRUE(step("eval", 2).ok());
  ASSERT_TRUE(hook->close().ok());
  std::string lines = folder.read(std::to_string(::getpid()) + ".json");
  std::string found; // Without the times.
  for (size_t at; (at = lines.find(", \"Timestamp\": ")) != lines.npos;) {
    const size_t end = lines.find(", \"IterationNumber\"", at);
    EXPECT_GT(std::stod(lines.substr(at + 15, end - at)), 1e9);
    lines.erase(at, end - at);
  }
  EXPECT_EQ(lines, "{\"MetricName\": \"loss_TRAIN\", \"Value\": 3, "
                   "\"IterationNumber\": 0}\n"
                   "{\"MetricName\": \"scalar/a_TRAIN\", \"Value\": NaN, "
                   "\"IterationNumber\": 0}\n"
                   "{\"MetricName\": \"loss_EVAL\", \"Value\": 5, "
                   "\"IterationNumber\": 0}\n");
}

TEST_F(GivenValues, AModeHoldsForEntriesOfModeGlobal) {
  session.reset();
  addEntry("any", Mode::Global, {"loss"});
  openFile({});
  Hook probe(everyStep(folder.file("run")));
  ASSERT_TRUE(probe.registerLoss("loss").ok());
  ASSERT_TRUE(probe.attach(*session).ok());
  EXPECT_EQ(probe.mode(), Mode::Global);
  ASSERT_TRUE(step("train", 0).ok()); // 0: TRAIN 0.
  ASSERT_TRUE(step("any", 0).ok());   // 1: GLOBAL 0.
  EXPECT_EQ(probe.mode(), Mode::Global);
  ASSERT_TRUE(probe.setMode(Mode::Train).ok());
  EXPECT_EQ(probe.mode(), Mode::Train);
  ASSERT_TRUE(step("any", 0).ok());   // 2: TRAIN 1.
  ASSERT_TRUE(step("train", 0).ok()); // 3: TRAIN 2.
  ASSERT_TRUE(probe.setMode(Mode::Predict).ok());
  ASSERT_TRUE(step("any", 0).ok()); // 4: PREDICT 0.
  ASSERT_TRUE(probe.setMode(Mode::Global).ok());
  ASSERT_TRUE(step("any", 0).ok()); // 5: GLOBAL 1.
  ASSERT_TRUE(step("eval", 0).ok());
  EXPECT_EQ(probe.mode(), Mode::Eval);
  ASSERT_TRUE(probe.close().ok());
  using Step = std::pair<Mode, uint64_t>;
  const Step expected[] = {
      {Mode::Train, 0},   {Mode::Global, 0}, {Mode::Train, 1}, {Mode::Train, 2},
      {Mode::Predict, 0}, {Mode::Global, 1}, {Mode::Eval, 0}};
  for (uint64_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(valuesAt(i).size(), 1u) << i;
    EXPECT_EQ(modes[i], expected[i]) << i;
  }
}

TEST_F(GivenValues, AModeThatContradictsAnEntryIsAFailure) {
  attach(everyStep());
  ASSERT_TRUE(hook->setMode(Mode::Eval).ok());
  EXPECT_EQ(hook->setMode(Mode::Global).message(), "");
  ASSERT_TRUE(hook->setMode(Mode::Eval).ok());
  ASSERT_TRUE(step("train", 0).ok()); // The run goes on.
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("the hook's mode is EVAL, and the entry 'train' "
                             "is of mode TRAIN; leave setMode() out"),
            std::string::npos)
      << warnings[0];
}

TEST_F(GivenValues, AModeThatNoEntryHasIsRefused) {
  session.reset();
  maker = makeChain(1); // Its entry is of mode PREDICT.
  openFile({});
  Hook early;
  ASSERT_TRUE(early.setMode(Mode::Train).ok());
  EXPECT_EQ(early.attach(*session).message(),
            "the hook's mode is to be TRAIN, which no entry of the program "
            "has; there are PREDICT");
  Hook late;
  ASSERT_TRUE(late.attach(*session).ok());
  EXPECT_FALSE(late.setMode(Mode::Train).ok());
  EXPECT_TRUE(late.setMode(Mode::Predict).ok());
}

TEST_F(GivenValues, TheEnvironmentAsksForAHook) {
  ::unsetenv("SMDEBUG_CONFIG_FILE_PATH");
  if (!hasHookConfig()) {
    const StatusOr<std::optional<Hook>> none = Hook::fromEnvironment();
    ASSERT_TRUE(none.ok()) << none.status().message();
    EXPECT_FALSE(none->has_value());
  }
  folder.write("hook.json", "{\"LocalPath\": \"" + folder.file("run") +
                                "\", \"HookParameters\": {\"save_interval\": "
                                "1, \"include_regex\": \"^y$\"}}");
  ::setenv("SMDEBUG_CONFIG_FILE_PATH", folder.file("hook.json").c_str(), 1);
  StatusOr<std::optional<Hook>> made = Hook::fromEnvironment();
  ASSERT_TRUE(made.ok() && made->has_value());
  ASSERT_TRUE((*made)->attach(*session).ok());
  ASSERT_TRUE(step("predict", 1).ok());
  ASSERT_TRUE((*made)->close().ok());
  EXPECT_EQ(valuesAt(0), (Values{{"y", std::vector<double>(16, 3)}}));
  ::setenv("SMDEBUG_CONFIG_FILE_PATH", folder.file("none.json").c_str(), 1);
  EXPECT_NE(Hook::fromEnvironment().status().message().find("none.json"),
            std::string::npos);
  ::unsetenv("SMDEBUG_CONFIG_FILE_PATH");
}

} // namespace
