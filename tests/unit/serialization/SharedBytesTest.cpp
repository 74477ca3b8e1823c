// SPDX-License-Identifier: Apache-2.0
// Tables that name the same bytes many times must cost neither memory nor time.
#include "ProgramHeader.h"
#include "Program_generated.h"
#include "SampleProgram.h"
#include "smp/model/KernelAbi.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Version.h"
#include <gtest/gtest.h>

using namespace smp;
using flatbuffers::Offset;

namespace {
/// Finishes a program around the lists that a test makes itself.
struct TableBuilder {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<Offset<fbs::Variable>> variables;
  std::vector<Offset<fbs::Stage>> stages;
  std::vector<Offset<fbs::Entry>> entries;

  template <typename T>
  Offset<flatbuffers::Vector<Offset<T>>> none() {
    return builder.CreateVector(std::vector<Offset<T>>());
  }

  /// An entry of nothing but the actions of one partition.
  void addEntry(size_t kinds, size_t indices, size_t microbatches) {
    auto actions = fbs::CreateActionList(
        builder, builder.CreateVector(std::vector<uint8_t>(kinds)),
        builder.CreateVector(std::vector<uint32_t>(indices)),
        builder.CreateVector(std::vector<uint32_t>(microbatches)));
    auto numbers = builder.CreateVector(std::vector<uint32_t>());
    auto graph = fbs::CreateGraph(builder, none<fbs::GraphValue>(),
                                  none<fbs::GraphOp>(), numbers, numbers);
    auto lists = builder.CreateVector(std::vector(1, actions));
    entries.push_back(fbs::CreateEntry(
        builder, builder.CreateString("train"), 1, none<fbs::EntryTensor>(),
        none<fbs::EntryTensor>(), numbers, none<fbs::Edge>(), graph, 1,
        builder.CreateString("table"), lists));
  }

  Status read() {
    auto empty = builder.CreateString("");
    auto section = fbs::CreateSection(builder);
    auto variableList = builder.CreateVector(variables);
    auto stageList = builder.CreateVector(stages);
    auto entryList = builder.CreateVector(entries);
    fbs::FinishProgramBuffer(
        builder,
        fbs::CreateProgram(
            builder, empty, none<fbs::Feature>(), SMP_KERNEL_ABI_VERSION, 1,
            variableList, none<fbs::Kernel>(), stageList, none<fbs::Prepared>(),
            entryList, none<fbs::Section>(), section, section, empty));
    std::span<const std::byte> table =
        std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    auto header = encodeHeader({kContainerVersion, kProgramVersion,
                                kHeaderBytes + table.size(), table.size(),
                                crc32c(table)});
    std::vector<std::byte> file(header.begin(), header.end());
    file.insert(file.end(), table.begin(), table.end());
    return readProgram(AlignedBytes(file)).status();
  }
};
} // namespace

TEST(SharedBytes, ManyVariablesOfOneLongName) {
  TableBuilder table;
  auto name = table.builder.CreateString(std::string(1 << 20, 'x'));
  auto type = fbs::CreateTensorType(table.builder);
  auto initializer = fbs::CreateInitializer(table.builder, 1);
  for (int i = 0; i < 10000; ++i)
    table.variables.push_back(
        fbs::CreateVariable(table.builder, name, type, 0, initializer));
  EXPECT_EQ(table.read().message(),
            "the program's table names the same bytes twice");
}

TEST(SharedBytes, OneStageManyTimesWithOneLaunchManyTimes) {
  TableBuilder table;
  flatbuffers::FlatBufferBuilder &builder = table.builder;
  auto name = builder.CreateString("s");
  auto buffers = builder.CreateVector(std::vector<Offset<fbs::BufferRef>>(
      20000, fbs::CreateBufferRef(builder)));
  auto names = builder.CreateVector(std::vector<Offset<fbs::OpName>>());
  auto launches = builder.CreateVector(std::vector<Offset<fbs::Launch>>(
      20000, fbs::CreateLaunch(builder, 0, buffers, names)));
  auto types = builder.CreateVector(std::vector<Offset<fbs::TensorType>>());
  table.stages.assign(20000, fbs::CreateStage(builder, name, 0, 0, types, types,
                                              0, launches, 0));
  EXPECT_EQ(table.read().message(), "the program's table is malformed");
}

TEST(ActionLists, HaveAsManyOfEach) {
  TableBuilder table;
  table.addEntry(2, 3, 2);
  EXPECT_EQ(table.read().message(),
            "a list of actions has 2 kinds, 3 indices and 2 microbatches; they "
            "must be as many");
  TableBuilder other;
  other.addEntry(1, 1, 0);
  EXPECT_EQ(other.read().message(),
            "a list of actions has 1 kinds, 1 indices and 0 microbatches; they "
            "must be as many");
}

TEST(ActionLists, AreProvedWhenTheyHave) {
  TableBuilder table;
  table.addEntry(1, 1, 1);
  EXPECT_EQ(table.read().message(),
            "entries[0].actions cannot be run: partition 0, action 0 (run "
            "stage 0, microbatch 0): there are 0 stages");
}
