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

Status CudaStream::clear(const CudaKernel &kernel) {
  const uint64_t bytes = kernel.numFaults() * sizeof(smp_cuda_fault);
  if (faults.size() < bytes) {
    SMP_ASSIGN_OR_RETURN(faults, PinnedBlock::allocate(gpu, bytes));
    SMP_ASSIGN_OR_RETURN(clearFaults, PinnedBlock::allocate(gpu, bytes));
    auto *records = reinterpret_cast<smp_cuda_fault *>(clearFaults.data());
    std::fill_n(records, kernel.numFaults(),
                smp_cuda_fault{std::numeric_limits<int64_t>::max(), -1});
  }
  return gpu->check(gpu->api.cuMemcpyHtoDAsync(
                        kernel.faults, clearFaults.data(), bytes, stream),
                    "cuMemcpyHtoDAsync");
}

Status CudaStream::start(CudaKernel &kernel,
                         std::span<const BufferView> buffers) {
  if (kernel.numFaults())
    SMP_RETURN_IF_ERROR(clear(kernel));
  void **values = parameters.of(kernel, buffers);
  if (gpu->api.smpEmulatorBuffer)
    describeToEmulator(kernel, buffers, [&](auto... what) {
      gpu->api.smpEmulatorBuffer(stream, what...);
    });
  const uint32_t (&grid)[3] = kernel.desc.grid;
  const BlockLaunch &blocks = *kernel.desc.blocks;
  if (!kernel.hasCluster())
    return gpu->check(
        gpu->api.cuLaunchKernel(kernel.function, grid[0], grid[1], grid[2],
                                blocks.threads[0], blocks.threads[1],
                                blocks.threads[2], blocks.sharedBytes, stream,
                                values, nullptr),
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
  return gpu->check(
      gpu->api.cuLaunchKernelEx(&config, kernel.function, values, nullptr),
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
  if (!isOk())
    return;
  auto &kernel = static_cast<CudaKernel &>(*call.kernel);
  launches.begin(call.info);
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

void CudaStream::launchGraph(CUgraphExec graph,
                             std::span<const LaunchCall> calls) {
  const LaunchInfo &first = *calls.front().info, &last = *calls.back().info;
  launches.begin({&first, &last});
  Status status =
      gpu->check(gpu->api.cuGraphLaunch(graph, stream), "cuGraphLaunch");
  launches.end(stream, status.ok());
  if (!status.ok())
    note(status.in("kernels '" + first.kernel + "' to '" + last.kernel + "'"));
}

void CudaStream::launchRun(std::span<const LaunchCall> calls) {
  constexpr size_t kMost = LaunchGraphs::kMostLaunches;
  for (size_t parts = (calls.size() + kMost - 1) / kMost; parts > 0; --parts) {
    const auto part = calls.first((calls.size() + parts - 1) / parts);
    calls = calls.subspan(part.size());
    if (!isOk())
      return;
    const auto graph = part.size() < LaunchGraphs::kLeastLaunches
                           ? std::nullopt
                           : graphs.find(part);
    if (graph)
      launchGraph(*graph, part);
    else
      for (const LaunchCall &call : part)
        launchNow(call);
  }
}

void CudaStream::launchSequence(std::span<const LaunchCall> calls,
                                uint64_t *stamps) {
  const CudaGpu::Use use(*gpu);
  note(mayLaunch());
  if (stamps) {
    times->add(stream, stamps++);
    for (const LaunchCall &call : calls) {
      launchNow(call);
      times->add(stream, stamps++);
    }
    return;
  }
  while (!calls.empty()) {
    const auto end =
        std::find_if_not(calls.begin(), calls.end(), LaunchGraphs::mayHold);
    const auto run = calls.first(size_t(end - calls.begin()));
    launchRun(run);
    calls = calls.subspan(run.size());
    if (calls.empty())
      return;
    launchNow(calls.front());
    calls = calls.subspan(1);
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
