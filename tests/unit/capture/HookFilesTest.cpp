// SPDX-License-Identifier: Apache-2.0
// What a hook writes, and when.
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include "smp/serialization/EventRecord.h"
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

class HookFiles : public testing::Test, protected Watched {
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

TEST_F(HookFiles, AreThoseOfEachStep) {
  Hook hook(everyStep(outDir()));
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.addToCollection("mine", "y").ok());
  ASSERT_TRUE(step("predict", 0.5f).ok());
  ASSERT_TRUE(step("train", 1).ok());
  ASSERT_TRUE(hook.close().ok());
  EXPECT_EQ(namesAt(0), Names{"y"});
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

TEST_F(HookFiles, AnOutputMayBeInSeveralCollections) {
  Hook hook(everyStep(outDir()));
  ASSERT_TRUE(hook.addToCollection("mine", "loss").ok());
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.addToCollection("mine", "loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(hook.values("loss").size(), 1u);
  ASSERT_TRUE(hook.close().ok());
  EXPECT_EQ(namesAt(0), Names{"loss"});
}

TEST_F(HookFiles, RegexesChooseOutputs) {
  HookConfig config = everyStep(outDir());
  config.includeRegex = {"^y$"};
  Hook hook(config);
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  ASSERT_TRUE(hook.close().ok());
  EXPECT_EQ(namesAt(0), Names{"y"});
  EXPECT_TRUE(hook.values("y").empty()); // Nobody asked for it by name.
}

TEST_F(HookFiles, ReductionsAndShapesTakeTheTensorsPlace) {
  HookConfig config = everyStep(outDir());
  config.collections = {{.name = "mine",
                         .tensorNames = {"y"},
                         .reductionConfig = ReductionConfig{
                             .reductions = {{TensorReduction::Kind::Max},
                                            {TensorReduction::Kind::L1, true}},
                             .saveShape = true}}};
  Hook hook(config);
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  ASSERT_TRUE(hook.close().ok());
  EXPECT_EQ(namesAt(0), (Names{"loss", "smdebug/reductions/max/y",
                               "smdebug/reductions/abs_l1/y", "y"}));
  EXPECT_NE(read("index/000000000/000000000000_worker_0.json")
                .find("\"shape_payload\": [{\"tensorname\": \"y\""),
            std::string::npos);
}

TEST_F(HookFiles, ACollectionIsSwitchedOff) {
  Hook hook(everyStep(outDir()));
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  hook.collection("losses").saveConfig.endStep = 0;
  hook.collection("metrics").saveConfig.endStep = 0;
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  ASSERT_TRUE(hook.close().ok());
  EXPECT_TRUE(hook.values("loss").empty());
  EXPECT_FALSE(std::filesystem::exists(outDir() + "/index"));
}

TEST_F(HookFiles, ADryRunWritesNothing) {
  HookConfig config = everyStep(outDir());
  config.dryRun = true;
  Hook hook(config);
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  EXPECT_EQ(hook.values("loss").size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(outDir()));
}

TEST_F(HookFiles, ANameThatReadersTakeForAReductionIsRefused) {
  session.reset();
  addEntry("odd", Mode::Predict, {"x/smdebug/reductions/y"});
  openFile({});
  EXPECT_EQ(Hook({.saveAll = true}).attach(*session).message(),
            "the tensor 'x/smdebug/reductions/y' of the collection 'all' "
            "has 'smdebug/reductions/' in its name, which readers take for a "
            "reduction; rename it, or leave it out");
  EXPECT_TRUE(Hook(everyStep()).attach(*session).ok()); // It is not saved.
}

TEST_F(HookFiles, AHookThatIsGoneTellsReadersSo) {
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

TEST_F(HookFiles, AFolderFromTheWorkingFolderOnStaysWhereItIs) {
  namespace fs = std::filesystem;
  const fs::path before = fs::current_path();
  fs::create_directory(folder.file("elsewhere"));
  fs::current_path(folder.path());
  ::setenv("SAGEMAKER_METRICS_DIRECTORY", ".", 1);
  HookConfig config = everyStep("run");
  config.exportTensorboard = true;
  Hook hook(config);
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  ::unsetenv("SAGEMAKER_METRICS_DIRECTORY");
  ASSERT_TRUE(step("train", 1).ok());
  fs::current_path(folder.file("elsewhere"));
  ASSERT_TRUE(step("train", 1).ok());
  ASSERT_TRUE(hook.close().ok());
  EXPECT_TRUE(fs::is_empty("."));
  fs::current_path(before);
  EXPECT_EQ(namesAt(0), Names{"loss"});
  EXPECT_EQ(namesAt(1), Names{"loss"});
  EXPECT_TRUE(fs::exists(outDir() + "/training_job_end.ts"));
  EXPECT_TRUE(fs::exists(folder.file(std::to_string(::getpid()) + ".json")));
}

TEST_F(HookFiles, AForkedProcessHarmsNothing) {
  auto hook = std::make_unique<Hook>(everyStep(outDir()));
  ASSERT_TRUE(hook->registerLoss("loss").ok());
  ASSERT_TRUE(hook->attach(*session).ok());
  ASSERT_TRUE(step("train", 1).ok());
  const pid_t child = fork();
  if (child == 0) {
    hook.reset();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(outDir() + "/claim.smd"));
  EXPECT_FALSE(std::filesystem::exists(outDir() + "/training_job_end.ts"));
  ASSERT_TRUE(hook->close().ok());
  EXPECT_EQ(namesAt(0), Names{"loss"});
}

TEST_F(HookFiles, AManagedJobIsEndedByItsManager) {
  ::setenv("TRAINING_JOB_NAME", "job", 1);
  Hook hook(everyStep(outDir()));
  ASSERT_TRUE(hook.attach(*session).ok());
  ASSERT_TRUE(hook.close().ok());
  ::unsetenv("TRAINING_JOB_NAME");
  EXPECT_FALSE(std::filesystem::exists(outDir() + "/training_job_end.ts"));
}

TEST_F(HookFiles, AResumedRunWritesTheSameFilesForTheSameSteps) {
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

TEST_F(HookFiles, AnS3PathIsSaidNotToBeWritten) {
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

} // namespace
