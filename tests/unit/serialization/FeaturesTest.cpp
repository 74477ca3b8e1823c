// SPDX-License-Identifier: Apache-2.0
// Features are required where they are used, and nowhere else.
#include "Features.h"
#include "ProgramHeader.h"
#include "Program_generated.h"
#include "SampleProgram.h"
#include "smp/serialization/ProgramFile.h"
#include <gtest/gtest.h>

using namespace smp;
using Names = std::vector<std::string>;

/// What the file says, in its order.
static Names featuresIn(const Program &program) {
  AlignedBytes bytes(serializeProgram(program).take());
  const fbs::Program *table =
      fbs::GetProgram(bytes.bytes().data() + kHeaderBytes);
  Names names;
  for (const fbs::Feature *feature : *table->required_features())
    names.push_back(feature->name()->str());
  return names;
}

TEST(Features, OfTrainingAreRequired) {
  SampleProgram sample;
  EXPECT_EQ(featuresIn(sample.program),
            (Names{"schedule", "microbatch-input", "variable-output", "join",
                   "splat", "cuda"}));
}

/// Rows that are joined, and what is the same for all, older readers know.
static void joinRows(Program &program) {
  for (Entry &entry : program.entries)
    for (EntryTensor &output : entry.outputs) {
      output.join = output.batchAxis < 0 ? Join::Same : Join::Concat;
      output.mixing.clear();
    }
}

/// A tensor has all its elements, as older readers know it.
static void writeOut(Program &program) {
  Attribute &mask = program.entries[0].graph.ops[1].attributes["mask"];
  mask = HostTensor::zeros(std::get<Splat>(mask).type);
}

TEST(Features, OfPredictionAreNone) {
  SampleProgram sample;
  sample.program.entries.pop_back();
  sample.program.stages.resize(3);
  dropCuda(sample.program);
  EXPECT_EQ(featuresIn(sample.program), (Names{"join", "splat"}));
  joinRows(sample.program);
  EXPECT_EQ(featuresIn(sample.program), Names{"splat"});
  writeOut(sample.program);
  EXPECT_EQ(featuresIn(sample.program), Names());
}

TEST(Features, TwinsAreRequired) {
  SampleProgram sample;
  const Names before = featuresIn(sample.program);
  addTwin(sample.program);
  Names with = before;
  with.push_back("twin");
  EXPECT_EQ(featuresIn(sample.program), with);
  EXPECT_TRUE(isKnownFeature("twin"));
  sample.program.entries.back().twin->taps.back().role =
      TapRole::OutputGradient;
  with.push_back("output-gradient");
  EXPECT_EQ(featuresIn(sample.program), with);
  EXPECT_TRUE(isKnownFeature("output-gradient"));
}

/// An older reader does the stages in another order: nothing depends on it.
TEST(Features, LagsAndCostsAreNotRequired) {
  SampleProgram sample;
  const Names before = featuresIn(sample.program);
  addLags(sample.program);
  addTransferSeconds(sample.program);
  addSignatures(sample.program);
  EXPECT_EQ(featuresIn(sample.program), before);
}

TEST(Features, AreRequiredOneByOne) {
  SampleProgram sample;
  Entry &train = sample.program.entries[1];
  dropCuda(sample.program);
  joinRows(sample.program);
  writeOut(sample.program);
  train.inputs[1].source = TensorSource::Caller;
  EXPECT_EQ(featuresIn(sample.program), (Names{"schedule", "variable-output"}));
  for (Kernel &kernel : sample.program.kernels)
    kernel.numOutputs = 0; // Not known, so nothing can be said.
  for (Stage &stage : sample.program.stages)
    for (Launch &launch : stage.launches)
      launch.makers.clear();
  EXPECT_EQ(featuresIn(sample.program), Names{"schedule"});
}

/// The version in the header.
static uint32_t versionIn(const Program &program) {
  const auto bytes = serializeProgram(program).take();
  return decodeHeader(bytes)->programVersion;
}

TEST(Features, ProgramsForCpusAloneAreOfTheVersionBefore) {
  SampleProgram sample;
  EXPECT_EQ(versionIn(sample.program), 5u);
  addTwin(sample.program);
  EXPECT_EQ(versionIn(sample.program), 6u);
  addLags(sample.program);
  EXPECT_EQ(versionIn(sample.program), 7u);
  addTransferSeconds(sample.program);
  EXPECT_EQ(versionIn(sample.program), 8u);
  addSignatures(sample.program);
  EXPECT_EQ(versionIn(sample.program), 9u);
  for (Kernel &kernel : sample.program.kernels)
    kernel.signature = 0, kernel.flops = kernel.bytes = 0;
  sample.program.entries[0].edges[1].transferSeconds = 0;
  sample.program.entries[0].lags.clear();
  sample.program.entries.pop_back();
  dropCuda(sample.program);
  EXPECT_EQ(versionIn(sample.program), 4u);
  const auto silent = serializeProgram(sample.program).take();
  sample.program.imageInfos.resize(2); // Said, but nothing that is new.
  EXPECT_EQ(serializeProgram(sample.program).take(), silent);
}

TEST(Features, ThatAreRequiredAreKnown) {
  SampleProgram sample;
  for (const std::string &name : requiredFeatures(sample.program))
    EXPECT_TRUE(isKnownFeature(name)) << name;
  EXPECT_FALSE(isKnownFeature("moebius-pipelines"));
  EXPECT_FALSE(isKnownFeature(""));
}
