// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/ProgramFile.h"
#include "ProgramHeader.h"
#include "ProgramWriter.h"
#include "SampleProgram.h"
#include "TemporaryFolder.h"
#include "smp/serialization/Safetensors.h"
#include "smp/serialization/Version.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace smp;

namespace {
struct ProgramFile : testing::Test {
  SampleProgram sample;
  Program &program = sample.program;
  TemporaryFolder folder;

  AlignedBytes serialized() {
    StatusOr<std::vector<std::byte>> bytes = serializeProgram(program);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    return AlignedBytes(bytes.ok() ? *bytes : std::vector<std::byte>());
  }
};
} // namespace

TEST_F(ProgramFile, ComesBackAsItWas) {
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_TRUE(loaded->checkWeights().ok()) << loaded->checkWeights().message();
  const Program &back = loaded->program();
  EXPECT_EQ(back.producer, "sample 0.1");
  EXPECT_EQ(back.variables[1].name, "b");
  EXPECT_TRUE(std::signbit(back.variables[1].initializer.a));
  EXPECT_EQ(back.kernels[1].variants[1].grid[1], 3u);
  EXPECT_EQ(back.stages[1].launches[0].buffers[3].offset, 64u);
  EXPECT_EQ(back.stages[1].launches[0].opNames[1], "dense.bias");
  EXPECT_EQ(back.entries[0].edges[1].to[1], (Edge::End{Edge::kCaller, 1}));
  const auto &attributes = back.entries[0].graph.ops[1].attributes;
  EXPECT_TRUE(std::signbit(std::get<double>(attributes.at("alpha"))));
  EXPECT_EQ(std::get<std::string>(attributes.at("mode")).size(), 7u);
  EXPECT_EQ(std::get<HostTensor>(attributes.at("table")).as<int32_t>()[1], 5);
  const Splat &mask = std::get<Splat>(attributes.at("mask"));
  EXPECT_EQ(toString(mask.type), "f32[2x4]");
  EXPECT_EQ(mask.element.size(), 4u);
  EXPECT_EQ(mask.element.back(), std::byte(0x80));
  EXPECT_EQ(back.entries[0].graph.ops[1].placement,
            (Placement{0, Origin::User}));
  EXPECT_EQ(back.kernels[3].numOutputs, 1u);
  EXPECT_EQ(back.variables[4].kind, VariableKind::Accumulator);
  const Launch &update = back.stages[7].launches[0];
  EXPECT_EQ(update.dtypes, std::vector<DType>(3, DType::F32));
  EXPECT_EQ(update.makers, std::vector<uint32_t>{0});
  EXPECT_TRUE(update.mayOverflow);
  EXPECT_TRUE(back.stages[7].launches[1].dtypes.empty());
  EXPECT_FALSE(back.stages[7].launches[1].mayOverflow);
  const Entry &train = back.entries[1], &written = program.entries[1];
  EXPECT_EQ(train.inputs[0].source, TensorSource::Caller);
  EXPECT_EQ(train.inputs[1].source, TensorSource::Microbatch);
  EXPECT_EQ(train.microbatches, 2u);
  EXPECT_EQ(train.schedule, "table");
  EXPECT_EQ(train.actions, written.actions);
}

TEST_F(ProgramFile, TransferSecondsComeBack) {
  addTransferSeconds(program);
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const std::vector<Edge> &edges = loaded->program().entries[0].edges;
  EXPECT_EQ(edges[0].transferSeconds, 0);
  EXPECT_EQ(edges[1].transferSeconds, 4e-6);
}

TEST_F(ProgramFile, LagsComeBack) {
  EXPECT_TRUE(readProgram(serialized())->program().entries[0].lags.empty());
  addLags(program);
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->program().entries[0].lags, (std::vector<uint32_t>{0, 1}));
  EXPECT_TRUE(loaded->program().entries[1].lags.empty());
}

TEST_F(ProgramFile, WritesTheSameBytesAgain) {
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok());
  std::vector<std::byte> again = serializeProgram(loaded->program()).take();
  std::span<const std::byte> first = bytes;
  EXPECT_TRUE(
      std::equal(first.begin(), first.end(), again.begin(), again.end()));
}

