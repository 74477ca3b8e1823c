// SPDX-License-Identifier: Apache-2.0
// WriteWatchedProgram FILE.smp: writes the program that the test in C watches.
#include "WatchedSession.h"
#include "smp/serialization/ProgramFile.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const smp::test::Watched watched;
  const smp::Status status = smp::writeProgram(watched.maker->program, argv[1]);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
