// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/VerifyProgram.h"
#include "SampleProgram.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace smp;

namespace {
/// One thing made wrong in the sample, and what the verifier says of it.
struct Case {
  const char *name;
  void (*damage)(Program &);
  const char *message;
};

std::ostream &operator<<(std::ostream &out, const Case &c) {
  return out << c.name;
}

class Damaged : public testing::TestWithParam<Case> {};
} // namespace

TEST(VerifyProgram, TheSampleIsSound) {
  SampleProgram sample;
  Status status = verifyProgram(sample.program);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_P(Damaged, IsNamed) {
  SampleProgram sample;
  GetParam().damage(sample.program);
  Status status = verifyProgram(sample.program);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(), GetParam().message);
}

static const Case kProgramCases[] = {
    {"NoPartitions", [](Program &p) { p.partitions = 0; },
     "partitions is 0; at least 1"},
    {"ManyPartitions", [](Program &p) { p.partitions = UINT32_MAX; },
     "partitions is 4294967295; at most 4096"},
    {"WeightsFolder", [](Program &p) { p.weights.file = "../w"; },
     "weights.file is '../w'; it must be a name without a folder"},
    {"WeightsDots", [](Program &p) { p.weights.file = ".."; },
     "weights.file is '..'; it must be a name without a folder"},
    {"WeightsSize", [](Program &p) { p.weights.size += 1; },
     "weights inside the program have 192 bytes; they should have 193"},
    {"WeightsTwice", [](Program &p) { p.weights.file = "w.safetensors"; },
     "weights inside the program have 192 bytes; they should have 0"},
    {"WeightsEmptyFile",
     [](Program &p) {
       p.weights = {"w.safetensors", 0, 0};
       p.weightBytes = {};
     },
     "weights.size is 0, but weights.file is 'w.safetensors'"},
    {"WeightsMissing",
     [](Program &p) {
       p.weights = {};
       p.weightBytes = {};
     },
     "variables[0].initializer is stored, but the program has no weights"},
    {"VariableName", [](Program &p) { p.variables[1].name = ""; },
     "variables[1].name is empty"},
    {"VariableTwice", [](Program &p) { p.variables[2].name = "b"; },
     "variables[2].name is 'b', which is taken by an earlier one"},
    {"VariableDType", [](Program &p) { p.variables[0].type.dtype = DType(13); },
     "variables[0].type.dtype is 13; this version of smp knows 0 to 12"},
    {"VariableShape",
     [](Program &p) { p.variables[0].type.shape = {INT64_MAX, 4}; },
     "variables[0].type.shape is 9223372036854775807x4; sizes must be 0 or "
     "more and the bytes at most 281474976710656"},
    {"VariablesTogether",
     [](Program &p) {
       p.variables[0].type = {DType::I8, {int64_t(kMaxBytes)}};
     },
     "variables[1] and those before it have 281474976710672 bytes; at most "
     "281474976710656"},
    {"VariableNegative", [](Program &p) { p.variables[0].type.shape = {-4}; },
     "variables[0].type.shape is -4; sizes must be 0 or more and the bytes at "
     "most 281474976710656"},
    {"VariableKind", [](Program &p) { p.variables[0].kind = VariableKind(6); },
     "variables[0].kind is 6; this version of smp knows 0 to 5"},
    {"InitializerKind",
     [](Program &p) { p.variables[1].initializer.kind = Initializer::Kind(4); },
     "variables[1].initializer.kind is 4; this version of smp knows 0 to 3"},
    {"InitializerNan", [](Program &p) { p.variables[2].initializer.a = NAN; },
     "variables[2].initializer has a parameter that is not finite"},
    {"NormalDeviation", [](Program &p) { p.variables[2].initializer.b = -1; },
     "variables[2].initializer.b is negative; a deviation is 0 or more"},
    {"UniformRange", [](Program &p) { p.variables[3].initializer.b = -1; },
     "variables[3].initializer.b is below a; the range is [a, b)"},
    {"EmptyImage", [](Program &p) { p.images[1] = {}; }, "images[1] is empty"},
};
INSTANTIATE_TEST_SUITE_P(Program, Damaged, testing::ValuesIn(kProgramCases),
                         [](const auto &info) { return info.param.name; });

