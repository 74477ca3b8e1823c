// SPDX-License-Identifier: Apache-2.0
// A hook saves what a program shows, and a trial reads it again.
#include "TemporaryFolder.h"
#include "TrainedBits.h"
#include "smp/capture/CaptureChoice.h"
#include "smp/capture/Hook.h"
#include "smp/model/TensorStatistics.h"
#include "smp/trial/Trial.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

using Kind = TensorReduction::Kind;

HookConfig configFor(const std::string &folder) {
  HookConfig config{.outDir = folder,
                    .saveConfig = {{.saveInterval = 1}},
                    .reductionConfig = ReductionConfig{
                        .reductions = {{Kind::Mean}, {Kind::Std, true}}}};
  config.collections = {
      {.name = "weights"},
      {.name = "gradients",
       .saveConfig = {{.saveInterval = 2}},
       .reductionConfig = ReductionConfig{.saveRawTensor = true}},
      {.name = "inputs",
       .reductionConfig = ReductionConfig{.reductions = {{Kind::Max}}}}};
  return config;
}

std::vector<double> numbersOf(const std::vector<std::byte> &bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

TEST(TapHook, SavesWhatTheProgramShows) {
  const TemporaryFolder folder;
  Division division;
  division.canBeWatched = true;
  const auto compiled = compileFor(division);
  Session session = openSession(compiled, division);
  Hook hook(configFor(folder.file("run")));
  const Status attached = hook.attach(session);
  ASSERT_TRUE(attached.ok()) << attached.message();
  Bits bits;
  train(session, bits, division);
  ASSERT_TRUE(hook.close().ok());
  const auto trial = Trial::open(folder.file("run"));
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  size_t gradients = 0, weights = 0;
  for (const EntrySignature &entry : session.entries())
    for (const Tap &tap : entry.taps)
      for (uint64_t step = 0; entry.name == "train" && step < kSteps; ++step) {
        const TensorPlace place{step, Mode::Train};
        const std::string key = "step " + std::to_string(step);
        if (tap.role == TapRole::Gradient) {
          EXPECT_EQ(trial->hasValue(tap.name, place), step % 2 == 0)
              << tap.name;
          if (step % 2)
            continue;
          const auto value = trial->value(tap.name, place);
          ASSERT_TRUE(value.ok()) << value.status().message();
          EXPECT_EQ(value->type, tap.type);
          EXPECT_EQ(value->bytes, bits.at(key + " value/" + tap.name));
          ++gradients;
        }
        if (tap.role != TapRole::Parameter ||
            tap.name.find("bias") != tap.name.npos)
          continue;
        EXPECT_FALSE(trial->hasValue(tap.name, place)) << tap.name;
        const auto all = TensorStatistics::of(
            numbersOf(bits.at(key + " statistics/" + tap.name)),
            uint64_t(tap.type.elements()));
        const auto mean = trial->reductionValue(tap.name, place, {"mean"}),
                   spread =
                       trial->reductionValue(tap.name, place, {"std", true});
        ASSERT_TRUE(mean.ok() && spread.ok()) << tap.name;
        EXPECT_FLOAT_EQ(float(*mean), float(all.mean())) << tap.name;
        EXPECT_FLOAT_EQ(float(*spread), float(all.absStddev())) << tap.name;
        ++weights;
      }
  EXPECT_GE(gradients, 20u);
  EXPECT_GE(weights, 40u);
}

/// What has one name in two entries is of other sizes there.
TEST(TapHook, StatisticsOfEachEntryAreThoseOfItsValues) {
  const TemporaryFolder folder;
  Division division;
  division.canBeWatched = true;
  const auto compiled = compileFor(division);
  Session session = openSession(compiled, division);
  Hook whole({.outDir = folder.file("whole"),
              .saveConfig = {{.saveInterval = 1}},
              .saveAll = true}),
      reduced({.outDir = folder.file("reduced"),
               .saveConfig = {{.saveInterval = 1}},
               .reductionConfig =
                   ReductionConfig{.reductions = {{Kind::Mean, true}}},
               .saveAll = true});
  ASSERT_TRUE(whole.attach(session).ok() && reduced.attach(session).ok());
  const std::vector<int64_t> tokens(size_t(division.shape.block), 3), dims {
    1,
    division.shape.block
  };
  const InputTensor input{"tokens", {DType::I64, dims, tokens.data()}};
  const auto output = session.step("predict", {&input, 1});
  ASSERT_TRUE(output.ok()) << output.status().message();
  ASSERT_TRUE(whole.close().ok() && reduced.close().ok());
  const auto values = Trial::open(folder.file("whole")),
             means = Trial::open(folder.file("reduced"));
  ASSERT_TRUE(values.ok() && means.ok());
  const TensorPlace place{0, Mode::Predict};
  size_t compared = 0;
  for (const EntrySignature &entry : session.entries())
    for (const Tap &tap : entry.taps) {
      if (entry.name != "predict" || tap.type.dtype != DType::F32)
        continue;
      const auto value = values->value(tap.name, place);
      const auto mean = means->reductionValue(tap.name, place, {"mean", true});
      ASSERT_TRUE(value.ok() && mean.ok()) << tap.name;
      double sum = 0;
      const auto count = size_t(tap.type.elements());
      for (size_t i = 0; i < count; ++i)
        sum +=
            std::abs(reinterpret_cast<const float *>(value->bytes.data())[i]);
      EXPECT_FLOAT_EQ(float(*mean), float(sum / double(count))) << tap.name;
      ++compared;
    }
  EXPECT_GE(compared, 20u);
}

TEST(TapHook, AsksForNoMoreThanItSaves) {
  Division division;
  division.canBeWatched = true;
  const auto compiled = compileFor(division);
  Session session = openSession(compiled, division);
  HookConfig config = configFor("");
  Hook hook(config);
  ASSERT_TRUE(hook.attach(session).ok());
  Bits bits;
  train(session, bits, division);
  // Gradients are whole at even steps; at odd ones reductions suffice.
  for (const auto &[key, value] : bits)
    EXPECT_FALSE(key.starts_with("step 1 value/") ||
                 key.starts_with("step 3 value/"))
        << key;
  EXPECT_TRUE(bits.contains("step 0 value/tokens"));
  EXPECT_TRUE(bits.contains("step 1 statistics/tokens"));
}

/// Without a partition, by one process.
void saveAlone(const HookConfig &config) {
  Division division;
  division.canBeWatched = true;
  const auto compiled = compileFor(division);
  Session session = openSession(compiled, division);
  Hook hook(config);
  EXPECT_TRUE(hook.attach(session).ok());
  Bits bits;
  train(session, bits, division);
  EXPECT_TRUE(hook.close().ok());
}

/// Each process writes what its partition shows, and together that is all.
TEST(TapHook, EachOfTwoProcessesWritesItsOwn) {
  const TemporaryFolder folder;
  for (const bool apart : {false, true}) {
    const std::string name = apart ? "apart" : "joined";
    HookConfig config = configFor(folder.file(name + "-alone"));
    config.collections.push_back(
        {.name = "layers",
         .reductionConfig = ReductionConfig{.saveRawTensor = true}});
    config.microbatchesApart = apart;
    saveAlone(config);
    config.outDir = folder.file(name);
    config.includeWorkers = "all";
    Division division{2, PipelineKind::Interleaved, "0/cpu:0,1/cpu:0"};
    division.canBeWatched = true;
    onTwoProcesses(division, [&](Session &session, uint32_t) {
      Hook hook(config);
      const Status attached = hook.attach(session);
      ASSERT_TRUE(attached.ok()) << attached.message();
      Bits bits;
      train(session, bits, division);
      ASSERT_TRUE(hook.close().ok());
    });
    const auto trial = Trial::open(config.outDir),
               alone = Trial::open(folder.file(name + "-alone"));
    ASSERT_TRUE(trial.ok() && alone.ok());
    EXPECT_EQ(trial->workers().size(), 2u);
    EXPECT_TRUE(trial->hasEnded());
    EXPECT_EQ(trial->steps(), alone->steps());
    std::map<std::string, size_t> tensorsOf;
    size_t microbatches = 0;
    for (const std::string &tensor : alone->tensorNames().take())
      for (const uint64_t step : alone->stepsOf(tensor).take()) {
        const auto workers = trial->workersOf(tensor, {Mode::Global, step});
        ASSERT_TRUE(workers.ok()) << workers.status().message();
        microbatches += tensor.find("/microbatch_") != tensor.npos;
        for (const std::string &worker : *workers) {
          ++tensorsOf[worker];
          const TensorPlace place{step, Mode::Global, worker};
          EXPECT_EQ(trial->reductionValues(tensor, place).take(),
                    alone->reductionValues(tensor, {step}).take())
              << tensor;
          if (!alone->hasValue(tensor, {step}))
            continue;
          const auto value = trial->value(tensor, place);
          ASSERT_TRUE(value.ok()) << value.status().message();
          EXPECT_EQ(value->bytes, alone->value(tensor, {step})->bytes)
              << tensor;
        }
      }
    EXPECT_EQ(microbatches > 100, apart);
    EXPECT_GE(tensorsOf["worker_0"], 100u);
    EXPECT_GE(tensorsOf["worker_1"], 100u);
  }
}

/// All show what one wants, which writes it.
TEST(TapHook, OneOfTwoProcessesWrites) {
  const TemporaryFolder folder;
  Division division{2, PipelineKind::Interleaved, "0/cpu:0,1/cpu:0"};
  division.canBeWatched = true;
  onTwoProcesses(division, [&](Session &session, uint32_t rank) {
    Hook hook(configFor(folder.file("run")));
    const Status attached = hook.attach(session);
    ASSERT_TRUE(attached.ok()) << attached.message();
    Bits bits;
    train(session, bits, division);
    ASSERT_TRUE(hook.close().ok());
    EXPECT_EQ(hook.report().written, rank == 0 ? uint64_t(kSteps) : 0);
    if (rank != 0)
      return;
    const auto trial = Trial::open(folder.file("run"));
    ASSERT_TRUE(trial.ok()) << trial.status().message();
    size_t gradients = 0;
    for (const auto &[key, value] : bits)
      if (const std::string start = "step 2 value/";
          key.starts_with(start + "gradient/")) {
        const auto saved =
            trial->value(key.substr(start.size()), {2, Mode::Train});
        ASSERT_TRUE(saved.ok()) << saved.status().message();
        EXPECT_EQ(saved->bytes, value);
        ++gradients;
      }
    EXPECT_GE(gradients, 10u);
  });
}

TEST(TapHook, SaysWhatTheProgramDoesNotShow) {
  const auto compiled = compileFor({});
  Session session = openSession(compiled, {});
  std::string said;
  Hook hook(configFor(""),
            {.log = [&](LogLevel, std::string_view line) { said += line; }});
  ASSERT_TRUE(hook.attach(session).ok());
  // "gradients" has the output "gradient_norm".
  EXPECT_EQ(said, "the program shows nothing that is in 'weights', 'inputs'; "
                  "compile it with --capture or --capture-all");
}

TEST(TapHook, ChoosesAsItsConfigurationSays) {
  auto choice = CaptureChoice::of(configFor(""));
  ASSERT_TRUE(choice.ok()) << choice.status().message();
  const std::tuple<const char *, TapRole, bool> cases[] = {
      {"layer0/weight", TapRole::Parameter, true},
      {"layer0/scale", TapRole::Parameter, true},
      {"layer0/bias", TapRole::Parameter, false},
      {"gradient/layer0/bias", TapRole::Gradient, true},
      {"tokens", TapRole::Input, true},
      {"layer0/out", TapRole::Value, false},
      {"adam/m/layer0", TapRole::Slot, false}};
  for (const auto &[name, role, isChosen] : cases)
    EXPECT_EQ(*choice->has(name, role), isChosen) << name;
}

} // namespace
