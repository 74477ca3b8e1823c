// SPDX-License-Identifier: Apache-2.0
// A model that is saved is run by one process, to the bit.
#include "smp/checkpoint/SaveModel.h"
#include "RankTraining.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/Safetensors.h"

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;

/// A value for fixed1, which outputs follow from.
void setFixed(SessionCore &session) {
  const TestTensor value(kTensor.shape, 0.1f);
  const InputTensor fixed = value.as("fixed1");
  const Status set = session.setVariable(fixed.name, fixed.tensor);
  EXPECT_TRUE(set.ok()) << set.message();
}

/// A step's output; empty on a rank that has none.
std::vector<float> stepOf(SessionCore &session) {
  const TestTensor x(kTensor.shape, 0.7f);
  const auto output = session.step("train", std::vector{x.as("x")}, {});
  EXPECT_TRUE(output.ok()) << output.status().message();
  if (!output.ok() || !output->find("y"))
    return {};
  return floatsOf(output->find("y"));
}

std::vector<std::byte> valueOf(Session &session, const std::string &name) {
  std::vector<std::byte> bytes(size_t(kTensor.bytes()));
  EXPECT_TRUE(session.getVariable(name, bytes).ok()) << name;
  return bytes;
}

class SaveModelTest : public testing::Test {
protected:
  /// One rank trains three steps, and saves.
  void trainAndSave(Communicator *communicator) {
    RankTraining training(communicator);
    setFixed(training);
    for (int i = 0; i < 3; ++i)
      training.train();
    const auto saved = saveModel(training, model);
    ASSERT_TRUE(saved.ok()) << saved.status().message();
    EXPECT_EQ(*saved, model + "/program.smp");
    EXPECT_EQ(training.warnings, Names());
    training.train(); // Goes on as if nothing had been saved.
  }

  /// What a step of the saved model gives, and what it begins with, is what
  /// three steps of one rank have made.
  void expectSaved() {
    RankTraining trained(nullptr);
    setFixed(trained);
    for (int i = 0; i < 3; ++i)
      trained.train();
    const Values latest = trained.valuesHere();
    const Values first = RankTraining(nullptr).valuesHere();
    auto opened = Session::open(model + "/program.smp");
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    for (const auto &[name, value] : latest)
      EXPECT_EQ(valueOf(*opened, name),
                name.ends_with(".m") ? first.at(name) : value)
          << name;
    const std::vector<float> expected = stepOf(trained);
    EXPECT_EQ(expected.size(), 16u);
    EXPECT_EQ(stepOf(*opened), expected);
  }

  /// That saving to `path` fails, and changes nothing there.
  void expectRefused(const std::string &path, const std::string &message) {
    RankTraining training(nullptr);
    const auto saved = saveModel(training, path);
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.status().message(), message);
  }

  TemporaryFolder folder;
  const std::string model = folder.file("opt/model");
};

TEST_F(SaveModelTest, OneProcess) {
  trainAndSave(nullptr);
  expectSaved();
}

TEST_F(SaveModelTest, TwoProcesses) {
  onProcesses("unix:" + folder.file("socket"),
              [&](Communicator &mine) { trainAndSave(&mine); });
  expectSaved();
}

TEST_F(SaveModelTest, ThreeRanksOfWhichOneHoldsNothing) {
  onThreads(3, [&](Communicator &mine) { trainAndSave(&mine); });
  expectSaved();
}

TEST_F(SaveModelTest, EveryWayToSaveGivesTheSameFiles) {
  trainAndSave(nullptr);
  const std::string weights = folder.read("opt/model/model.safetensors"),
                    program = folder.read("opt/model/program.smp");
  folder.remove("opt/model/program.smp");
  folder.remove("opt/model/model.safetensors");
  onThreads(2, [&](Communicator &mine) { trainAndSave(&mine); });
  EXPECT_EQ(folder.read("opt/model/model.safetensors"), weights);
  EXPECT_EQ(folder.read("opt/model/program.smp"), program);
}

