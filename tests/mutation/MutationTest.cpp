// SPDX-License-Identifier: Apache-2.0
// Whether the emulator, and the kernels' results, tell a kernel from one with a
// mistake: in every strategy each barrier, mask, bound, branch, offset and
// alignment is changed, one at a time.

#include "EntryRun.h"
#include "PtxMutants.h"
#include "smp/serialization/ProgramFile.h"
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <regex>

using namespace smp;
using namespace smp::test;

namespace {

constexpr Inputs kInputs[] = {
    {Values::InRange, 1}, {Values::Few, 1},     {Values::Large, 1},
    {Values::Ascending},  {Values::Extreme},    {Values::Few, 2},
    {Values::Large, 2},   {Values::InRange, 2}, {Values::Close, 0},
    {Values::Close, 1},   {Values::Close, 2},   {Values::Close, 3},
    {Values::Close, 4},   {Values::Close, 5},   {Values::Close, 6},
    {Values::Close, 7}};
constexpr uint64_t kNoBound = uint64_t(1) << 36;

const Program &kernels() {
  static const LoadedProgram program = [] {
    StatusOr<LoadedProgram> opened = openProgram(SMP_MUTATION_KERNELS);
    if (!opened.ok())
      throw std::runtime_error(opened.status().message());
    return opened.take();
  }();
  return program.program();
}

/// What an entry gives on all inputs as it was compiled.
std::vector<Outcome> outcomesOf(const EntryRun &run) {
  std::vector<Outcome> outcomes;
  for (const Inputs &inputs : kInputs)
    outcomes.push_back(
        run.run(run.images().front(), inputs, /*seed=*/0, kNoBound));
  return outcomes;
}

//===----------------------------------------------------------------------===//
// Mistakes that are not found
//===----------------------------------------------------------------------===//

/// Of mistakes that are called the same, how many nothing shows.
using Survivors = std::map<std::string, size_t>;

/// Those of survivors.txt.
Survivors listedSurvivors() {
  std::ifstream file(SMP_TEST_SOURCE_DIR "/mutation/survivors.txt");
  Survivors listed;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#'))
      continue;
    const size_t name = line.find(" x ") + 3, reason = line.rfind(" | ");
    if (name < 3 || reason == std::string::npos || reason < name)
      throw std::runtime_error("survivors.txt: not COUNT x NAME | REASON: " +
                               line);
    listed[line.substr(name, reason - name)] = std::stoul(line);
  }
  return listed;
}

/// "entry | line | line in its place", without numbers of registers, labels and
/// kernels, which change with everything else.
std::string nameOf(const Entry &entry, const Mutant &mutant) {
  const std::string after = mutant.after.empty() ? "removed" : mutant.after;
  std::string name = entry.name + " | " + mutant.before + " | " + after;
  name = std::regex_replace(name, std::regex("%([a-z]+)[0-9]+"), "%$1");
  name = std::regex_replace(name, std::regex("k[0-9]+_sm_80"), "k");
  name = std::regex_replace(name, std::regex("L__BB[0-9]+_[0-9]+"), "L");
  return std::regex_replace(name, std::regex("[ \t]+"), " ");
}

/// How an entry with another text is told from the right one: what the emulator
/// reports, or "other bits"; empty when it is not.
std::string finding(const EntryRun &run, const Image &image,
                    const std::vector<Outcome> &right) {
  for (size_t i = 0; i < std::size(kInputs); ++i) {
    const Outcome outcome = run.run(image, kInputs[i], /*seed=*/0,
                                    4 * right[i].warpInstructions + 1000);
    if (!outcome.refused.empty())
      return "refused";
    if (outcome.fault)
      return std::string(toString(outcome.fault->kind));
    if (outcome.made != right[i].made)
      return "other bits";
  }
  return "";
}

/// Whether the instruction gives every thread the same value with the mistake.
bool isSame(const EntryRun &run, const Image &image, const Mutant &mutant,
            const std::vector<Outcome> &right) {
  if (mutant.probe.empty())
    return false;
  const std::string text = mutant.probed(image.text);
  return finding(run, {image.number, text}, right).empty();
}

