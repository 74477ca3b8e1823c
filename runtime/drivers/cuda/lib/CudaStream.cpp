// SPDX-License-Identifier: Apache-2.0
#include "CudaStream.h"
#include "DeviceCopy.h"
#include <algorithm>
#include <limits>

namespace smp::cuda {

StatusOr<std::unique_ptr<Stream>>
CudaStream::create(std::shared_ptr<CudaGpu> gpu, uint64_t seed) {
  const CudaGpu::Use use(*gpu);
  CUstream handle = nullptr;
  SMP_RETURN_IF_ERROR(gpu->check(
      gpu->api.cuStreamCreate(&handle, kStreamNonBlocking), "cuStreamCreate"));
  if (gpu->api.smpEmulatorSeed)
    gpu->api.smpEmulatorSeed(handle, seed);
  return std::unique_ptr<Stream>(new CudaStream(std::move(gpu), handle));
}

CudaStream::~CudaStream() {
  const CudaGpu::Use use(*gpu);
  gpu->api.cuStreamSynchronize(stream);
  times->resolve();
  gpu->api.cuStreamDestroy(stream);
}

bool CudaStream::isOk() {
  if (error.ok())
    error = gpu->state();
  return error.ok();
}

void CudaStream::note(Status status) {
  if (error.ok())
    error = std::move(status);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Status CudaStream::reserve(const CudaKernel &kernel) {
  const size_t count = kernel.desc.numBuffers + 2;
  values.resize(std::max(values.size(), count));
  parameters.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    parameters[i] = &values[i];
  const uint64_t bytes = kernel.numFaults() * sizeof(smp_cuda_fault);
  if (faults.size() >= bytes)
    return Status();
  SMP_ASSIGN_OR_RETURN(faults, PinnedBlock::allocate(gpu, bytes));
  SMP_ASSIGN_OR_RETURN(clearFaults, PinnedBlock::allocate(gpu, bytes));
  auto *records = reinterpret_cast<smp_cuda_fault *>(clearFaults.data());
  std::fill_n(records, kernel.numFaults(),
              smp_cuda_fault{std::numeric_limits<int64_t>::max(), -1});
  return Status();
}

// They are parts of few allocations, and nobody has written the workspace.
void CudaStream::describeToEmulator(const CudaKernel &kernel,
                                    std::span<const BufferView> buffers) {
  if (!gpu->api.smpEmulatorBuffer)
    return;
  const uint32_t outputs = kernel.desc.numOutputs;
  const size_t inputs = outputs ? buffers.size() - outputs : 0;
  for (uint32_t i = 0; i < buffers.size(); ++i)
    gpu->api.smpEmulatorBuffer(stream, i, buffers[i].bytes,
                               i < inputs ? EmulatorBufferUse::Read
                                          : EmulatorBufferUse::Written);
  const uint32_t faultsAt = kernel.desc.numBuffers;
  gpu->api.smpEmulatorBuffer(stream, faultsAt,
                             kernel.numFaults() * sizeof(smp_cuda_fault),
                             EmulatorBufferUse::Written);
  gpu->api.smpEmulatorBuffer(stream, faultsAt + 1,
                             kernel.desc.blocks->workspaceBytes,
                             EmulatorBufferUse::Undefined);
}

Status CudaStream::start(CudaKernel &kernel,
                         std::span<const BufferView> buffers) {
  SMP_RETURN_IF_ERROR(reserve(kernel));
  for (size_t i = 0; i < buffers.size(); ++i)
    values[i] = deviceAddress(buffers[i]);
  values[buffers.size()] = kernel.faults;
  values[buffers.size() + 1] = kernel.workspace;
  if (kernel.numFaults())
    SMP_RETURN_IF_ERROR(gpu->check(
        gpu->api.cuMemcpyHtoDAsync(kernel.faults, clearFaults.data(),
                                   kernel.numFaults() * sizeof(smp_cuda_fault),
                                   stream),
        "cuMemcpyHtoDAsync"));
  describeToEmulator(kernel, buffers);
  const uint32_t (&grid)[3] = kernel.desc.grid;
  const BlockLaunch &blocks = *kernel.desc.blocks;
  if (!kernel.hasCluster())
    return gpu->check(
        gpu->api.cuLaunchKernel(kernel.function, grid[0], grid[1], grid[2],
                                blocks.threads[0], blocks.threads[1],
                                blocks.threads[2], blocks.sharedBytes, stream,
                                parameters.data(), nullptr),
        "cuLaunchKernel");
  CUlaunchAttribute cluster = {};
  cluster.id = kLaunchClusterDimension;
  std::copy_n(blocks.cluster, 3, cluster.value.clusterDim);
  const CUlaunchConfig config = {grid[0],
                                 grid[1],
                                 grid[2],
                                 blocks.threads[0],
                                 blocks.threads[1],
                                 blocks.threads[2],
                                 blocks.sharedBytes,
                                 stream,
                                 &cluster,
                                 1};
  return gpu->check(gpu->api.cuLaunchKernelEx(&config, kernel.function,
                                              parameters.data(), nullptr),
                    "cuLaunchKernelEx");
}

Status CudaStream::settle(const CudaKernel &kernel, const LaunchInfo &info) {
  SMP_RETURN_IF_ERROR(gpu->check(
      gpu->api.cuMemcpyDtoHAsync(faults.data(), kernel.faults,
                                 kernel.numFaults() * sizeof(smp_cuda_fault),
                                 stream),
      "cuMemcpyDtoHAsync"));
  SMP_RETURN_IF_ERROR(
      gpu->check(gpu->api.cuStreamSynchronize(stream), "cuStreamSynchronize"));
  const auto *records = reinterpret_cast<const smp_cuda_fault *>(faults.data());
  for (uint32_t op = 0; op < kernel.numFaults(); ++op)
    if (records[op].bound >= 0)
      return faultStatus(
          info, {records[op].index, records[op].bound, 1, int32_t(op)});
  return Status();
}

void CudaStream::launchNow(const LaunchCall &call) {
  auto &kernel = static_cast<CudaKernel &>(*call.kernel);
  launches.begin(*call.info);
  Status status = start(kernel, call.buffers);
  launches.end(stream, status.ok());
  if (!status.ok())
    return note(status.in("kernel '" + call.info->kernel + "'"));
  if (kernel.numFaults())
    note(settle(kernel, *call.info));
}

void CudaStream::launch(DeviceKernel &kernel,
                        std::span<const BufferView> buffers,
                        const LaunchInfo &info) {
  const LaunchCall call{&kernel, buffers, &info};
  launchSequence({&call, 1}, nullptr);
}

void CudaStream::launchSequence(std::span<const LaunchCall> calls,
                                uint64_t *stamps) {
  const CudaGpu::Use use(*gpu);
  if (stamps)
    times->add(stream, stamps++);
  for (const LaunchCall &call : calls) {
    if (isOk())
      launchNow(call);
    if (stamps)
      times->add(stream, stamps++);
  }
}

//===----------------------------------------------------------------------===//
// Copies, times and events
//===----------------------------------------------------------------------===//

static bool isEmpty(const CopyShape &shape) {
  return shape.rowBytes == 0 || shape.rows == 0;
}

void CudaStream::copy(BufferView to, BufferView from, const CopyShape &shape) {
  if (!isOk() || isEmpty(shape))
    return;
  const CudaGpu::Use use(*gpu);
  CudaGpu &peer = gpuOf(from);
  note(&peer == gpu.get() ? copyOnDevice(*gpu, stream, deviceAddress(to),
                                         deviceAddress(from), shape)
                          : copyFromPeer(*gpu, stream, deviceAddress(to), peer,
                                         deviceAddress(from), shape));
}

bool CudaStream::isPinned(const void *host, const CopyShape &shape,
                          uint64_t pitch) const {
  return gpu->isPinned(host, (shape.rows - 1) * pitch + shape.rowBytes);
}

void CudaStream::upload(BufferView to, const void *from,
                        const CopyShape &shape) {
  if (!isOk() || isEmpty(shape))
    return;
  const CudaGpu::Use use(*gpu);
  auto *host = const_cast<std::byte *>(static_cast<const std::byte *>(from));
  note(isPinned(from, shape, shape.fromPitch)
           ? copyOnDevice(*gpu, stream, deviceAddress(to), host, shape)
           : hostCopies.upload(deviceAddress(to), from, shape));
}

void CudaStream::download(void *to, BufferView from, const CopyShape &shape) {
  if (!isOk() || isEmpty(shape))
    return;
  const CudaGpu::Use use(*gpu);
  note(isPinned(to, shape, shape.toPitch)
           ? copyOnDevice(*gpu, stream, static_cast<std::byte *>(to),
                          deviceAddress(from), shape)
           : hostCopies.download(to, deviceAddress(from), shape));
}

void CudaStream::timestamp(uint64_t *nanoseconds) {
  const CudaGpu::Use use(*gpu);
  times->add(stream, nanoseconds);
}

void CudaStream::record(Event &event) {
  (void)isOk(); // Takes over that the GPU is lost.
  const CudaGpu::Use use(*gpu);
  static_cast<CudaEvent &>(event).record(*gpu, stream, error, times);
}

void CudaStream::wait(Event &event) {
  const CudaGpu::Use use(*gpu);
  auto &cuda = static_cast<CudaEvent &>(event);
  note(cuda.known());
  note(gpu->check(gpu->api.cuStreamWaitEvent(stream, cuda.handle(), 0),
                  "cuStreamWaitEvent"));
}

} // namespace smp::cuda
