// SPDX-License-Identifier: Apache-2.0
// What the emulator does with a text that says it is PTX: reads it, and runs
// each kernel a little, on buffers of 256 bytes for its first parameters.
#include "smp/emulator/Launch.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace smp::emulator;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

static void launchOnce(const Kernel &kernel, Memory &memory) {
  constexpr uint64_t kBytes = 256;
  constexpr size_t kMostBuffers = 4;
  if (kernel.localBytes() > 4096)
    return; // Only slow.
  std::vector<std::byte> parameters(kernel.parameterBytes());
  std::vector<BufferParameter> buffers;
  for (const Parameter &parameter : kernel.parameters()) {
    if (parameter.bytes != 8 || buffers.size() == kMostBuffers)
      break;
    const uint64_t address = memory.allocate(kBytes);
    memory.fill(address, 1, kBytes);
    std::memcpy(parameters.data() + parameter.offset, &address, 8);
    buffers.push_back({static_cast<uint32_t>(buffers.size()), kBytes});
  }
  const Kernel::Extent3 threads = kernel.requiredThreads();
  Launch launch;
  launch.kernel = &kernel;
  launch.grid = {2, 1, 1};
  launch.block = {std::min(48u, kernel.maxThreadsPerBlock()), 1, 1};
  if (threads.x)
    launch.block = {threads.x, threads.y, threads.z};
  launch.dynamicSharedBytes = 64;
  launch.parameters = parameters;
  launch.buffers = buffers;
  launch.maxWarpInstructions = 1000;
  const LaunchResult result = run(launch, memory);
  require(!result.fault || !result.fault->message.empty());
  for (const BufferParameter &buffer : buffers) {
    uint64_t address;
    std::memcpy(
        &address,
        parameters.data() + kernel.parameters()[buffer.parameter].offset, 8);
    require(memory.free(address));
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Memory memory(uint64_t(1) << 26);
  require(memory.valid());
  std::string error;
  const auto module = Module::parse(
      {reinterpret_cast<const char *>(data), size}, 80, memory, error);
  require((module == nullptr) == !error.empty());
  if (module)
    for (const auto &kernel : module->kernels())
      launchOnce(*kernel, memory);
  return 0;
}
