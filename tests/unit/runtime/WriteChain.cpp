// SPDX-License-Identifier: Apache-2.0
// WriteChain P.smp: writes the program that CApiTest.c runs.
#include "TestPrograms.h"
#include "smp/serialization/ProgramFile.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  auto maker = smp::test::makeChain(2);
  maker->splat("w", 1);
  const smp::Status status = smp::writeProgram(maker->program, argv[1]);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