static const Case kKernelCases[] = {
    {"NoVariants", [](Program &p) { p.kernels[2].variants.clear(); },
     "kernels[2] has no variants; nothing can run it"},
    {"Target", [](Program &p) { p.kernels[1].variants[0].target = ""; },
     "kernels[1].variants[0].target is empty"},
    {"Level", [](Program &p) { p.kernels[1].variants[0].level = ""; },
     "kernels[1].variants[0].level is empty"},
    {"SameLevel", [](Program &p) { p.kernels[1].variants[1].level = "v2"; },
     "kernels[1].variants[1] is for 'x86-64' level 'v2', as an earlier one "
     "is"},
    {"Image", [](Program &p) { p.kernels[1].variants[1].image = 4; },
     "kernels[1].variants[1].image is 4 of 4 images"},
    {"Symbol", [](Program &p) { p.kernels[0].variants[0].symbol = "a b\n"; },
     "kernels[0].variants[0].symbol is 'a b\\x0a'; a symbol has letters, "
     "digits, '_', '.' and '$', at least one"},
    {"NoSymbol", [](Program &p) { p.kernels[0].variants[0].symbol = ""; },
     "kernels[0].variants[0].symbol is ''; a symbol has letters, digits, "
     "'_', '.' and '$', at least one"},
    {"Grid", [](Program &p) { p.kernels[0].variants[0].grid[2] = 0; },
     "kernels[0].variants[0].grid[2] is 0; at least 1"},
    {"GridOverflow",
     [](Program &p) {
       for (uint32_t &tiles : p.kernels[0].variants[0].grid)
         tiles = UINT32_MAX;
     },
     "kernels[0].variants[0].grid has more tiles than 64 bits can count"},
    {"Scratch",
     [](Program &p) { p.kernels[0].variants[0].scratchBytes = UINT64_MAX; },
     "kernels[0].variants[0].scratchBytes is 18446744073709551615; at most "
     "281474976710656"},
    {"Flops",
     [](Program &p) {
       p.kernels[1].signature = 1;
       p.kernels[1].flops = NAN;
     },
     "kernels[1].flops is not a number of 0 or more"},
    {"Bytes",
     [](Program &p) {
       p.kernels[1].signature = 1;
       p.kernels[1].bytes = -1;
     },
     "kernels[1].bytes is not a number of 0 or more"},
    {"WorkOfNobody", [](Program &p) { p.kernels[1].flops = 1; },
     "kernels[1].flops is given, but no signature"},
};
INSTANTIATE_TEST_SUITE_P(Kernel, Damaged, testing::ValuesIn(kKernelCases),
                         [](const auto &info) { return info.param.name; });

static BlockLaunch &blocks(Program &p) {
  return *p.kernels[2].variants[1].blocks;
}

