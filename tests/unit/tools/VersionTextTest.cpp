// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/VersionText.h"
#include "smp/base/Version.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Version.h"
#include <gtest/gtest.h>

using namespace smp;

TEST(VersionTextTest, SaysTheToolAndTheFormats) {
  EXPECT_EQ(versionText("smp-x"),
            "smp-x " + std::string(versionString()) + "\nprograms: format " +
                kFormatVersion + " is written, 1.1 to " + kFormatVersion +
                " are read\ncheckpoints: format " +
                std::to_string(kCheckpointVersion) + " is written, 1 to " +
                std::to_string(kCheckpointVersion) + " are read");
}

/// The first of the formats that it speaks of is one.
TEST(VersionTextTest, TheFirstFormatIsRead) {
  const auto program = openProgram(SMP_TEST_SOURCE_DIR "/golden/program-" +
                                   std::string(kFirstFormatVersion) + ".smp");
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_FALSE(program->program().entries.empty());
}
