// SPDX-License-Identifier: Apache-2.0
#include "Machine.h"
#include "smp/device/Cores.h"
#include <cstdio>
#include <cstdlib>

namespace smp::test {

std::string Machine::devices(uint32_t partitions, unsigned cores) const {
  const std::vector<uint32_t> allowed = allowedCores().cores;
  std::string list;
  for (uint32_t p = 0; p < partitions; ++p) {
    list += (p ? "," : "") + driver + ":" + std::to_string(p);
    for (unsigned core = 0; core < cores; ++core)
      list += (core ? "," : "=") + std::to_string(allowed[core]);
  }
  return list;
}

Machine cpuMachine() {
  Machine machine{"cpu", "cpu", {"v2"}};
  if (__builtin_cpu_supports("x86-64-v3"))
    machine.levels.push_back("v3");
  if (__builtin_cpu_supports("x86-64-v4"))
    machine.levels.push_back("v4");
  if (allowedCores().cores.size() > 1)
    machine.coreCounts.push_back(2);
  return machine;
}

static Machine machineFor(const std::string &target) {
  if (target == "cpu")
    return cpuMachine();
  if (target == "cuda")
    return {"cuda", "cuda-emulator", {"sm_80"}};
  std::fprintf(stderr, "SMP_TEST_TARGET is '%s'; it can be cpu or cuda\n",
               target.c_str());
  std::exit(1);
}

const Machine &machineUnderTest() {
  static const Machine machine = [] {
    const char *target = std::getenv("SMP_TEST_TARGET");
    return machineFor(target ? target : "cpu");
  }();
  return machine;
}

} // namespace smp::test