static const Case kCudaCases[] = {
    {"Infos", [](Program &p) { p.imageInfos.resize(3); },
     "imageInfos has 3 elements; it must have none or 4"},
    {"InfoKind", [](Program &p) { p.imageInfos[1].kind = ImageKind(3); },
     "imageInfos[1].kind is 3; this version of smp knows 0 to 2"},
    {"InfoOfElf", [](Program &p) { p.imageInfos[0].architecture = "sm_80"; },
     "imageInfos[0] names PTX and architecture, which only a cubin has"},
    {"CubinsPtx", [](Program &p) { p.imageInfos[3].ptx = 4; },
     "imageInfos[3].ptx is 4 of 4 images"},
    {"CubinOfElf", [](Program &p) { p.imageInfos[3].ptx = 1; },
     "imageInfos[3].ptx is 1, which is no PTX"},
    {"Architecture",
     [](Program &p) { p.imageInfos[3].architecture = "sm_9z0"; },
     "imageInfos[3].architecture is 'sm_9z0'; write it as sm_80 or sm_90a"},
    {"CubinTwice",
     [](Program &p) {
       p.images.push_back(p.images[3]);
       p.imageInfos.push_back(p.imageInfos[3]);
     },
     "imageInfos[4] is a second cubin of images[2] for sm_80"},
    {"PtxText", [](Program &p) { p.images[2] = p.images[0]; },
     "images[2] is PTX with the byte 1 at 0; it must be ASCII text"},
    {"NoBlocks", [](Program &p) { p.kernels[2].variants[1].blocks.reset(); },
     "kernels[2].variants[1] is for 'cuda' and has no blocks"},
    {"BlocksOfCpu",
     [](Program &p) { p.kernels[2].variants[0].blocks = BlockLaunch(); },
     "kernels[2].variants[0] is for 'x86-64' and has blocks, which only 'cuda' "
     "has"},
    {"ElfForCuda", [](Program &p) { p.kernels[2].variants[1].image = 0; },
     "kernels[2].variants[1].image is 0, of kind elf; kernels for 'cuda' are "
     "in ptx"},
    {"CubinForCuda", [](Program &p) { p.kernels[2].variants[1].image = 3; },
     "kernels[2].variants[1].image is 3, of kind cubin; kernels for 'cuda' are "
     "in ptx"},
    {"PtxForCpu", [](Program &p) { p.kernels[2].variants[0].image = 2; },
     "kernels[2].variants[0].image is 2, of kind ptx; kernels for 'x86-64' "
     "are in elf"},
    {"ScratchOfCuda",
     [](Program &p) { p.kernels[2].variants[1].scratchBytes = 8; },
     "kernels[2].variants[1].scratchBytes is 8; kernels for 'cuda' have "
     "workspace instead"},
    {"NoThreads", [](Program &p) { blocks(p).threads[1] = 0; },
     "kernels[2].variants[1].blocks.threads[1] is 0; 1 to 1024"},
    {"ThreadsZ", [](Program &p) { blocks(p).threads[2] = 65; },
     "kernels[2].variants[1].blocks.threads[2] is 65; 1 to 64"},
    {"Threads", [](Program &p) { blocks(p).threads[2] = 5; },
     "kernels[2].variants[1].blocks.threads are 1280 per block; at most 1024"},
    {"NoCluster", [](Program &p) { blocks(p).cluster[0] = 0; },
     "kernels[2].variants[1].blocks.cluster[0] is 0; 1 to 8"},
    {"ClusterParts", [](Program &p) { blocks(p).cluster[0] = 3; },
     "kernels[2].variants[1].blocks.cluster[0] is 3, which does not divide the "
     "grid's 4"},
    {"Cluster",
     [](Program &p) {
       p.kernels[2].variants[1].grid[2] = 4;
       blocks(p) = {{1, 1, 1}, {2, 2, 4}, 0, 0, 0};
     },
     "kernels[2].variants[1].blocks.cluster has 16 blocks; at most 8"},
    {"Shared", [](Program &p) { blocks(p).sharedBytes = 232449; },
     "kernels[2].variants[1].blocks.sharedBytes is 232449; at most 232448"},
    {"Workspace", [](Program &p) { blocks(p).workspaceBytes = UINT64_MAX; },
     "kernels[2].variants[1].blocks.workspaceBytes is 18446744073709551615; at "
     "most 281474976710656"},
    {"GridOfBlocks",
     [](Program &p) { p.kernels[2].variants[1].grid[1] = 65536; },
     "kernels[2].variants[1].grid[1] is 65536; at most 65535"},
    {"Parameters", [](Program &p) { p.kernels[2].numBuffers = 511; },
     "kernels[2].numBuffers is 511; at most 510"},
    {"FaultRecords", [](Program &p) { blocks(p).faultRecords = 2; },
     "stages[1].launches[1].opNames has 1 ops; variant 1 of kernels[2] has 2 "
     "fault records"},
};
INSTANTIATE_TEST_SUITE_P(Cuda, Damaged, testing::ValuesIn(kCudaCases),
                         [](const auto &info) { return info.param.name; });

static BufferRef &buffer(Program &p, size_t index) {
  return p.stages[1].launches[0].buffers[index];
}

