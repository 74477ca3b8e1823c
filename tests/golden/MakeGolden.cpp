// SPDX-License-Identifier: Apache-2.0
// Writes the golden program of the current format into the folder it is given.
#include "SampleProgram.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Version.h"
#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make-golden FOLDER\n");
    return 1;
  }
  smp::SampleProgram sample;
  smp::addTwin(sample.program);
  smp::addLags(sample.program);
  smp::addTransferSeconds(sample.program);
  smp::addSignatures(sample.program);
  std::string path =
      std::string(argv[1]) + "/program-" + smp::kFormatVersion + ".smp";
  smp::Status status = smp::writeProgram(sample.program, path);
  if (!status.ok()) {
    std::fprintf(stderr, "make-golden: %s\n", status.message().c_str());
    return 1;
  }
  std::printf("%s\n", path.c_str());
  return 0;
}
