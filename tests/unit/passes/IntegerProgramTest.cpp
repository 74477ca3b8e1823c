// SPDX-License-Identifier: Apache-2.0
// Partition problems too large to look at all placements, against CBC, an
// integer programming solver that shares nothing with ours. Skipped where there
// is none.

#include "IntegerProgram.h"
#include "PlanningOracle.h"
#include "SeededTest.h"
#include "TemporaryFolder.h"
#include "smp/passes/planning/PartitionSolver.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace smp::passes;

namespace {

/// CBC rounds.
constexpr double kRounding = 1e-6;

class IntegerPrograms : public smp::SeededTest {
protected:
  void SetUp() override {
    // It is an oracle from outside, which other systems may not have;
    // utils/install-deps brings it.
    if (run("-stop") != 0)
      GTEST_SKIP() << "no cbc (Debian: coinor-cbc)";
  }

  /// The exit status of cbc, which prints into the folder.
  int run(const std::string &arguments) {
    const std::string command =
        "cd '" + folder.path() + "' && cbc " + arguments + " >log 2>&1";
    return std::system(command.c_str());
  }

  struct Least {
    bool isKnown = false;        ///< In the time that CBC gets.
    std::optional<double> value; ///< Nothing: there is no answer.
  };

  Least leastByCbc(const PartitionProblem &problem) {
    folder.write("m.lp", writeIntegerProgram(problem));
    folder.remove("m.sol");
    EXPECT_EQ(run("m.lp -seconds 5 -ratioGap 0 -allowableGap 0 -solve "
                  "-solution m.sol"),
              0)
        << folder.read("log");
    // "Optimal - objective value 12.5"; or "Infeasible", "Integer infeasible",
    // "Stopped on time" before the dash.
    const std::string said = folder.read("m.sol");
    const size_t dash = said.find(" - objective value ");
    if (dash == std::string::npos) {
      ADD_FAILURE() << "cbc gave no solution:\n" << folder.read("log");
      return {};
    }
    const std::string status = said.substr(0, dash);
    if (status == "Optimal")
      return {true, std::stod(said.substr(dash + 19))};
    return {status == "Infeasible" || status == "Integer infeasible", {}};
  }

  smp::TemporaryFolder folder;
};

TEST_F(IntegerPrograms, AnswersAndBoundsAreThoseOfAnotherSolver) {
  unsigned answered = 0, refused = 0, best = 0, tight = 0;
  for (unsigned round = 0; round < 50 && !HasFailure(); ++round) {
    const PartitionProblem problem = randomQuestion(random, 32);
    if (problem.getObjective() != Objective::Throughput)
      continue;
    const Least least = leastByCbc(problem);
    if (!least.isKnown)
      continue;
    const PartitionResult result = solvePartition(problem);
    if (const auto *conflict = std::get_if<PartitionConflict>(&result)) {
      EXPECT_EQ(least.value, std::nullopt) << conflict->message;
      ++refused;
      continue;
    }
    const auto &answer = std::get<PartitionAnswer>(result);
    EXPECT_EQ(problem.verify(answer), std::nullopt);
    ASSERT_TRUE(least.value) << "CBC has proved that there is no answer";
    const double slack = kRounding * (1 + *least.value);
    EXPECT_GE(answer.objective, *least.value - slack);
    EXPECT_LE(answer.bound, *least.value + slack);
    // Fewer stages may be preferred to less work.
    const double worth = problem.getContiguity() == Contiguity::Preferred
                             ? problem.getContiguousWorth()
                             : 1;
    ++answered;
    best += answer.objective <= worth * *least.value + slack;
    tight += answer.bound >= *least.value - slack;
  }
  EXPECT_GT(answered, 10u);
  EXPECT_GT(refused, 1u);
  EXPECT_GT(best, answered * 8 / 10);
  EXPECT_GT(tight, answered * 6 / 10);
  RecordProperty("answered", int(answered));
  RecordProperty("best", int(best));
  RecordProperty("tight", int(tight));
}

} // namespace
