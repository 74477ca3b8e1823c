// SPDX-License-Identifier: Apache-2.0
// Entries that show values: what they must have in common with their originals.
#include "SampleProgram.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/VerifyProgram.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {
struct Case {
  const char *name;
  void (*damage)(Program &program, Entry &twin);
  const char *message;
};

std::ostream &operator<<(std::ostream &out, const Case &c) {
  return out << c.name;
}

class DamagedTwin : public testing::TestWithParam<Case> {};
} // namespace

TEST(Twin, TheSamplesIsSound) {
  SampleProgram sample;
  addTwin(sample.program);
  const Status status = verifyProgram(sample.program);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Twin, ComesBackFromBytes) {
  SampleProgram sample;
  addTwin(sample.program);
  const auto written = serializeProgram(sample.program).take();
  const AlignedBytes bytes(written);
  const StatusOr<LoadedProgram> loaded = readProgram(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_FALSE(loaded->program().entries[0].twin);
  const Entry &entry = loaded->program().entries[2];
  ASSERT_TRUE(entry.twin);
  EXPECT_EQ(entry.twin->of, 0u);
  ASSERT_EQ(entry.twin->taps.size(), 2u);
  const Tap &tap = entry.twin->taps[1];
  EXPECT_EQ(tap.name, "y");
  EXPECT_EQ(tap.kind, TapKind::Whole);
  EXPECT_EQ(tap.role, TapRole::Value);
  EXPECT_EQ(toString(tap.type), "f32[2x4]");
  EXPECT_EQ(entry.numGiven(), 2u);
  EXPECT_FALSE(entry.isShown(1));
  EXPECT_TRUE(entry.isShown(2));
  EXPECT_TRUE(entry.twin->shows(TapKind::Whole));
}

TEST_P(DamagedTwin, IsNamed) {
  SampleProgram sample;
  addTwin(sample.program);
  GetParam().damage(sample.program, sample.program.entries[2]);
  const Status status = verifyProgram(sample.program);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(), GetParam().message);
}

static const Case kCases[] = {
    {"OfItself", [](Program &, Entry &twin) { twin.twin->of = 2; },
     "entries[2].twin.of is 2 of 2 entries before it"},
    {"OfATwin",
     [](Program &p, Entry &) {
       p.entries.push_back(p.entries[2]);
       p.entries[3].name = "another";
       p.entries[3].twin->of = 2;
     },
     "entries[3].twin.of is 2, which is a twin itself"},
    {"OtherMode", [](Program &, Entry &twin) { twin.mode = Mode::Eval; },
     "entries[2].twin differs from 'predict' in its mode, its microbatches or "
     "its inputs"},
    {"OtherInput", [](Program &, Entry &twin) { twin.inputs[0].name = "z"; },
     "entries[2].twin differs from 'predict' in its mode, its microbatches or "
     "its inputs"},
    {"OtherOutput", [](Program &, Entry &twin) { twin.outputs[0].name = "z"; },
     "entries[2].twin must have the outputs of 'predict', then one for each of "
     "its 2 taps"},
    {"TapMissing", [](Program &, Entry &twin) { twin.twin->taps.pop_back(); },
     "entries[2].twin must have the outputs of 'predict', then one for each of "
     "its 1 taps"},
    {"Kind",
     [](Program &, Entry &twin) { twin.twin->taps[0].kind = TapKind(3); },
     "entries[2].twin.taps[0].kind is 3; this version of smp knows 1 to 2"},
    {"Role",
     [](Program &, Entry &twin) { twin.twin->taps[1].role = TapRole(6); },
     "entries[2].twin.taps[1].role is 6; this version of smp knows 0 to 5"},
    {"NoName", [](Program &, Entry &twin) { twin.twin->taps[0].name.clear(); },
     "entries[2].twin.taps[0].name is empty"},
    {"OtherName", [](Program &, Entry &twin) { twin.twin->taps[0].name = "z"; },
     "entries[2].twin.taps[0].name is 'z', and its output is called "
     "'statistics/h'"},
    {"OtherType",
     [](Program &, Entry &twin) { twin.twin->taps[1].type.shape = {8}; },
     "entries[2].twin.taps[1].type is f32[8], and its output a f32[1x2x4]"},
};
INSTANTIATE_TEST_SUITE_P(Program, DamagedTwin, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });
