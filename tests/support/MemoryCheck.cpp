// SPDX-License-Identifier: Apache-2.0
#include "MemoryCheck.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/PartitionLayout.h"
#include "smp/serialization/ProgramFile.h"
#include <algorithm>
#include <set>

namespace smp::test {

/// Drivers of devices of one thread: those of one driver share a memory, which
/// of cpu ones is the host's.
static std::string deviceList(std::span<const std::string> drivers,
                              MemoryTraits &traits) {
  std::string list;
  for (size_t i = 0; i < drivers.size(); ++i) {
    const bool isHost = drivers[i] == "cpu";
    list += (i ? "," : "") + drivers[i] + ":" + std::to_string(i) +
            (drivers[i] == "null" ? "" : "=0");
    traits.importsHost.push_back(isHost);
    traits.spaces.push_back(
        uint32_t(std::find(drivers.begin(), drivers.end(), drivers[i]) -
                 drivers.begin()));
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

/// By partition whether its kernels are for a GPU; others run on two kinds of
/// devices.
static std::vector<bool> partitionsOnGpu(const Program &program) {
  std::vector<bool> onGpu(program.partitions);
  for (const Stage &stage : program.stages)
    for (const Launch &launch : stage.launches)
      for (const KernelVariant &variant :
           program.kernels[launch.kernel].variants)
        if (variant.target == "cuda")
          onGpu[stage.partition] = true;
  return onGpu;
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
  const std::vector<bool> onGpu = partitionsOnGpu(loaded->program());
  std::set<std::vector<std::string>> all;
  for (const std::string first : {"cpu", "null"})
    for (const std::string second : {"cpu", "null"}) {
      std::vector<std::string> drivers;
      for (size_t i = 0; i < partitions; ++i)
        drivers.push_back(onGpu[i] ? "cuda-emulator" : i % 2 ? second : first);
      all.insert(std::move(drivers));
    }
  for (const std::vector<std::string> &drivers : all)
    wrong += checkOn(drivers, *shared, loaded->program());
  return wrong;
}

} // namespace smp::test
