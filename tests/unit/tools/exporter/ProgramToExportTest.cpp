// SPDX-License-Identifier: Apache-2.0
// Entries of programs with the weights that a person wants.
#include "smp/tools/ProgramToExport.h"
#include "CheckpointHelpers.h"
#include "smp/checkpoint/SaveModel.h"
#include "smp/serialization/ProgramFile.h"

using namespace smp;
using namespace smp::test;

namespace {

TEST(ChooseEntry, TheOnlyOneOrTheOneThatPredicts) {
  EXPECT_EQ(*chooseEntry({{"train", Mode::Train}}, ""), 0u);
  const std::vector<EntryChoice> three = {
      {"train", Mode::Train}, {"run", Mode::Predict}, {"eval", Mode::Eval}};
  EXPECT_EQ(*chooseEntry(three, ""), 1u);
  EXPECT_EQ(*chooseEntry(three, "eval"), 2u);
  EXPECT_EQ(chooseEntry(three, "predict").status().message(),
            "there is no entry 'predict'; the model has 'train', 'run', "
            "'eval'");
  EXPECT_EQ(chooseEntry({{"a", Mode::Eval}, {"b", Mode::Eval}}, "")
                .status()
                .message(),
            "the model has the entries 'a', 'b'; name one with --entry");
}

class ProgramToExportTest : public testing::Test {
protected:
  ProgramToExportTest() {
    EXPECT_TRUE(writeProgram(maker->program, path).ok());
  }

  std::vector<std::byte> valueOf(const std::string &program,
                                 const ValuesFrom &from,
                                 const std::string &variable = "w") {
    const auto model = readProgramToExport(program, "", from);
    EXPECT_TRUE(model.ok()) << model.status().message();
    if (!model.ok())
      return {};
    const auto bytes = model->value(variable, kTensor);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    return bytes.ok() ? std::vector<std::byte>(bytes->begin(), bytes->end())
                      : std::vector<std::byte>();
  }

  TemporaryFolder folder;
  std::unique_ptr<ProgramMaker> maker = makeTrainable();
  const std::string path = folder.file("program.smp");
};

TEST_F(ProgramToExportTest, WeightsAreTheProgramsUnlessSaidElse) {
  Trained training;
  const auto first = training.values()["w"];
  training.step();
  const Values latest = training.values();
  CheckpointManager manager(training, {.directory = folder.path()});
  const std::string checkpoint = save(manager);
  ASSERT_TRUE(saveModel(training, folder.file("model")).ok());
  EXPECT_EQ(valueOf(path, {}), first);
  EXPECT_EQ(valueOf(path, {.checkpoint = checkpoint}), latest.at("w"));
  EXPECT_EQ(valueOf(path, {.weights = folder.file("model/model.safetensors")}),
            latest.at("w"));
  EXPECT_EQ(valueOf(folder.file("model/program.smp"), {}), latest.at("w"));
  // Slots of the optimizer are the program's.
  EXPECT_EQ(valueOf(path, {.checkpoint = checkpoint}, "optimizer/w.m"), first);
}

TEST_F(ProgramToExportTest, WeightsOfAnotherModelAreRefused) {
  const std::vector<std::byte> bytes(64);
  const std::string weights = folder.file("w.safetensors");
  const SafetensorsTensor w{"w", {DType::F32, {16}}, bytes};
  ASSERT_TRUE(writeSafetensors({&w, 1}, {}, weights).ok());
  const auto model = readProgramToExport(path, "", {.weights = weights});
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->value("w", kTensor).status().message(),
            "'" + weights + "' has 'w' as f32[16]; the model wants f32[2x8]");
  EXPECT_EQ(model->value("b", {DType::BF16, {3}}).status().message(),
            "'" + weights + "' has no 'b'; the model wants bf16[3]");
  EXPECT_EQ(model->value("w", {}).status().message(),
            "'the entry' has 'w' as f32[]; the model wants f32[2x8]");
}

TEST_F(ProgramToExportTest, OnlyOneFileIsGivenAndNoPickle) {
  EXPECT_EQ(readProgramToExport(path, "", {"run/ckpt-1", "w.safetensors"})
                .status()
                .message(),
            "--checkpoint and --weights are both given; weights are those of "
            "one of them");
  for (const ValuesFrom &from :
       {ValuesFrom{"model.pt", ""}, ValuesFrom{"", "model.pth"}}) {
    const Status status = readProgramToExport(path, "", from).status();
    EXPECT_NE(status.message().find("is by its name a pickle of PyTorch"),
              std::string::npos)
        << status.message();
  }
}

} // namespace
