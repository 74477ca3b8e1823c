// SPDX-License-Identifier: Apache-2.0
// How large the tests let a program be: its own weights count, those beside it
// do not.
#include "ProgramSize.h"
#include "SampleProgram.h"
#include "smp/serialization/ProgramFile.h"
#include <gtest/gtest.h>

using namespace smp;

static std::string sizeOf(const Program &program) {
  auto bytes = serializeProgram(program);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return test::checkSize(AlignedBytes(*bytes));
}

TEST(ProgramSize, WeightsBesideAreNoReasonToBeLarge) {
  SampleProgram sample;
  EXPECT_EQ(sizeOf(sample.program), "");
  sample.program.weights = {"w.safetensors", /*size=*/uint64_t(1) << 30, 0};
  sample.program.weightBytes = {};
  EXPECT_EQ(sizeOf(sample.program), "");
  sample.constants.resize(4 << 20);
  sample.program.constants = sample.constants;
  EXPECT_NE(sizeOf(sample.program).find("1.15 times 0 of weights"),
            std::string::npos);
}