static const Case kStageCases[] = {
    {"Partition", [](Program &p) { p.stages[2].partition = 2; },
     "stages[2].partition is 2 of 2 partitions"},
    {"UnitOfStage", [](Program &p) { p.stages[2].unit = Unit(5); },
     "stages[2].unit is 5; this version of smp knows 0 to 4"},
    {"InputType", [](Program &p) { p.stages[2].inputs[0].shape[0] = -1; },
     "stages[2].inputs[0].shape is -1x4; sizes must be 0 or more and the "
     "bytes at most 281474976710656"},
    {"Arena", [](Program &p) { p.stages[1].arenaBytes = kMaxBytes + 1; },
     "stages[1].arenaBytes is 281474976710657; at most 281474976710656"},
    {"Seconds", [](Program &p) { p.stages[1].predictedSeconds = NAN; },
     "stages[1].predictedSeconds is not a time of 0 or more"},
    {"PrepareInput", [](Program &p) { p.stages[0].inputs = {{}}; },
     "stages[0] is of unit prepare, but has inputs; it may read variables "
     "only"},
    {"PreparedStage", [](Program &p) { p.prepared[0].stage = 8; },
     "prepared[0].stage is 8 of 8 stages"},
    {"PreparedUnit", [](Program &p) { p.prepared[0].stage = 1; },
     "prepared[0].stage is 1, which is not of unit prepare"},
    {"PreparedOutput", [](Program &p) { p.prepared[0].output = 1; },
     "prepared[0].output is 1 of 1 outputs"},
    {"PreparedBytes", [](Program &p) { p.prepared[0].bytes = 63; },
     "prepared[0].bytes is 63; the stage's output has 64"},
    {"PreparedTogether",
     [](Program &p) {
       p.prepared[0].bytes = kMaxBytes;
       p.prepared.push_back(p.prepared[0]);
     },
     "prepared[1] and those before it have 562949953421312 bytes; at most "
     "281474976710656"},
    {"PreparedTwice", [](Program &p) { p.prepared.push_back(p.prepared[0]); },
     "prepared[1] is the same output as an earlier one"},
    {"PreparedMissing", [](Program &p) { p.prepared.clear(); },
     "stages[0].outputs[0] is no prepared value"},
    {"LaunchKernel", [](Program &p) { p.stages[1].launches[0].kernel = 5; },
     "stages[1].launches[0].kernel is 5 of 5 kernels"},
    {"LaunchBuffers",
     [](Program &p) { p.stages[1].launches[0].buffers.pop_back(); },
     "stages[1].launches[0] passes 3 buffers; kernels[1] wants 4"},
    {"BufferSpace", [](Program &p) { buffer(p, 0).space = Space(6); },
     "stages[1].launches[0].buffers[0].space is 6; this version of smp knows "
     "0 to 5"},
    {"BufferInput", [](Program &p) { buffer(p, 0).index = 1; },
     "stages[1].launches[0].buffers[0].index is 1 of 1 inputs"},
    {"BufferInputBytes", [](Program &p) { buffer(p, 0).bytes = 33; },
     "stages[1].launches[0].buffers[0].bytes is 33 of 32"},
    {"BufferInputOffset", [](Program &p) { buffer(p, 0).offset = 4; },
     "stages[1].launches[0].buffers[0].offset is 4; only arena and constants "
     "have one"},
    {"BufferVariable",
     [](Program &p) { buffer(p, 0) = {Space::Variable, 7, 0, 4}; },
     "stages[1].launches[0].buffers[0].index is 7 of 5 variables"},
    {"BufferPrepared", [](Program &p) { buffer(p, 1).index = 1; },
     "stages[1].launches[0].buffers[1].index is 1 of 1 prepared values"},
    {"BufferPreparedBytes", [](Program &p) { buffer(p, 1).bytes = 65; },
     "stages[1].launches[0].buffers[1].bytes is 65 of 64"},
    {"BufferPreparedElsewhere", [](Program &p) { p.stages[0].partition = 1; },
     "stages[1].launches[0].buffers[1] is prepared on partition 1, but its "
     "stage is on 0"},
    {"PrepareUsesItself",
     [](Program &p) {
       p.stages[0].launches[0].buffers[0] = {Space::Prepared, 0, 0, 4};
     },
     "stages[0].launches[0].buffers[0] is prepared by stage 0; a prepare "
     "stage may use those before it only"},
    {"BufferConstants", [](Program &p) { buffer(p, 2).offset = 40; },
     "stages[1].launches[0].buffers[2] has 16 bytes at 40 of the constants, "
     "which have 48"},
    {"BufferArena", [](Program &p) { buffer(p, 3).offset = 97; },
     "stages[1].launches[0].buffers[3] has 32 bytes at 97 of the arena, which "
     "has 128"},
    {"BufferArenaOverflow",
     [](Program &p) { buffer(p, 3).offset = UINT64_MAX - 15; },
     "stages[1].launches[0].buffers[3] has 32 bytes at 18446744073709551600 "
     "of the arena, which has 128"},
    {"LaunchTypes",
     [](Program &p) { p.stages[7].launches[0].dtypes.pop_back(); },
     "stages[7].launches[0].dtypes has 2 elements; it must have none or 3"},
    {"LaunchType",
     [](Program &p) { p.stages[7].launches[0].dtypes[1] = DType(13); },
     "stages[7].launches[0].dtypes[1] is 13; this version of smp knows 0 to "
     "12"},
    {"LaunchMakers",
     [](Program &p) { p.stages[7].launches[0].makers = {0, 0}; },
     "stages[7].launches[0].makers has 2 elements; it must have none or 1"},
    {"LaunchMaker", [](Program &p) { p.stages[7].launches[0].makers[0] = 1; },
     "stages[7].launches[0].makers[0] is 1 of 1 ops"},
    {"BufferArenaIndex", [](Program &p) { buffer(p, 3).index = 1; },
     "stages[1].launches[0].buffers[3].index is 1; there is one arena, "
     "and one block of constants"},
};
INSTANTIATE_TEST_SUITE_P(Stage, Damaged, testing::ValuesIn(kStageCases),
                         [](const auto &info) { return info.param.name; });

/// What 'predict.0' makes has so many bytes, wherever it goes.
static void setHiddenBytes(Program &p, uint64_t bytes) {
  const TensorType type{DType::I8, {int64_t(bytes)}};
  p.stages[1].outputs[0] = p.stages[2].inputs[0] = type;
  p.entries[0].edges[1].type = p.entries[0].outputs[1].type = type;
}

