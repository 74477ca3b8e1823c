// SPDX-License-Identifier: Apache-2.0
#include "CudaGpu.h"

namespace smp::cuda {

/// After these the context answers every call with the same error.
static bool spoilsContext(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_UNKNOWN:
    return true;
  default:
    return false;
  }
}

namespace {
/// The GPUs that somebody has, and why those that are lost are.
struct GpuTable {
  using Key = std::pair<const CudaLibrary *, int>;
  std::mutex lock;
  std::map<Key, std::weak_ptr<CudaGpu>> used;
  std::map<Key, Status> lost;

  static GpuTable &instance() {
    static GpuTable &table = *new GpuTable;
    return table;
  }
};
} // namespace

StatusOr<std::shared_ptr<CudaGpu>>
CudaGpu::open(const CudaLibrary &library, int ordinal, const std::string &who) {
  GpuTable &table = GpuTable::instance();
  const GpuTable::Key key(&library, ordinal);
  std::lock_guard<std::mutex> hold(table.lock);
  if (const auto lost = table.lost.find(key); lost != table.lost.end())
    return lost->second.in(who);
  if (std::shared_ptr<CudaGpu> gpu = table.used[key].lock())
    return gpu;
  int count = 0;
  if (const CUresult result = library.cuDeviceGetCount(&count);
      result != CUDA_SUCCESS)
    return library.error(result, "cuDeviceGetCount").in(who);
  if (ordinal >= count)
    return failedPrecondition(
        who + " is GPU " + std::to_string(ordinal) + "; this machine has " +
        std::to_string(count) +
        ", counted from 0; several devices may be on one, as " +
        (library.smpEmulatorFault ? "cuda-emulator:1=0"
                                  : "cuda:1=0, and cuda-emulator needs none"));
  CUdevice device = 0;
  if (const CUresult result = library.cuDeviceGet(&device, ordinal);
      result != CUDA_SUCCESS)
    return library.error(result, "cuDeviceGet").in(who);
  std::shared_ptr<CudaGpu> gpu(new CudaGpu(library, device, ordinal));
  SMP_RETURN_IF_ERROR(gpu->retain(who));
  table.used[key] = gpu;
  return gpu;
}

Status CudaGpu::retain(const std::string &who) {
  api.cuDeviceGetAttribute(&major, kComputeCapabilityMajor, device);
  api.cuDeviceGetAttribute(&minor, kComputeCapabilityMinor, device);
  api.cuDeviceGetAttribute(&multiprocessors, kMultiprocessorCount, device);
  char name[128] = {};
  api.cuDeviceGetName(name, int(sizeof name) - 1, device);
  if (capability() < 80)
    return failedPrecondition(
        who + ": '" + name + "' has compute capability " + capabilityText() +
        "; smp needs sm_80 (8.0) or more: use another GPU, or cuda-emulator");
  if (const CUresult result = api.cuDevicePrimaryCtxRetain(&context, device);
      result == CUDA_ERROR_OUT_OF_MEMORY && api.smpEmulatorFault)
    return resourceExhausted(
        who + ": the system does not reserve the addresses of an emulated GPU; "
              "raise the limit that `ulimit -v` shows");
  else if (result != CUDA_SUCCESS)
    return api.error(result, "cuDevicePrimaryCtxRetain").in(who);
  return Status();
}

CudaGpu::~CudaGpu() {
  if (context)
    api.cuDevicePrimaryCtxRelease(device);
}

Status CudaGpu::check(CUresult result, const char *call) {
  if (result == CUDA_SUCCESS) [[likely]]
    return Status();
  if (isLost || spoilsContext(result))
    return lose(result, call);
  return api.error(result, call);
}

Status CudaGpu::lose(CUresult result, const char *call) {
  std::lock_guard<std::mutex> hold(lock);
  if (isLost)
    return loss;
  const char *seen = nullptr;
  if (api.smpEmulatorFault)
    api.smpEmulatorFault(device, &seen);
  loss = internalError(
      "GPU " + std::to_string(ordinal) + " was lost to this process: " +
      (seen ? std::string(seen) : api.error(result, call).message()) +
      "; only a new process can use it");
  isLost = true;
  GpuTable &table = GpuTable::instance();
  std::lock_guard<std::mutex> holdTable(table.lock);
  table.lost[{&api, ordinal}] = loss;
  return loss;
}

void CudaGpu::connect(const CudaGpu &peer) {
  std::lock_guard<std::mutex> hold(lock);
  if (!connected.insert(&peer).second)
    return;
  int can = 0;
  if (api.cuDeviceCanAccessPeer(&can, device, peer.device) == CUDA_SUCCESS &&
      can)
    api.cuCtxEnablePeerAccess(peer.context, 0);
}

void CudaGpu::addPinned(const void *data, uint64_t bytes) {
  std::lock_guard<std::mutex> hold(lock);
  pinned[reinterpret_cast<uintptr_t>(data)] = bytes;
}

void CudaGpu::removePinned(const void *data) {
  std::lock_guard<std::mutex> hold(lock);
  pinned.erase(reinterpret_cast<uintptr_t>(data));
}

bool CudaGpu::isPinned(const void *data, uint64_t bytes) const {
  const auto address = reinterpret_cast<uintptr_t>(data);
  std::lock_guard<std::mutex> hold(lock);
  auto next = pinned.upper_bound(address);
  if (next == pinned.begin())
    return false;
  const auto &[first, size] = *--next;
  return address - first <= size && bytes <= size - (address - first);
}

Status CudaGpu::state() const {
  if (!isLost) [[likely]]
    return Status();
  std::lock_guard<std::mutex> hold(lock);
  return loss;
}

} // namespace smp::cuda
