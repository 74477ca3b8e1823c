// SPDX-License-Identifier: Apache-2.0
// What ranks tell each other of their rules is read as it was written.
#include "Verdict.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

const std::vector<Verdict> kVerdicts{
    {0},
    {7, Finding{.tensor = "a:1+2", .text = "all of its 3 elements are 0"}},
    {12, Finding{.tensor = "", .text = "it\nstalled"}}};

TEST(Verdict, IsReadAsItWasWritten) {
  EXPECT_EQ(encode({}), "");
  EXPECT_TRUE(decodeVerdicts("", 0)->empty());
  const auto read = decodeVerdicts(encode(kVerdicts), 13);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), kVerdicts.size());
  for (size_t i = 0; i < read->size(); ++i) {
    EXPECT_EQ((*read)[i].rule, kVerdicts[i].rule);
    ASSERT_EQ((*read)[i].finding.has_value(), i > 0);
    if (i == 0)
      continue;
    EXPECT_EQ((*read)[i].finding->tensor, kVerdicts[i].finding->tensor);
    EXPECT_EQ((*read)[i].finding->text, kVerdicts[i].finding->text);
  }
}

TEST(Verdict, WhatIsCutOffOrOfOtherRulesIsRefused) {
  const std::string whole = encode(kVerdicts);
  EXPECT_FALSE(decodeVerdicts(whole, 12).ok());
  size_t read = 0;
  for (size_t size = 1; size < whole.size(); ++size)
    read += decodeVerdicts(whole.substr(0, size), 13).ok();
  EXPECT_EQ(read, 2u); // Where a verdict ends.
  for (const char *wrong : {"-", "1", "1*", "1+", "1+2:a", "1+1:a9:b", "1+a:b",
                            "1+99999999999999999999:", " 1-"})
    EXPECT_FALSE(decodeVerdicts(wrong, 13).ok()) << wrong;
}

} // namespace
