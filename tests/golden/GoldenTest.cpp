// SPDX-License-Identifier: Apache-2.0
// Programs of every format that was ever current still load.
#include "SampleProgram.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Version.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace smp;
namespace fs = std::filesystem;

static const fs::path kFolder = fs::path(SMP_TEST_SOURCE_DIR) / "golden";

static fs::path current() {
  return kFolder / ("program-" + std::string(kFormatVersion) + ".smp");
}

TEST(Golden, TheCurrentFormatHasAFile) {
  EXPECT_TRUE(fs::exists(current()))
      << "run utils/add-golden, see serialization/VERSIONS.md";
  EXPECT_EQ(std::string(kFormatVersion), std::to_string(kContainerVersion) +
                                             "." +
                                             std::to_string(kProgramVersion));
}

TEST(Golden, EveryFileLoads) {
  int count = 0;
  for (const auto &file : fs::directory_iterator(kFolder)) {
    if (file.path().extension() != ".smp")
      continue;
    ++count;
    StatusOr<LoadedProgram> loaded = openProgram(file.path().string());
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_TRUE(loaded->checkWeights().ok())
        << loaded->checkWeights().message();
    // What the sample has had since the first format.
    const Program &program = loaded->program();
    EXPECT_EQ(program.partitions, 2u);
    ASSERT_GE(program.entries.size(), 1u);
    EXPECT_EQ(program.entries[0].name, "predict");
    EXPECT_EQ(program.entries[0].graph.ops.size(), 3u);
    EXPECT_EQ(program.stages[1].launches[0].buffers[3].offset, 64u);
    // What was added since means what its absence meant.
    EXPECT_EQ(program.entries[0].microbatches, 0u);
    EXPECT_TRUE(program.entries[0].actions.empty());
    EXPECT_EQ(program.entries[0].inputs[0].source, TensorSource::Caller);
    EXPECT_EQ(program.kernels[1].numOutputs, 0u);
    EXPECT_TRUE(program.stages[1].launches[0].dtypes.empty());
    EXPECT_TRUE(program.stages[1].launches[0].makers.empty());
    EXPECT_FALSE(program.stages[1].launches[0].mayOverflow);
    EXPECT_EQ(program.entries[0].inputs[0].join, Join::Unknown);
    const std::string name = file.path().filename().string();
    EXPECT_EQ(program.entries[0].outputs[0].join,
              name >= "program-1.4" ? Join::Concat : Join::Unknown);
    EXPECT_EQ(program.entries[0].graph.ops[1].attributes.count("mask"),
              name >= "program-1.4" ? 1u : 0u);
    EXPECT_EQ(program.kernels[2].variants.size(),
              name >= "program-1.5" ? 2u : 1u);
    EXPECT_EQ(imageKind(program, 1), ImageKind::Elf);
    EXPECT_FALSE(program.entries[0].twin);
    EXPECT_EQ(bool(program.entries.back().twin), name >= "program-1.6");
    EXPECT_EQ(program.entries[0].lags.size(), name >= "program-1.7" ? 2u : 0u);
    EXPECT_EQ(program.entries[0].edges[1].transferSeconds,
              name >= "program-1.8" ? 4e-6 : 0);
    const bool hasSignature = name >= "program-1.9";
    EXPECT_EQ(program.kernels[1].signature,
              hasSignature ? 0xfedcba9876543211 : 0u);
    EXPECT_EQ(program.kernels[1].flops, hasSignature ? 64 : 0);
    EXPECT_EQ(program.kernels[1].bytes, hasSignature ? 128.5 : 0);
    uint64_t bytes = 0;
    for (const FilePart &part : loaded->parts())
      bytes += part.bytes;
    EXPECT_EQ(bytes, fs::file_size(file.path()));
  }
  EXPECT_EQ(count, int(kProgramVersion));
}

TEST(Golden, TheCurrentFileIsTheSample) {
  SampleProgram sample;
  addTwin(sample.program);
  addLags(sample.program);
  addTransferSeconds(sample.program);
  addSignatures(sample.program);
  StatusOr<LoadedProgram> loaded = openProgram(current().string());
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  // Both are written by this build, so that no version of FlatBuffers matters.
  EXPECT_EQ(serializeProgram(loaded->program()).take(),
            serializeProgram(sample.program).take())
      << "the format says something else than before: raise its version";
}
