// SPDX-License-Identifier: Apache-2.0
// WriteTestPrograms CHAIN.smp TRAINED.smp FIXED.smp: writes the programs that
// the tests in C run.
#include "CheckpointHelpers.h"
#include "smp/serialization/ProgramFile.h"

static bool write(const smp::Program &program, const char *path) {
  const smp::Status status = smp::writeProgram(program, path);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok();
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  auto chain = smp::test::makeChain(2);
  chain->splat("w", 1);
  const auto fixed = smp::test::makeChain(2);
  fixed->interleave(3);
  const bool good = write(chain->program, argv[1]) &&
                    write(smp::test::makeTrainable()->program, argv[2]) &&
                    write(fixed->program, argv[3]);
  return good ? 0 : 1;
}
