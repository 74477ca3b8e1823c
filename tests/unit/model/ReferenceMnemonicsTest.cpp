// SPDX-License-Identifier: Apache-2.0
// Every op of the dialect has a reference, and nothing else has.

#include "smp/model/Reference.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>

using namespace smp;

/// Ops that hold or run graphs and are not in one, and those that passes
/// replace before anything runs: no flat graph contains them.
static const std::vector<std::string> kStructural{
    "accumulate", "entry", "gradient", "group", "microbatch",
    "prepared",   "run",   "stage",    "tap",   "variable"};

/// The mnemonics that the dialect's .td files define.
static std::vector<std::string> definedMnemonics() {
  const std::regex definition(R"(^def Smp_\w+Op\s*:\s*Smp_\w+<"(\w+)\")");
  std::vector<std::string> mnemonics;
  const std::string folder = SMP_TEST_SOURCE_DIR "/../ir/include/smp/ir";
  for (const auto &file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".td")
      continue;
    std::ifstream in(file.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);)
      if (std::regex_search(line, match, definition))
        mnemonics.push_back(match[1]);
  }
  std::sort(mnemonics.begin(), mnemonics.end());
  return mnemonics;
}

TEST(ReferenceMnemonics, AreThoseOfTheDialect) {
  std::vector<std::string> expected;
  const std::vector<std::string> defined = definedMnemonics();
  ASSERT_GT(defined.size(), 70u) << "the .td files were not understood";
  for (const std::string &mnemonic : defined)
    if (std::find(kStructural.begin(), kStructural.end(), mnemonic) ==
        kStructural.end())
      expected.push_back(mnemonic);
  std::vector<std::string> actual;
  for (std::string_view mnemonic : referenceMnemonics())
    actual.emplace_back(mnemonic);
  EXPECT_EQ(actual, expected);
}
