// SPDX-License-Identifier: Apache-2.0
// usage: consumer PROGRAM VERSION: loads a program with the installed runtime,
// and sees that what is no program is refused with its name.

#include "smp/runtime/Session.h"
#include <iostream>
#include <stdexcept>

static void check(bool good, const std::string &what) {
  if (!good)
    throw std::runtime_error(what);
}

int main(int argc, char **argv) {
  try {
    check(argc == 3, "usage: consumer PROGRAM VERSION");
    check(smp::versionString() == argv[2],
          "not version " + std::string(argv[2]));
    check(smp::toString(smp::DType::BF16) == "bf16", "not the name of bf16");
    auto program = smp::SharedProgram::open(argv[1]);
    check(program.ok(), program.status().message());
    auto nothing = smp::SharedProgram::open("nowhere.smp");
    check(!nothing.ok(), "nowhere.smp was opened");
    std::string message = nothing.status().message();
    check(message.find("nowhere.smp") != std::string::npos, message);
    std::cout << "consumer: smp " << smp::versionString() << " works\n";
    return 0;
  } catch (const std::exception &error) {
    std::cerr << "consumer: " << error.what() << "\n";
    return 1;
  }
}