static const Case kEntryCases[] = {
    {"Name", [](Program &p) { p.entries[0].name = ""; },
     "entries[0].name is empty"},
    {"Twice", [](Program &p) { p.entries.push_back(p.entries[0]); },
     "entries[2].name is 'predict', which is taken by an earlier one"},
    {"ModeOfEntry", [](Program &p) { p.entries[0].mode = Mode(0); },
     "entries[0].mode is 0; this version of smp knows 1 to 4"},
    {"OutputName", [](Program &p) { p.entries[0].outputs[1].name = "y"; },
     "entries[0].outputs[1].name is 'y', which is taken by an earlier one"},
    {"BatchAxis", [](Program &p) { p.entries[0].inputs[0].batchAxis = 2; },
     "entries[0].inputs[0].batchAxis is 2; -1 to 1"},
    {"JoinOfInput",
     [](Program &p) { p.entries[0].inputs[0].join = Join::Each; },
     "entries[0].inputs[0].join is 1; this version of smp knows 0 to 0"},
    {"JoinOfOutput", [](Program &p) { p.entries[0].outputs[0].join = Join(7); },
     "entries[0].outputs[0].join is 7; this version of smp knows 0 to 6"},
    {"ConcatWithoutAxis",
     [](Program &p) { p.entries[0].outputs[0].batchAxis = -1; },
     "entries[0].outputs[0].batchAxis is -1 beside join 2; rows are joined "
     "along one, nothing else is"},
    {"MixedWithAxis", [](Program &p) { p.entries[0].outputs[1].batchAxis = 1; },
     "entries[0].outputs[1].batchAxis is 1 beside join 6; rows are joined "
     "along one, nothing else is"},
    {"MixedWithoutReason",
     [](Program &p) { p.entries[0].outputs[1].mixing.clear(); },
     "entries[0].outputs[1].mixing is empty; it says what mixes rows"},
    {"ReasonWithoutMixing",
     [](Program &p) { p.entries[0].outputs[0].mixing = "add"; },
     "entries[0].outputs[0].mixing is 'add' where no rows are mixed"},
    {"MeanOfIntegers",
     [](Program &p) {
       EntryTensor &output = p.entries[0].outputs[1];
       output.type.dtype = DType::I32;
       output.join = Join::Mean;
       output.mixing.clear();
     },
     "entries[0].outputs[1].join is 5 of i32[2x4]; it has no sum or no mean"},
    {"StageIndex", [](Program &p) { p.entries[0].stages[1] = 8; },
     "entries[0].stages[1] is 8 of 8 stages"},
    {"StageTwice", [](Program &p) { p.entries[0].stages[1] = 1; },
     "entries[0].stages[1] is 1, as an earlier one is"},
    {"StagePrepare", [](Program &p) { p.entries[0].stages[0] = 0; },
     "entries[0].stages[0] is 0, a prepare stage: those run at load"},
    {"TransferSeconds",
     [](Program &p) { p.entries[0].edges[1].transferSeconds = -1e-9; },
     "entries[0].edges[1].transferSeconds is not a time of 0 or more"},
    {"EdgeDepth", [](Program &p) { p.entries[0].edges[1].depth = 0; },
     "entries[0].edges[1].depth is 0; at least 1"},
    {"EdgeDepthMost", [](Program &p) { p.entries[0].edges[1].depth = 65537; },
     "entries[0].edges[1].depth is 65537; at most 65536"},
    {"PlacesWrap",
     [](Program &p) {
       setHiddenBytes(p, kMaxBytes);
       p.entries[0].edges[1].depth = 65536;
     },
     "entries[0].edges[1] needs 65536 x 281474976710656 bytes on partition 0, "
     "beside 64 of others; at most 281474976710656 in all"},
    {"PlacesOfUnalignedBytes",
     [](Program &p) {
       setHiddenBytes(p, kMaxBytes / 4 - 63);
       p.entries[0].edges[1].depth = 4;
     },
     "entries[0].edges[1] needs 4 x 70368744177664 bytes on partition 0, "
     "beside 64 of others; at most 281474976710656 in all"},
    {"PlacesOfTaker",
     [](Program &p) {
       setHiddenBytes(p, kMaxBytes / 2);
       p.entries[0].edges[1].depth = 1;
       p.stages[2].partition = 0;
     },
     "entries[0].edges[1] needs 1 x 140737488355328 bytes on partition 0, "
     "beside 140737488355392 of others; at most 281474976710656 in all"},
    {"PlacesOfWhatNobodyTakes",
     [](Program &p) {
       p.stages[1].outputs.push_back({DType::I8, {int64_t(kMaxBytes)}});
     },
     "entries[0].stages[0] needs 1 x 281474976710656 bytes on partition 0, "
     "beside 256 of others; at most 281474976710656 in all"},
    {"EdgeNobody", [](Program &p) { p.entries[0].edges[1].to.clear(); },
     "entries[0].edges[1].to is empty; nobody takes the tensor"},
    {"EdgeFrom", [](Program &p) { p.entries[0].edges[1].from.stage = 2; },
     "entries[0].edges[1].from.stage is 2 of 2 stages"},
    {"EdgeNegative", [](Program &p) { p.entries[0].edges[1].from.stage = -2; },
     "entries[0].edges[1].from.stage is -2; -1 is the caller"},
    {"EdgeFromIndex", [](Program &p) { p.entries[0].edges[1].from.index = 1; },
     "entries[0].edges[1].from.index is 1 of 1 outputs"},
    {"EdgeToIndex", [](Program &p) { p.entries[0].edges[1].to[0].index = 1; },
     "entries[0].edges[1].to[0].index is 1 of 1 inputs"},
    {"EdgeCallerIndex",
     [](Program &p) { p.entries[0].edges[0].from.index = 1; },
     "entries[0].edges[0].from.index is 1 of 1 inputs"},
    {"EdgeType", [](Program &p) { p.entries[0].edges[1].type.shape = {4, 2}; },
     "entries[0].edges[1].from is a f32[2x4], its edge a f32[4x2]"},
    {"EdgeOutputType",
     [](Program &p) { p.entries[0].outputs[0].type.dtype = DType::I32; },
     "entries[0].edges[2].to[0] is a i32[2x4], its edge a f32[2x4]"},
    {"EdgeBackwards",
     [](Program &p) {
       std::swap(p.entries[0].stages[0], p.entries[0].stages[1]);
       for (Edge &edge : p.entries[0].edges) {
         if (edge.from.stage >= 0)
           edge.from.stage = 1 - edge.from.stage;
         for (Edge::End &end : edge.to)
           if (end.stage >= 0)
             end.stage = 1 - end.stage;
       }
     },
     "entries[0].edges[1].to[0].stage is 0; an edge from stage 1 must go to a "
     "later one"},
    {"EdgeSourceTwice", [](Program &p) { p.entries[0].edges[2].from = {0, 0}; },
     "entries[0].edges[2].from is that of an earlier edge; one edge lists all "
     "who take a tensor"},
    {"EdgeTargetTwice",
     [](Program &p) { p.entries[0].edges[1].to[1] = {1, 0}; },
     "entries[0].edges[1].to[1] is fed by another edge already"},
    {"InputUnfed",
     [](Program &p) { p.entries[0].edges.erase(p.entries[0].edges.begin()); },
     "entries[0] has no edge to input 0 of stage 0, 'predict.0'"},
    {"OutputUnfed", [](Program &p) { p.entries[0].edges[1].to.pop_back(); },
     "entries[0].outputs[1] ('hidden') has no edge"},
};
INSTANTIATE_TEST_SUITE_P(Entry, Damaged, testing::ValuesIn(kEntryCases),
                         [](const auto &info) { return info.param.name; });

