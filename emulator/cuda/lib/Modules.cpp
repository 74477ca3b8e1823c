// SPDX-License-Identifier: Apache-2.0
#include "Modules.h"
#include <algorithm>
#include <cstring>
#include <thread>

namespace smp::cuda {

void CUfunc_st::count(const emulator::Statistics &launch) {
  std::lock_guard<std::mutex> hold(lock);
  ++all.launches;
  all.threadInstructions += launch.threadInstructions;
  all.sectorsRead += launch.globalReads.sectors;
  all.sectorsWritten += launch.globalWrites.sectors;
  all.bankConflicts += launch.bankConflicts;
}

EmulatorCounts CUfunc_st::counts() const {
  std::lock_guard<std::mutex> hold(lock);
  return all;
}

namespace {
/// What a launch needs until it has run.
struct Work {
  emulator::Launch launch;
  std::vector<std::byte> parameters;
  std::vector<emulator::BufferParameter> buffers;
  std::vector<emulator::Memory::Allocation> undefined; ///< At its start.
};
} // namespace

static Work pack(const CUfunc_st &function, const CUlaunchConfig &config,
                 void **parameters) {
  Work work;
  work.launch.kernel = &function.kernel;
  work.launch.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  work.launch.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == kLaunchClusterDimension) {
      const auto &size = config.attrs[i].value.clusterDim;
      work.launch.cluster = {size[0], size[1], size[2]};
    }
  work.launch.dynamicSharedBytes = config.sharedMemBytes;
  work.parameters.resize(function.kernel.parameterBytes());
  const std::vector<emulator::Parameter> &list = function.kernel.parameters();
  for (uint32_t i = 0; i < list.size(); ++i) {
    std::memcpy(work.parameters.data() + list[i].offset, parameters[i],
                list[i].bytes);
    uint64_t address = 0;
    if (list[i].bytes != sizeof address)
      continue;
    std::memcpy(&address, parameters[i], sizeof address);
    // An address: what is made of it stays in its allocation.
    const auto found = function.gpu.memory()->find(address);
    if (!found)
      continue;
    emulator::BufferParameter buffer{
        i, found->bytes - (address - found->address), /*writable=*/true};
    for (const CUstream_st::KnownBuffer &known : config.hStream->known)
      if (known.parameter == i) {
        buffer.bytes = std::min(buffer.bytes, known.bytes);
        buffer.writable = known.use != EmulatorBufferUse::Read;
        if (known.use == EmulatorBufferUse::Undefined)
          work.undefined.push_back({address, buffer.bytes});
      }
    work.buffers.push_back(buffer);
  }
  config.hStream->known.clear();
  return work;
}

static bool isPossible(const CUfunc_st &function,
                       const CUlaunchConfig &config) {
  const uint64_t threads =
      uint64_t(config.blockDimX) * config.blockDimY * config.blockDimZ;
  const uint64_t blocks =
      uint64_t(config.gridDimX) * config.gridDimY * config.gridDimZ;
  return blocks > 0 && threads > 0 &&
         threads <= function.kernel.maxThreadsPerBlock() &&
         config.sharedMemBytes <= unsigned(function.mostDynamicShared);
}

CUresult launch(CUfunc_st &function, const CUlaunchConfig &config,
                void **parameters) {
  if (!isPossible(function, config))
    return CUDA_ERROR_INVALID_VALUE;
  CUstream_st *stream = config.hStream;
  stream->put(
      [work = pack(function, config, parameters), &function, stream]() mutable {
        Gpu &gpu = function.gpu;
        work.launch.parameters = work.parameters;
        work.launch.buffers = work.buffers;
        work.launch.seed = stream->random();
        work.launch.threads = std::max(1u, std::thread::hardware_concurrency());
        for (const emulator::Memory::Allocation &each : work.undefined)
          gpu.memory()->forget(each.address, each.bytes);
        const emulator::LaunchResult result = run(work.launch, *gpu.memory());
        function.count(result.statistics);
        if (result.fault)
          gpu.fail(errorOf(result.fault->kind), result.fault->message);
      });
  return CUDA_SUCCESS;
}

} // namespace smp::cuda
