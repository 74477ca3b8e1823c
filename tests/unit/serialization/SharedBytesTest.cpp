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

  template <typename T>
  Offset<flatbuffers::Vector<Offset<T>>> none() {
    return builder.CreateVector(std::vector<Offset<T>>());
  }

  Status read() {
    auto empty = builder.CreateString("");
    auto section = fbs::CreateSection(builder);
    auto variableList = builder.CreateVector(variables);
    auto stageList = builder.CreateVector(stages);
    fbs::FinishProgramBuffer(
        builder,
        fbs::CreateProgram(
            builder, empty, none<fbs::Feature>(), SMP_KERNEL_ABI_VERSION, 1,
            variableList, none<fbs::Kernel>(), stageList, none<fbs::Prepared>(),
            none<fbs::Entry>(), none<fbs::Section>(), section, section, empty));
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
