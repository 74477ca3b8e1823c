// SPDX-License-Identifier: Apache-2.0
// Programs, devices, ranks and wanted outputs at random: devices have what is
// planned, and outputs are what they should be.
#include "RandomProgram.h"
#include "RankThreads.h"
#include "Seed.h"
#include "smp/serialization/PartitionLayout.h"
#include <algorithm>

using namespace smp;
using namespace smp::test;

namespace {

/// Devices by partition, and what each rank wants.
struct Setting {
  std::vector<std::string> drivers;
  std::vector<uint32_t> ranks; ///< By partition; all 0 where there is one.
  std::vector<std::vector<std::string>> wanted; ///< By rank; empty: all.
  std::vector<uint32_t> microbatches;           ///< By step.

  Setting(RandomProgram &made, uint32_t numRanks) : wanted(numRanks) {
    for (uint32_t p = 0; p < made.partitions; ++p) {
      drivers.push_back(made.below(2) ? "cpu" : "null");
      ranks.push_back(made.below(numRanks));
    }
    for (auto &names : wanted)
      for (const EntryTensor &output : made.maker.program.entries[0].outputs)
        if (made.below(2))
          names.push_back(output.name);
    for (int step = 0; step < 4; ++step)
      microbatches.push_back(1 + made.below(5));
  }
};

class OneRank {
public:
  OneRank(const RandomProgram &made, std::shared_ptr<RunnableProgram> runnable,
          const Setting &setting, Communicator *communicator)
      : made(made), runnable(std::move(runnable)), setting(setting),
        communicator(communicator),
        rank(communicator ? communicator->rank() : 0) {}

  void check() {
    SessionOptions options;
    options.communicator = communicator;
    options.deadlineSeconds = 30;
    options.wantedOutputs = setting.wanted[rank];
    options.seed = 1;
    options.log = [](LogLevel, std::string_view) {};
    for (size_t p = 0; p < setting.drivers.size(); ++p)
      options.devices +=
          (p ? "," : "") +
          (communicator ? std::to_string(setting.ranks[p]) + "/" : "") +
          setting.drivers[p] + ":" + std::to_string(p) +
          (setting.drivers[p] == "cpu" ? "=0" : "");
    SCOPED_TRACE(options.devices + ", rank " + std::to_string(rank));
    auto session = openSession(runnable, options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    checkMemory(**session);
    for (size_t step = 0; step < setting.microbatches.size(); ++step)
      checkStep(**session, step % made.entries.size(),
                setting.microbatches[step]);
  }

private:
  bool wants(const std::string &name) const {
    const auto &names = setting.wanted[rank];
    return names.empty() || std::count(names.begin(), names.end(), name);
  }

  void checkMemory(SessionCore &session) const {
    const Program &program = runnable->program();
    MemoryTraits traits;
    for (uint32_t p = 0; p < made.partitions; ++p) {
      const bool isHere = setting.ranks[p] == rank;
      const bool isHost = setting.drivers[p] == "cpu";
      traits.importsHost.push_back(isHere && isHost);
      traits.spaces.push_back(isHere ? made.partitions + isHost : p);
    }
    traits.wants = [&](uint32_t entry, uint32_t output) {
      return wants(program.entries[entry].outputs[output].name);
    };
    const ProgramLayout layout = layOut(program, traits);
    for (const DeviceMemory &device : session.memory()) {
      const auto memory = layout.partitions[device.partition].memory();
      EXPECT_EQ(device.currentBytes, memory.allocated() + memory.scratch);
      EXPECT_EQ(device.importedBytes, memory.imported);
    }
  }

  void checkStep(SessionCore &session, size_t number, uint32_t microbatches) {
    const Entry &entry = runnable->program().entries[number];
    std::vector<int64_t> shape = kTensor.shape;
    shape[size_t(made.batchAxis)] *= microbatches;
    std::vector<TestTensor> tensors;
    for (size_t i = 0; i < entry.inputs.size(); ++i)
      tensors.emplace_back(shape, float(100 * i));
    std::vector<InputTensor> inputs;
    for (size_t i = 0; i < tensors.size(); ++i)
      inputs.push_back(tensors[i].as(entry.inputs[i].name));
    auto result = session.step(entry.name, inputs, {microbatches, {}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    for (size_t i = 0; i < entry.outputs.size(); ++i) {
      const OutputTensor *found = result->find(entry.outputs[i].name);
      ASSERT_EQ(found != nullptr, wants(entry.outputs[i].name));
      if (found)
        EXPECT_EQ(floatsOf(found), expected(number, i, tensors));
    }
  }

  std::vector<float> expected(size_t number, size_t output,
                              const std::vector<TestTensor> &inputs) const {
    const RandomEntry &entry = made.entries[number];
    std::vector<float> values, element(inputs.size());
    for (size_t i = 0; i < inputs[0].values.size(); ++i) {
      for (size_t k = 0; k < inputs.size(); ++k)
        element[k] = inputs[k].values[i];
      values.push_back(entry.valueOf(entry.outputs[output], element));
    }
    return values;
  }

  const RandomProgram &made;
  std::shared_ptr<RunnableProgram> runnable;
  const Setting &setting;
  Communicator *communicator; // Null: one rank.
  const uint32_t rank;
};

TEST(RandomSessions, TakeThePlannedMemoryAndGiveTheRightValues) {
  const uint32_t first = chooseSeed();
  for (uint32_t seed = first; seed < first + 30; ++seed) {
    const std::string trace = "SMP_TEST_SEED=" + std::to_string(seed);
    SCOPED_TRACE(trace);
    RandomProgram made(seed);
    auto runnable = made.maker.finish();
    ASSERT_TRUE(runnable.ok()) << runnable.status().message();
    const Setting alone(made, 1), together(made, 2 + made.below(2));
    OneRank(made, *runnable, alone, nullptr).check();
    onThreads(uint32_t(together.wanted.size()), [&](Communicator &rank) {
      SCOPED_TRACE(trace);
      OneRank(made, *runnable, together, &rank).check();
    });
    if (HasFailure())
      return;
  }
}

} // namespace
