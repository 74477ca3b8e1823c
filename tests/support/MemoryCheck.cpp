// SPDX-License-Identifier: Apache-2.0
#include "MemoryCheck.h"
#include "Machine.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/PartitionLayout.h"
#include "smp/serialization/ProgramFile.h"

namespace smp::test {

/// Drivers of devices of one thread: cpu ones share the host's memory, others
/// a memory of their own.
static std::string deviceList(std::span<const std::string> drivers,
                              MemoryTraits &traits) {
  std::string list;
  for (size_t i = 0; i < drivers.size(); ++i) {
    const bool isHost = drivers[i] == "cpu";
    list += (i ? "," : "") + drivers[i] + ":" + std::to_string(i) +
            (drivers[i] == "null" ? "" : "=0");
    traits.importsHost.push_back(isHost);
    traits.spaces.push_back(isHost);
  }
  return list;
}

static std::string checkOn(std::span<const std::string> drivers,
                           const SharedProgram &shared,
                           const Program &program) {
  MemoryTraits traits;
  SessionOptions options;
  options.devices = deviceList(drivers, traits);
  options.log = [](LogLevel, std::string_view) {};
  auto session = Session::open(shared, options);
  if (!session.ok())
    return options.devices + ": " + session.status().message();
  const ProgramLayout layout = layOut(program, traits);
  std::string wrong;
  auto expect = [&](const DeviceMemory &device, const char *what,
                    uint64_t planned, uint64_t found) {
    if (planned != found)
      wrong += "device '" + device.device + "' of " + options.devices + " " +
               what + " " + std::to_string(found) + " bytes; planned are " +
               std::to_string(planned) + "\n";
  };
  for (const DeviceMemory &device : session->memory()) {
    const PartitionMemory memory = layout.partitions[device.partition].memory();
    expect(device, "allocates", memory.allocated() + memory.scratch,
           device.currentBytes);
    expect(device, "imports", memory.imported, device.importedBytes);
  }
  return wrong;
}

std::string checkMemory(std::span<const std::byte> program) {
  StatusOr<LoadedProgram> loaded = readProgram(program);
  if (!loaded.ok())
    return loaded.status().message();
  auto shared = SharedProgram::read(program);
  if (!shared.ok())
    return shared.status().message();
  const uint32_t partitions = loaded->program().partitions;
  std::string wrong;
  // Kernels for the processor run on two kinds of devices.
  const std::vector<std::string> kinds =
      machineUnderTest().target == "cpu"
          ? std::vector<std::string>{"cpu", "null"}
          : std::vector<std::string>{machineUnderTest().driver};
  for (size_t first = 0; first < kinds.size(); ++first)
    for (size_t step = 0; step < kinds.size(); ++step) {
      if (step && partitions == 1)
        continue;
      std::vector<std::string> drivers;
      for (size_t i = 0; i < partitions; ++i)
        drivers.push_back(kinds[(first + i * step) % kinds.size()]);
      wrong += checkOn(drivers, *shared, loaded->program());
    }
  return wrong;
}

} // namespace smp::test
