// SPDX-License-Identifier: Apache-2.0
// What is said of each plan that can be taken, against its program: the step's
// time and memory, the pipeline, and how many devices have work. One of four
// plans; SMP_TEST_LONG=1 takes all.
#include "CharModel.h"
#include "TemporaryFolder.h"
#include "smp/compile/CompileModel.h"
#include "smp/serialization/PartitionLayout.h"
#include "smp/serialization/Program.h"
#include "smp/serialization/ProgramFile.h"
#include <gtest/gtest.h>
#include <regex>
#include <set>

using namespace smp;

namespace {

constexpr double kBound = 0.02;

/// A row of the list.
struct Said {
  uint32_t devices = 0;
  std::string pipeline;
  uint32_t active = 0;
  double milliseconds = 0, mebibytes = 0;
  bool isTaken = false;
};

std::vector<Said> rowsOf(const std::string &plan) {
  const std::regex row(
      " *(\\d+) +\\d+ +(\\S+) +(\\d+) +([\\d.]+) ms +[\\d.]+ % "
      "+([\\d.]+) (KiB|MiB) +\\d+  (.*)");
  std::vector<Said> rows;
  std::istringstream lines(plan);
  for (std::string line; std::getline(lines, line);)
    if (std::smatch cells; std::regex_match(line, cells, row))
      rows.push_back({uint32_t(std::stoul(cells[1])), cells[2],
                      uint32_t(std::stoul(cells[3])), std::stod(cells[4]),
                      std::stod(cells[5]) / (cells[6] == "KiB" ? 1024 : 1),
                      cells[7] == "taken"});
  return rows;
}

/// The plan of this number, and the list.
std::vector<Said> compileTo(int64_t number, LoadedProgram &program) {
  char_lm::Shape shape;
  shape.characters = 65;
  shape.layers = 2;
  shape.width = 32;
  shape.batch = 2;
  shape.microbatches = 6;
  auto model = char_lm::buildModel(shape);
  EXPECT_TRUE(model.ok()) << model.status().message();
  std::string plan;
  compile::ModelOptions options;
  options.levels = {"v3"};
  options.plansAll = true;
  options.plan = &plan;
  options.placement.emplace().partitions = 2;
  options.placement->planNumber = number;
  auto compiled = compile::compileModel(model.take(), options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  if (!compiled.ok())
    return {};
  const TemporaryFolder folder;
  EXPECT_TRUE(compiled->write(folder.file("p.smp")).ok());
  auto loaded = openProgram(folder.file("p.smp"));
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  program = loaded.take();
  return rowsOf(plan);
}

void expectProgram(const Said &said, const Program &program) {
  const auto train =
      std::find_if(program.entries.begin(), program.entries.end(),
                   [](const Entry &entry) { return entry.name == "train"; });
  ASSERT_NE(train, program.entries.end());
  EXPECT_EQ(train->schedule, said.pipeline);
  const double milliseconds =
      1e3 * predictTimeline(program, *train, train->microbatches).makespan;
  // Other entries count a little, and three digits are shown.
  EXPECT_NEAR(said.milliseconds, milliseconds, kBound * milliseconds + 1e-3);
  double most = 0;
  for (const PartitionMemory &memory : memoryOf(program))
    most = std::max(most, double(memory.total()) / (1 << 20));
  EXPECT_NEAR(said.mebibytes, most, kBound * most + 0.06);
  std::set<uint32_t> devices;
  for (const Stage &stage : program.stages)
    devices.insert(stage.partition);
  EXPECT_EQ(said.devices, devices.size());
}

TEST(JointPlans, AreWhatTheirProgramsAre) {
  LoadedProgram program;
  const std::vector<Said> all = compileTo(1, program);
  ASSERT_GE(all.size(), 12u);
  std::set<double> times;
  std::set<std::string> pipelines;
  for (const Said &row : all) {
    times.insert(row.milliseconds);
    pipelines.insert(row.pipeline);
  }
  // Each is compiled.
  const size_t each = std::getenv("SMP_TEST_LONG") ? 1 : 4;
  for (size_t number = 1; number <= all.size() && !HasFailure();
       number += each) {
    SCOPED_TRACE("plan " + std::to_string(number));
    const std::vector<Said> rows = compileTo(int64_t(number), program);
    ASSERT_EQ(rows.size(), all.size());
    EXPECT_TRUE(rows[number - 1].isTaken);
    EXPECT_GE(rows[number - 1].milliseconds, rows.front().milliseconds);
    expectProgram(rows[number - 1], program.program());
  }
  EXPECT_GE(times.size(), 5u);
  EXPECT_EQ(pipelines, (std::set<std::string>{"interleaved", "simple", "zb-h1",
                                              "zb-h2", "zb-v"}));
}

} // namespace
