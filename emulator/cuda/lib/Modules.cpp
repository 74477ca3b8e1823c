// SPDX-License-Identifier: Apache-2.0
#include "Modules.h"
#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

namespace smp::cuda {

namespace {
/// The functions whose modules are loaded.
struct Loaded {
  std::mutex lock;
  std::set<const CUfunc_st *> functions;
  static Loaded &all() {
    static Loaded loaded;
    return loaded;
  }
};
} // namespace

CUfunc_st::CUfunc_st(Gpu &gpu, const emulator::Kernel &kernel,
                     int mostDynamicShared)
    : gpu(gpu), kernel(kernel), mostDynamicShared(mostDynamicShared) {
  std::lock_guard<std::mutex> hold(Loaded::all().lock);
  Loaded::all().functions.insert(this);
}

CUfunc_st::~CUfunc_st() {
  std::lock_guard<std::mutex> hold(Loaded::all().lock);
  Loaded::all().functions.erase(this);
}

bool isLoaded(const CUfunc_st *function) {
  std::lock_guard<std::mutex> hold(Loaded::all().lock);
  return Loaded::all().functions.count(function) > 0;
}

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

std::optional<LaunchForm> LaunchForm::make(CUfunc_st &function,
                                           const CUlaunchConfig &config,
                                           void **parameters) {
  if (!isPossible(function, config))
    return std::nullopt;
  return LaunchForm(function, config, parameters);
}

LaunchForm::LaunchForm(CUfunc_st &function, const CUlaunchConfig &config,
                       void **values)
    : function(&function), parameters(function.kernel.parameterBytes()) {
  launch.kernel = &function.kernel;
  launch.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  launch.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == kLaunchClusterDimension) {
      const auto &size = config.attrs[i].value.clusterDim;
      launch.cluster = {size[0], size[1], size[2]};
    }
  launch.dynamicSharedBytes = config.sharedMemBytes;
  const std::vector<emulator::Parameter> &list = function.kernel.parameters();
  for (uint32_t i = 0; i < list.size(); ++i)
    std::memcpy(parameters.data() + list[i].offset, values[i], list[i].bytes);
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

/// A parameter that is an address: what is made of it stays in its allocation.
static void addBuffer(Work &work, uint32_t parameter, uint64_t address,
                      const emulator::Memory::Allocation &allocation,
                      std::span<const KnownBuffer> known) {
  emulator::BufferParameter buffer{
      parameter, allocation.bytes - (address - allocation.address),
      /*writable=*/true};
  for (const KnownBuffer &each : known)
    if (each.parameter == parameter) {
      buffer.bytes = std::min(buffer.bytes, each.bytes);
      buffer.writable = each.use != EmulatorBufferUse::Read;
      if (each.use == EmulatorBufferUse::Undefined)
        work.undefined.push_back({address, buffer.bytes});
    }
  work.buffers.push_back(buffer);
}

std::function<void(CUstream_st &)> LaunchForm::ready() const {
  Work work{launch, parameters, {}, {}};
  const std::vector<emulator::Parameter> &list = function->kernel.parameters();
  for (uint32_t i = 0; i < list.size(); ++i) {
    uint64_t address = 0;
    if (list[i].bytes != sizeof address)
      continue;
    std::memcpy(&address, parameters.data() + list[i].offset, sizeof address);
    if (const auto found = function->gpu.memory()->find(address))
      addBuffer(work, i, address, *found, known);
  }
  return [work = std::move(work),
          function = function](CUstream_st &stream) mutable {
    Gpu &gpu = function->gpu;
    work.launch.parameters = work.parameters;
    work.launch.buffers = work.buffers;
    work.launch.seed = stream.random();
    work.launch.threads = std::max(1u, std::thread::hardware_concurrency());
    for (const emulator::Memory::Allocation &each : work.undefined)
      gpu.memory()->forget(each.address, each.bytes);
    const emulator::LaunchResult result = run(work.launch, *gpu.memory());
    function->count(result.statistics);
    if (result.fault)
      gpu.fail(errorOf(result.fault->kind), result.fault->message);
  };
}

} // namespace smp::cuda