TEST_F(ProgramFile, SpansPointIntoTheGivenBytes) {
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok());
  std::span<const std::byte> all = bytes;
  for (std::span<const std::byte> part :
       {loaded->program().images[0], loaded->program().images[1],
        loaded->program().constants, loaded->program().weightBytes}) {
    EXPECT_GE(part.data(), all.data());
    EXPECT_LE(part.data() + part.size(), all.data() + all.size());
    EXPECT_EQ((part.data() - all.data()) % 4096, 0);
  }
  EXPECT_EQ(loaded->weightBytes().data(), loaded->program().weightBytes.data());
}

TEST_F(ProgramFile, EveryByteIsInOnePart) {
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok());
  std::span<const std::byte> all = bytes;
  std::vector<std::string> names;
  uint64_t end = 0;
  for (const FilePart &part : loaded->parts()) {
    EXPECT_EQ(part.offset, end) << part.name;
    end += part.bytes;
    names.push_back(part.name);
    if (part.name == "constants")
      EXPECT_EQ(all.data() + part.offset, loaded->program().constants.data());
    if (part.name == "weights")
      EXPECT_EQ(all.data() + part.offset, loaded->weightBytes().data());
  }
  EXPECT_EQ(end, all.size());
  EXPECT_EQ(names, (std::vector<std::string>{
                       "header", "table", "padding", "images[0]", "padding",
                       "images[1]", "images[2]", "padding", "images[3]",
                       "padding", "constants", "padding", "weights"}));
}

TEST_F(ProgramFile, AFileIsMappedAndStaysMappedWhenMoved) {
  std::string path = folder.file("p.smp");
  Status written = writeProgram(program, path);
  ASSERT_TRUE(written.ok()) << written.message();
  EXPECT_EQ(folder.names(), std::vector<std::string>{"p.smp"});
  StatusOr<LoadedProgram> loaded = openProgram(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  LoadedProgram moved = loaded.take();
  EXPECT_TRUE(moved.checkWeights().ok());
  EXPECT_TRUE(std::equal(moved.program().constants.begin(),
                         moved.program().constants.end(),
                         sample.constants.begin(), sample.constants.end()));
}

TEST_F(ProgramFile, WeightsMayLieBeside) {
  std::vector<std::byte> w(64, std::byte(9));
  std::vector<SafetensorsTensor> tensors = {{"w", {DType::F32, {4, 4}}, w}};
  StatusOr<FileDigest> digest =
      writeSafetensors(tensors, {}, folder.file("p.safetensors"));
  ASSERT_TRUE(digest.ok());
  program.weights = {"p.safetensors", digest->size, digest->crc32c};
  program.weightBytes = {};
  ASSERT_TRUE(writeProgram(program, folder.file("p.smp")).ok());
  StatusOr<LoadedProgram> loaded = openProgram(folder.file("p.smp"));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->weightBytes().size(), digest->size);
  EXPECT_TRUE(loaded->checkWeights().ok()) << loaded->checkWeights().message();

  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> borrowed = readProgram(bytes);
  ASSERT_TRUE(borrowed.ok());
  EXPECT_EQ(borrowed->checkWeights().message(),
            "the program's weights in 'p.safetensors' are not there: give "
            "their bytes");
  StatusOr<LoadedProgram> other = readProgram(bytes, sample.weights);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->checkWeights().code(), StatusCode::DataLoss);

  folder.remove("p.safetensors");
  StatusOr<LoadedProgram> gone = openProgram(folder.file("p.smp"));
  ASSERT_FALSE(gone.ok());
  EXPECT_NE(gone.status().message().find("p.safetensors': No such file"),
            std::string::npos)
      << gone.status().message();
}

TEST_F(ProgramFile, StoredVariablesMustBeInTheWeights) {
  program.variables[0].name = "missing";
  program.entries[0].graph.ops[0].attributes["variable"] =
      std::string("missing");
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->checkWeights().message(),
            "the program's weights have no tensor 'missing'");
}

TEST_F(ProgramFile, StoredVariablesMustHaveTheirType) {
  program.variables[0].type.shape = {16};
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->checkWeights().message(),
            "the program's weights have 'w' as f32[4x4]; the program wants "
            "f32[16]");
}