TEST_F(SaveModelTest, TheWeightsAreAPlainFileOfTheModel) {
  Trained training;
  training.step();
  ASSERT_TRUE(saveModel(training, model).ok());
  const auto weights = Safetensors::open(model + "/model.safetensors");
  ASSERT_TRUE(weights.ok()) << weights.status().message();
  Names names;
  const Values values = training.values();
  for (const SafetensorsTensor &tensor : weights->tensors()) {
    names.push_back(tensor.name);
    EXPECT_TRUE(std::ranges::equal(tensor.bytes, values.at(tensor.name)))
        << tensor.name;
  }
  EXPECT_EQ(names, (Names{"b", "mean", "w"}));
}

TEST_F(SaveModelTest, ASavedModelIsSavedAgain) {
  trainAndSave(nullptr);
  const std::string other = folder.file("other");
  auto opened = Session::open(model + "/program.smp");
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  ASSERT_TRUE(saveModel(*opened, other).ok());
  for (const std::string name : {"/model.safetensors", "/program.smp"})
    EXPECT_EQ(folder.read("other" + name), folder.read("opt/model" + name));
}

//===----------------------------------------------------------------------===//
// What is there already
//===----------------------------------------------------------------------===//

TEST_F(SaveModelTest, AModelIsNotReplaced) {
  trainAndSave(nullptr);
  const std::string weights = folder.read("opt/model/model.safetensors");
  expectRefused(model, "there is a model in '" + model +
                           "', which is not replaced; move '" + model +
                           "/program.smp' and 'model.safetensors' away, or "
                           "give another path");
  EXPECT_EQ(folder.read("opt/model/model.safetensors"), weights);
  expectSaved();
}

TEST_F(SaveModelTest, WeightsOfOthersAreNotReplaced) {
  folder.write("model.safetensors", "those of somebody else");
  expectRefused(folder.path(),
                "'" + folder.file("model.safetensors") +
                    "' is there and not of smp, so it is not replaced; move it "
                    "away, or give another path");
  EXPECT_EQ(folder.names(), Names{"model.safetensors"});
  EXPECT_EQ(folder.read("model.safetensors"), "those of somebody else");
}

TEST_F(SaveModelTest, WhatAKilledCallHasLeftIsReplaced) {
  trainAndSave(nullptr);
  folder.remove("opt/model/program.smp");
  const std::string left = folder.file("opt/model/model.safetensors");
  ASSERT_TRUE(writeSafetensors(std::span<const SafetensorsTensor>(),
                               {{"smp.program", "program.smp"}}, left)
                  .ok());
  trainAndSave(nullptr);
  expectSaved();
}

//===----------------------------------------------------------------------===//
// What goes wrong
//===----------------------------------------------------------------------===//

TEST_F(SaveModelTest, WhatFailsOnRank0FailsOnAll) {
  folder.write("file", "");
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    const auto saved = saveModel(training, folder.file("file/model"));
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.status().message(),
              std::string(mine.rank() ? "rank 0: " : "") +
                  "cannot make the folder '" + folder.file("file/model") +
                  "': Not a directory");
    const auto later = saveModel(training, model);
    EXPECT_TRUE(later.ok()) << later.status().message();
  });
  EXPECT_TRUE(Session::open(model + "/program.smp").ok());
}

TEST_F(SaveModelTest, APathIsAFolderAndNoPickle) {
  expectRefused("", "saveModel: the path is empty; give that of a folder, as "
                    "'/opt/ml/model'");
  expectRefused(
      folder.file("model.pt"),
      "'" + folder.file("model.pt") +
          "' is by its name a pickle of PyTorch, which is code that runs when "
          "it is read; smp reads and writes none. Use .safetensors: in Python, "
          "safetensors.torch.save_file(torch.load(\"model.pt\", "
          "weights_only=True), \"model.safetensors\") makes one of a "
          "state_dict, and safetensors.torch.load_file reads it");
  EXPECT_EQ(folder.names(), Names());
}

} // namespace