static Graph &graph(Program &p) { return p.entries[0].graph; }

static const Case kGraphCases[] = {
    {"Value", [](Program &p) { graph(p).values[1].type.dtype = DType(99); },
     "entries[0].graph.values[1].type.dtype is 99; this version of smp knows "
     "0 to 12"},
    {"Inputs", [](Program &p) { graph(p).inputs.clear(); },
     "entries[0].graph.inputs are 0, those of the entry 1"},
    {"InputIndex", [](Program &p) { graph(p).inputs[0] = 4; },
     "entries[0].graph.inputs[0] is 4 of 4 values"},
    {"OutputTypes", [](Program &p) { graph(p).outputs[0] = 1; },
     "entries[0].graph.outputs[0] is a f32[4x4], that of the entry a "
     "f32[2x4]"},
    {"Operand", [](Program &p) { graph(p).ops[1].operands[0] = 9; },
     "entries[0].graph.ops[1].operands[0] is 9 of 4 values"},
    {"UseBeforeMake", [](Program &p) { graph(p).ops[1].operands[0] = 3; },
     "entries[0].graph.ops[1].operands[0] is value 3, which is not made "
     "before"},
    {"MadeTwice", [](Program &p) { graph(p).ops[1].results[0] = 1; },
     "entries[0].graph.ops[1].results[0] is value 1, which is made before"},
    {"Mnemonic", [](Program &p) { graph(p).ops[1].mnemonic = ""; },
     "entries[0].graph.ops[1].mnemonic is empty"},
    {"PlacementPartition",
     [](Program &p) { graph(p).ops[1].placement.partition = 2; },
     "entries[0].graph.ops[1].partition is 2 of 2 partitions"},
    {"PlacementNegative",
     [](Program &p) { graph(p).ops[1].placement.partition = -2; },
     "entries[0].graph.ops[1].partition is -2; -1 is every device"},
    {"PlacementOrigin",
     [](Program &p) { graph(p).ops[1].placement.origin = Origin(3); },
     "entries[0].graph.ops[1].origin is 3; this version of smp knows 0 to 2"},
    {"TensorBytes",
     [](Program &p) {
       std::get<HostTensor>(graph(p).ops[1].attributes["table"])
           .bytes.pop_back();
     },
     "entries[0].graph.ops[1].attributes 'table' has 11 bytes; a i32[3] has "
     "12"},
    {"SplatBytes",
     [](Program &p) {
       std::get<Splat>(graph(p).ops[1].attributes["mask"]).element.resize(32);
     },
     "entries[0].graph.ops[1].attributes 'mask' has 32 bytes; an element of a "
     "f32[2x4] has 4"},
    {"SplatType",
     [](Program &p) {
       std::get<Splat>(graph(p).ops[1].attributes["mask"]).type.shape = {-1};
     },
     "entries[0].graph.ops[1].attributes.splat.shape is -1; sizes must be 0 or "
     "more and the bytes at most 281474976710656"},
    {"ReadNothing", [](Program &p) { graph(p).ops[0].attributes.clear(); },
     "entries[0].graph.ops[0] is a 'read' without the attribute 'variable'"},
    {"ReadUnknown",
     [](Program &p) {
       graph(p).ops[0].attributes["variable"] = std::string("q");
     },
     "entries[0].graph.ops[0] is a 'read' of 'q', which is no variable"},
};
INSTANTIATE_TEST_SUITE_P(Graph, Damaged, testing::ValuesIn(kGraphCases),
                         [](const auto &info) { return info.param.name; });