TEST_F(ProgramFile, AnUnknownFeatureNamesBothVersions) {
  StatusOr<std::vector<std::byte>> bytes =
      serializeProgram(program, {"moebius-pipelines"});
  ASSERT_TRUE(bytes.ok());
  StatusOr<LoadedProgram> loaded = readProgram(AlignedBytes(*bytes));
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(loaded.status().message(),
            "the program needs the feature 'moebius-pipelines'; the program "
            "has version 5, this smp reads 9: use a newer smp, or compile the "
            "program again");
}

TEST_F(ProgramFile, ANewerContainerIsRefusedANewerProgramIsNot) {
  AlignedBytes bytes = serialized();
  ProgramHeader header = decodeHeader(bytes).take();
  header.programVersion = kProgramVersion + 1;
  auto encoded = encodeHeader(header);
  std::copy(encoded.begin(), encoded.end(), bytes.bytes().begin());
  EXPECT_TRUE(readProgram(bytes).ok());
  header.containerVersion = 2;
  encoded = encodeHeader(header);
  std::copy(encoded.begin(), encoded.end(), bytes.bytes().begin());
  EXPECT_EQ(readProgram(bytes).status().message(),
            "the program has container version 2, this smp reads 1 to 1; use "
            "a newer smp");
}

TEST_F(ProgramFile, BytesMustBeAligned) {
  AlignedBytes bytes = serialized();
  std::span<const std::byte> all = bytes;
  EXPECT_EQ(readProgram(all.subspan(1)).status().message(),
            "the program's bytes must be aligned to 16");
}

TEST_F(ProgramFile, OtherFilesAreNoPrograms) {
  folder.write("text", "hello");
  StatusOr<LoadedProgram> loaded = openProgram(folder.file("text"));
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().message(),
            folder.file("text") + ": this is not a program: it does not begin "
                                  "as a .smp file does");
  folder.write("empty", "");
  EXPECT_FALSE(openProgram(folder.file("empty")).ok());
  EXPECT_EQ(openProgram(folder.file("none")).status().message(),
            "cannot read '" + folder.file("none") +
                "': No such file or directory");
  EXPECT_EQ(openProgram(folder.path()).status().message(),
            "cannot read '" + folder.path() + "': it is not a regular file");
}

TEST_F(ProgramFile, AnInvalidProgramIsNotWritten) {
  program.entries[0].stages[0] = 9;
  Status status = writeProgram(program, folder.file("p.smp"));
  EXPECT_EQ(status.message(),
            folder.file("p.smp") + ": entries[0].stages[0] is 9 of 8 stages");
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(ProgramFile, AnEmptyProgramIsAFile) {
  Program nothing;
  StatusOr<std::vector<std::byte>> bytes = serializeProgram(nothing);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  StatusOr<LoadedProgram> loaded = readProgram(AlignedBytes(*bytes));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_TRUE(loaded->checkWeights().ok());
}

TEST_F(ProgramFile, LongNamesThatManyOpsShareComeBack) {
  Graph &graph = program.entries[0].graph;
  const std::string name(5000, 'n');
  const uint32_t input = graph.inputs[0];
  for (unsigned i = 0; i < 300; ++i) {
    graph.values.push_back({name, graph.values[input].type});
    graph.ops.push_back({name,
                         "relu",
                         {input},
                         {uint32_t(graph.values.size() - 1)},
                         {{"smp.part_of", name}, {name, int64_t(0)}},
                         {0, Origin::Solver}});
  }
  program.stages[0].launches[0].opNames.assign(300, name);
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const Graph &back = loaded->program().entries[0].graph;
  EXPECT_EQ(back.ops.size(), graph.ops.size());
  EXPECT_EQ(back.ops.back().name, name);
  EXPECT_EQ(std::get<std::string>(back.ops.back().attributes.at("smp.part_of")),
            name);
}

/// Short texts are written once: readers take them however often they are used.
TEST_F(ProgramFile, ShortNamesThatManyOpsShareComeBack) {
  Graph &graph = program.entries[0].graph;
  for (unsigned i = 0; i < 20000; ++i)
    graph.ops.push_back({"",
                         "twelve_chars",
                         {},
                         {},
                         {{"twelve_chars", int64_t(0)}},
                         {0, Origin::User}});
  AlignedBytes bytes = serialized();
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->program().entries[0].graph.ops.back().mnemonic,
            "twelve_chars");
}
