// SPDX-License-Identifier: Apache-2.0
// What is said of each plan that can be taken, against its program: the step's
// time and memory, the pipeline, how many devices have work, and the rows of a
// microbatch. One of several plans; SMP_TEST_LONG=1 takes all.
#include "CharModel.h"
#include "smp/compile/CompileModel.h"
#include "smp/import/GraphBuilder.h"
#include "smp/import/Layers.h"
#include "smp/serialization/PartitionLayout.h"
#include "smp/serialization/Program.h"
#include "smp/serialization/ProgramFile.h"
#include <gtest/gtest.h>
#include <regex>
#include <set>

using namespace smp;

namespace {

constexpr double kBound = 0.02;
constexpr int64_t kRowsOfStep = 12;

/// A row of the list.
struct Said {
  int64_t rows = 0; ///< Of a microbatch; 0: sizes are not chosen from.
  uint32_t devices = 0;
  std::string pipeline;
  double milliseconds = 0, mebibytes = 0;
  bool isTaken = false;
};

std::vector<Said> rowsOf(const std::string &plan) {
  const std::regex row(
      " *(?:(\\d+) +)?(\\d+) +\\d+ +(\\S+) +(\\d+|-) +([-+.e\\d]+) ms "
      "+[\\d.]+ % +([\\d.]+) (KiB|MiB) +\\d+  (.*)");
  std::vector<Said> rows;
  std::istringstream lines(plan);
  for (std::string line; std::getline(lines, line);)
    if (std::smatch cells; std::regex_match(line, cells, row))
      rows.push_back({cells[1].matched ? std::stol(cells[1]) : 0,
                      uint32_t(std::stoul(cells[2])), cells[3],
                      std::stod(cells[5]),
                      std::stod(cells[6]) / (cells[7] == "KiB" ? 1024 : 1),
                      cells[8] == "taken"});
  return rows;
}

/// A program, and the list that it is of.
struct Planned {
  std::vector<std::byte> bytes;
  LoadedProgram program;
  std::vector<Said> rows;
  bool isComplete = false;
};

/// Compiles by `compile`, to the plan of this number.
Planned planned(int64_t number,
                const std::function<StatusOr<compile::CompiledModel>(
                    const compile::ModelOptions &)> &compile) {
  Planned result;
  std::string plan;
  compile::ModelOptions options;
  options.levels = {"v3"};
  options.plansAll = true;
  options.plan = &plan;
  options.placement.emplace().partitions = 2;
  options.placement->planNumber = number;
  auto compiled = compile(options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  if (!compiled.ok())
    return result;
  result.bytes.assign(compiled->bytes().begin(), compiled->bytes().end());
  auto loaded = readProgram(result.bytes);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  if (!loaded.ok())
    return result;
  result.program = loaded.take();
  result.rows = rowsOf(plan);
  result.isComplete = true;
  return result;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

StatusOr<Model> buildCharModel(int64_t rows) {
  char_lm::Shape shape;
  shape.characters = 65;
  shape.layers = 2;
  shape.width = 32;
  shape.batch = rows;
  shape.microbatches = kRowsOfStep / rows;
  return char_lm::buildModel(shape);
}

/// Three layers, which are not trained.
StatusOr<Model> buildLayers(int64_t rows) {
  GraphBuilder g;
  Tensor x = g.input("x", {DType::F32, {rows, 128}}, /*batchAxis=*/0);
  for (const char *name : {"first", "second", "third"})
    x = g.relu(layers::linear(g, x, 128, name));
  g.output("y", x, 0);
  return std::move(g).finish();
}

Planned planOf(const compile::ModelOfRows &build, int64_t rows,
               int64_t number) {
  return planned(number, [&](const compile::ModelOptions &options) {
    return compile::compileModel(build(rows).take(), options);
  });
}

Planned planOfSizes(const compile::ModelOfRows &build,
                    std::span<const int64_t> sizes, int64_t number) {
  return planned(number, [&](const compile::ModelOptions &options) {
    return compile::compileModel(build, sizes, options);
  });
}

//===----------------------------------------------------------------------===//
// What is said against what is there
//===----------------------------------------------------------------------===//

const Entry &entryOf(const Program &program, std::string_view name) {
  return *std::find_if(program.entries.begin(), program.entries.end(),
                       [&](const Entry &entry) { return entry.name == name; });
}

void expectPartitions(const Said &said, const Program &program) {
  double most = 0;
  for (const PartitionMemory &memory : memoryOf(program))
    most = std::max(most, double(memory.total()) / (1 << 20));
  EXPECT_NEAR(said.mebibytes, most, kBound * most + 0.06);
  std::set<uint32_t> devices;
  for (const Stage &stage : program.stages)
    devices.insert(stage.partition);
  EXPECT_EQ(said.devices, devices.size());
}

void expectTraining(const Said &said, const Program &program) {
  const Entry &train = entryOf(program, "train");
  EXPECT_EQ(train.schedule, said.pipeline);
  if (said.rows > 0) {
    EXPECT_EQ(train.inputs.front().type.shape.front(), said.rows);
    EXPECT_EQ(int64_t(train.microbatches) * said.rows, kRowsOfStep);
  }
  const double milliseconds =
      1e3 * predictTimeline(program, train, train.microbatches).makespan;
  // Other entries count a little, and three digits are shown.
  EXPECT_NEAR(said.milliseconds, milliseconds, kBound * milliseconds + 1e-3);
  expectPartitions(said, program);
}

/// Time is that of a row once all devices have work.
void expectInference(const Said &said, const Program &program) {
  const Entry &predict = entryOf(program, "predict");
  EXPECT_EQ(predict.inputs.front().type.shape.front(), said.rows);
  EXPECT_EQ(predict.microbatches, 0u);
  constexpr uint32_t kMany = 64;
  const double begun = predictTimeline(program, predict, kMany).makespan,
               twice = predictTimeline(program, predict, 2 * kMany).makespan;
  const double milliseconds = 1e3 * (twice - begun) / double(kMany * said.rows);
  EXPECT_NEAR(said.milliseconds, milliseconds, kBound * milliseconds);
  expectPartitions(said, program);
}

TEST(JointPlans, AreWhatTheirProgramsAre) {
  const Planned first = planOf(buildCharModel, 2, 1);
  ASSERT_GE(first.rows.size(), 12u);
  std::set<double> times;
  std::set<std::string> pipelines;
  for (const Said &row : first.rows) {
    times.insert(row.milliseconds);
    pipelines.insert(row.pipeline);
  }
  // Each is compiled.
  const size_t each = std::getenv("SMP_TEST_LONG") ? 1 : 4;
  for (size_t number = 1; number <= first.rows.size() && !HasFailure();
       number += each) {
    SCOPED_TRACE("plan " + std::to_string(number));
    const Planned plan = planOf(buildCharModel, 2, int64_t(number));
    ASSERT_EQ(plan.rows.size(), first.rows.size());
    EXPECT_TRUE(plan.rows[number - 1].isTaken);
    EXPECT_GE(plan.rows[number - 1].milliseconds,
              plan.rows.front().milliseconds);
    expectTraining(plan.rows[number - 1], plan.program.program());
  }
  EXPECT_GE(times.size(), 5u);
  EXPECT_EQ(pipelines, (std::set<std::string>{"interleaved", "simple", "zb-h1",
                                              "zb-h2", "zb-v"}));
}

/// The number of a size's first plan; 0: there is none.
size_t firstOf(const std::vector<Said> &rows, int64_t size) {
  auto found = std::find_if(rows.begin(), rows.end(),
                            [&](const Said &row) { return row.rows == size; });
  return found == rows.end() ? 0 : size_t(found - rows.begin()) + 1;
}

/// Takes the best plan of each size, and every `each`th.
void expectSizes(const compile::ModelOfRows &build,
                 std::span<const int64_t> sizes, size_t each,
                 void (*expectProgram)(const Said &, const Program &)) {
  const Planned first = planOfSizes(build, sizes, 1);
  ASSERT_TRUE(first.isComplete);
  std::set<size_t> numbers;
  for (size_t number = 1; number <= first.rows.size(); number += each)
    numbers.insert(number);
  for (int64_t size : sizes) {
    ASSERT_GT(firstOf(first.rows, size), 0u) << size;
    numbers.insert(firstOf(first.rows, size));
  }
  for (size_t number : numbers) {
    SCOPED_TRACE("plan " + std::to_string(number));
    const Planned plan = planOfSizes(build, sizes, int64_t(number));
    ASSERT_EQ(plan.rows.size(), first.rows.size());
    const Said &said = plan.rows[number - 1];
    EXPECT_TRUE(said.isTaken);
    EXPECT_GE(said.milliseconds, plan.rows.front().milliseconds);
    expectProgram(said, plan.program.program());
    // It is what a model of that size alone has as its best.
    if (number == firstOf(first.rows, said.rows)) {
      const Planned alone = planOf(build, said.rows, 1);
      EXPECT_TRUE(alone.isComplete);
      EXPECT_EQ(plan.bytes, alone.bytes);
    }
  }
}

TEST(JointPlans, OfSizesAreWhatTheirProgramsAre) {
  const std::vector<int64_t> sizes = {4, 12, 2};
  expectSizes(buildCharModel, sizes, std::getenv("SMP_TEST_LONG") ? 1 : 40,
              expectTraining);
}

TEST(JointPlans, OfSizesThatAreNotTrainedAreRankedByRows) {
  const std::vector<int64_t> sizes = {1, 8, 64};
  expectSizes(buildLayers, sizes, 1, expectInference);
}

TEST(JointPlans, OfSizesAreOfOneModel) {
  auto errorOf = [](const compile::ModelOfRows &build,
                    std::vector<int64_t> sizes, bool plansAll = true) {
    compile::ModelOptions options;
    options.plansAll = plansAll;
    return compile::compileModel(build, sizes, options).status().message();
  };
  EXPECT_EQ(errorOf(buildLayers, {1, 2}, /*plansAll=*/false),
            "a model for several sizes of its microbatches needs "
            "ModelOptions::plansAll, which chooses among them");
  EXPECT_EQ(errorOf(buildLayers, {}),
            "there is no size of microbatches to choose; give one at least");
  EXPECT_EQ(errorOf(buildLayers, {2, 0}),
            "a size of microbatches is 0; each has 1 row at least");
  EXPECT_EQ(errorOf(buildLayers, {2, 4, 2}),
            "the size 2 of microbatches is given twice");
  // What the function says, and of which size.
  EXPECT_EQ(errorOf(
                [](int64_t rows) -> StatusOr<Model> {
                  return rows < 3 ? buildLayers(rows)
                                  : invalidArgument("too many");
                },
                {2, 3}),
            "microbatches of 3: too many");
  EXPECT_EQ(
      errorOf([](int64_t rows) { return buildLayers(2 * rows); }, {2, 4}),
      "'model': a model for microbatches of 2 rows has 4 in each; sizes are "
      "chosen of what rows are along");
  // 12 rows are no whole number of fives: 2 microbatches are 10.
  EXPECT_EQ(errorOf(buildCharModel, {4, 5}),
            "a step of entry 'train' has 10 rows where a microbatch has 5, and "
            "12 where it has 4; say the rows of a step, which are the same for "
            "each size");
  EXPECT_EQ(
      errorOf(
          [](int64_t rows) {
            GraphBuilder g;
            Tensor x = g.input("x", {DType::F32, {rows, rows}}, 0);
            g.output("y", g.relu(x), 0);
            return std::move(g).finish();
          },
          {2, 4}),
      "input 'x' of entry 'predict' is f32[4x4] where a microbatch has 4 rows, "
      "and 'x' f32[2x2] where it has 2: sizes are of what rows are along, and "
      "of nothing else");
}

} // namespace