/// The buffers of train.0.backward's only launch: what it reads, what it adds
/// to, what it writes.
static BufferRef &trainingBuffer(Program &p, size_t index) {
  return p.stages[6].launches[0].buffers[index];
}

static const Case kWrittenCases[] = {
    {"Outputs", [](Program &p) { p.kernels[3].numOutputs = 4; },
     "kernels[3].numOutputs is 4; at most 3"},
    {"Input", [](Program &p) { trainingBuffer(p, 2) = trainingBuffer(p, 0); },
     "stages[6].launches[0].buffers[2] is written, but an input; others may "
     "read it too"},
    {"Constants",
     [](Program &p) { trainingBuffer(p, 2) = {Space::Constant, 0, 16, 16}; },
     "stages[6].launches[0].buffers[2] is written, but constant"},
    {"Prepared",
     [](Program &p) { trainingBuffer(p, 2) = {Space::Prepared, 0, 0, 64}; },
     "stages[6].launches[0].buffers[2] is written, but a prepared value; only "
     "prepare stages make those"},
    {"PreparedBefore",
     [](Program &p) {
       Stage again = p.stages[0];
       again.launches[0].buffers[1] = {Space::Prepared, 0, 0, 64};
       p.prepared.push_back(p.prepared[0]);
       p.prepared.back().stage = uint32_t(p.stages.size());
       p.stages.push_back(again);
       p.kernels[0].numOutputs = 1;
     },
     "stages[8].launches[0].buffers[1] is written, but what an earlier stage "
     "prepared; others may read it too"},
    {"ConstantVariable",
     [](Program &p) { p.variables[4].kind = VariableKind::Constant; },
     "stages[6].launches[0].buffers[2] is written, but 'w.sum' is a variable "
     "of kind constant"},
    {"EarlierOutput", [](Program &p) { p.kernels[3].numOutputs = 3; },
     "stages[6].launches[0].buffers[0] is written, but an input; others may "
     "read it too"},
    {"VariableOfPrepare", [](Program &p) { p.kernels[0].numOutputs = 2; },
     "stages[0].launches[0].buffers[0] is written, but a prepare stage may "
     "only read variables"},
};
INSTANTIATE_TEST_SUITE_P(Written, Damaged, testing::ValuesIn(kWrittenCases),
                         [](const auto &info) { return info.param.name; });

static Entry &training(Program &p) { return p.entries[1]; }