/// How many mistakes of each sort were made, and how many found.
struct Counts {
  std::array<size_t, kMutations> made{}, found{};
  size_t same = 0; ///< Change no value of any thread, and so are not found.
  std::map<std::string, size_t> findings;

  size_t allMade() const { return std::reduce(made.begin(), made.end()); }
  size_t allFound() const { return std::reduce(found.begin(), found.end()); }
  void add(Mutation mutation, const std::string &finding) {
    ++made[size_t(mutation)];
    if (finding.empty())
      return;
    ++found[size_t(mutation)];
    ++findings[finding];
  }
  void add(const Counts &other) {
    same += other.same;
    for (const auto &[name, count] : other.findings)
      findings[name] += count;
    for (size_t i = 0; i < kMutations; ++i) {
      made[i] += other.made[i];
      found[i] += other.found[i];
    }
  }
  void print(const std::string &name) const {
    std::printf("%-20s", name.c_str());
    for (size_t i = 0; i < kMutations; ++i)
      std::printf(" %5zu/%-5zu", found[i], made[i]);
    std::printf(" %5zu/%-5zu %5zu\n", allFound(), allMade(), same);
  }
};

void printHead() {
  std::printf("found/made          ");
  for (size_t i = 0; i < kMutations; ++i)
    std::printf(" %-11s", std::string(toString(Mutation(i))).c_str());
  std::printf(" all         same values\n");
}

/// Makes every mistake in an entry; adds those that are neither found nor
/// without any effect.
Counts mutate(const Entry &entry, Survivors &survivors) {
  Counts counts;
  const EntryRun run(kernels(), entry);
  const std::vector<Outcome> right = outcomesOf(run);
  for (const Image &image : run.images())
    for (const Mutant &mutant : mutantsOf(image.text)) {
      const std::string text = mutant.in(image.text);
      const std::string found = finding(run, {image.number, text}, right);
      counts.add(mutant.mutation, found);
      if (!found.empty())
        continue;
      const std::string name = nameOf(entry, mutant);
      if (!isSame(run, image, mutant, right)) {
        ++survivors[name];
        continue;
      }
      ++counts.same;
      std::printf("%s | gives every thread the same value\n", name.c_str());
    }
  counts.print(entry.name);
  return counts;
}

TEST(Mutation, MistakesAreFoundOrListed) {
  Survivors survivors;
  Counts all;
  printHead();
  for (const Entry &entry : kernels().entries)
    all.add(mutate(entry, survivors));
  all.print("all");
  for (const auto &[name, count] : all.findings)
    std::printf("%s: %zu\n", name.c_str(), count);
  EXPECT_GE(double(all.allFound()), 0.95 * double(all.allMade()));
  EXPECT_GT(all.allMade(), 1000u);
  const Survivors listed = listedSurvivors();
  for (const auto &[name, count] : survivors)
    EXPECT_TRUE(listed.contains(name) && listed.at(name) == count)
        << "not found, and not in survivors.txt: " << count << " x " << name;
  for (const auto &[name, count] : listed)
    EXPECT_TRUE(survivors.contains(name))
        << "found or not made, but in survivors.txt: " << name;
}

TEST(Mutation, UntouchedKernelsReportNothing) {
  for (const Entry &entry : kernels().entries) {
    const EntryRun run(kernels(), entry);
    const std::vector<Outcome> first = outcomesOf(run);
    for (uint64_t seed = 0; seed < 100; ++seed) {
      const size_t inputs = seed % std::size(kInputs);
      const Outcome outcome =
          run.run(run.images().front(), kInputs[inputs], seed, kNoBound);
      ASSERT_EQ(outcome.refused, "") << entry.name;
      ASSERT_FALSE(outcome.fault)
          << entry.name << ", seed " << seed << ": " << outcome.fault->message;
      ASSERT_FALSE(outcome.made.empty()) << entry.name;
      ASSERT_EQ(outcome.made, first[inputs].made)
          << entry.name << ", seed " << seed << " gives other bits";
    }
  }
}

} // namespace
