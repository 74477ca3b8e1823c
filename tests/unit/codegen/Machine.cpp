// SPDX-License-Identifier: Apache-2.0
#include "Machine.h"
#include "MathImage.h"
#include "smp/device/Cores.h"
#include <cstdio>
#include <cstdlib>

namespace smp::test {

std::string Machine::devices(uint32_t partitions, unsigned cores) const {
  const std::vector<uint32_t> allowed = allowedCores().cores;
  std::string list;
  for (uint32_t p = 0; p < partitions; ++p) {
    list += (p ? "," : "") + target + ":" + std::to_string(p) + "=";
    for (unsigned core = 0; core < cores; ++core)
      list += (core ? "," : "") + std::to_string(allowed[core]);
  }
  return list;
}

Machine cpuMachine() {
  Machine machine{"cpu", {}};
  for (const codegen::cpu::Level &level : codegen::cpu::levels())
    if (isSupported(level))
      machine.levels.push_back(level.name.str());
  if (allowedCores().cores.size() > 1)
    machine.coreCounts.push_back(2);
  return machine;
}

Machine machineUnderTest() {
  const char *given = std::getenv("SMP_TEST_TARGET");
  const std::string target = given ? given : "cpu";
  if (target == "cpu")
    return cpuMachine();
  std::fprintf(stderr, "SMP_TEST_TARGET is '%s'; it can be cpu\n", given);
  std::exit(1);
}

} // namespace smp::test