static const Case kTrainingCases[] = {
    {"Source",
     [](Program &p) { training(p).inputs[1].source = TensorSource(2); },
     "entries[1].inputs[1].source is 2; this version of smp knows 0 to 1"},
    {"SourceType",
     [](Program &p) {
       training(p).inputs[0].source = TensorSource::Microbatch;
     },
     "entries[1].inputs[0] is the number of a microbatch, but a f32[2x4] with "
     "batch axis 0; it must be a i64[1] with batch axis 0"},
    {"SourceAxis", [](Program &p) { training(p).inputs[1].batchAxis = -1; },
     "entries[1].inputs[1] is the number of a microbatch, but a i64[1] with "
     "batch axis -1; it must be a i64[1] with batch axis 0"},
    {"SourceOfOutput",
     [](Program &p) {
       training(p).outputs[1].type = {DType::I64, {1}};
       training(p).outputs[1].batchAxis = 0;
       training(p).outputs[1].join = Join::Each;
       training(p).outputs[1].source = TensorSource::Microbatch;
     },
     "entries[1].outputs[1].source is 1; only inputs come from the runtime"},
    {"Microbatches", [](Program &p) { training(p).microbatches = UINT32_MAX; },
     "entries[1].microbatches is 4294967295; at most 1048576"},
    {"NoMicrobatches", [](Program &p) { training(p).microbatches = 0; },
     "entries[1].microbatches is 0, but there is a schedule; one is for a "
     "fixed number"},
    {"NameAlone", [](Program &p) { p.entries[0].schedule = "simple"; },
     "entries[0].microbatches is 0, but there is a schedule; one is for a "
     "fixed number"},
    {"NoSchedule",
     [](Program &p) {
       training(p).microbatches = 0;
       training(p).schedule.clear();
       training(p).actions.clear();
     },
     "entries[1].microbatches is 0, but stage 2, 'train.1.backward', is not a "
     "forward one; give the number and a schedule"},
    {"LagsOfASchedule", [](Program &p) { training(p).lags = {0, 0, 0, 0, 0}; },
     "entries[1].lags is not empty beside 2 microbatches; a schedule has no "
     "lags"},
    {"LagsOfFewStages", [](Program &p) { p.entries[0].lags = {0}; },
     "entries[0].lags has 1 numbers for 2 stages"},
    {"LagThatFalls", [](Program &p) { p.entries[0].lags = {1, 0}; },
     "entries[0] cannot be run: stage 0 has lag 1; it can have 0 at most"},
    {"LagThatIsTooMuch",
     [](Program &p) { p.entries[0].lags = {0, UINT32_MAX}; },
     "entries[0] cannot be run: stage 1 has lag 4294967295; it can have 2 at "
     "most"},
    {"LagBeyondTheDepth",
     [](Program &p) {
       p.entries[0].lags = {0, 2};
       p.entries[0].edges[1].depth = 1;
     },
     "entries[0] cannot be run: channel 0 has depth 1; between stages of lags "
     "0 and 2 it needs 3 at least"},
    {"NoActions", [](Program &p) { training(p).actions.clear(); },
     "entries[1].actions cannot be run: the schedule is for 0 partitions, the "
     "pipeline has 2"},
    {"ActionMissing", [](Program &p) { training(p).actions[0].pop_back(); },
     "entries[1].actions cannot be run: partition 0 does not run stage 4, "
     "microbatch 0"},
    {"ActionKind",
     [](Program &p) { training(p).actions[1][0].kind = ActionKind(3); },
     "entries[1].actions cannot be run: partition 1, action 0 (run stage 0, "
     "microbatch 0): unknown kind 3"},
    {"Deadlock", [](Program &p) { training(p).edges[2].depth = 1; },
     "entries[1].actions cannot be run: deadlock: partition 0, action 3 (run "
     "stage 0, microbatch 1) waits for one of 1 places of channel 1 from "
     "stage 3 on partition 0"},
    {"UpdateOutput",
     [](Program &p) {
       training(p).outputs[1].batchAxis = 0;
       training(p).outputs[1].join = Join::Each;
     },
     "entries[1].edges[5].to[0] connects 'norm', which has batch axis 0, and "
     "'train.0.update', an update stage, which runs once per step"},
    {"UpdateInput",
     [](Program &p) {
       p.stages[7].inputs = {p.stages[3].inputs[1]};
       training(p).edges[1].to.push_back({4, 0});
     },
     "entries[1].edges[1].to[1] connects 'number', which has batch axis 0, "
     "and 'train.0.update', an update stage, which runs once per step"},
};
INSTANTIATE_TEST_SUITE_P(Training, Damaged, testing::ValuesIn(kTrainingCases),
                         [](const auto &info) { return info.param.name; });
