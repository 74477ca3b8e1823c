// SPDX-License-Identifier: Apache-2.0
// Writes the golden checkpoint of the current version into the folder it is
// given.
#include "GoldenTraining.h"
#include "smp/serialization/CheckpointManifest.h"
#include <cstdio>

using namespace smp;
using namespace smp::test;

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make-golden-checkpoint FOLDER\n");
    return 1;
  }
  const std::string folder = std::string(argv[1]) + "/checkpoint-" +
                             std::to_string(kCheckpointVersion);
  onThreads(2, [&](Communicator &mine) {
    GoldenTraining golden(&mine);
    for (int i = 0; i < kGoldenSteps; ++i)
      golden.training.train();
    golden.epoch = 7;
    golden.position = "line 12";
    CheckpointManager manager(golden.checkpoint(), {.directory = folder});
    save(manager);
  });
  std::printf("%s\n", folder.c_str());
  return testing::Test::HasFailure() ? 1 : 0;
}
