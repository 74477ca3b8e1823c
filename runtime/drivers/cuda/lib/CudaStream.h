// SPDX-License-Identifier: Apache-2.0
// A stream of a GPU.

#ifndef SMP_DRIVERS_CUDA_LIB_CUDASTREAM_H
#define SMP_DRIVERS_CUDA_LIB_CUDASTREAM_H

#include "CudaEvent.h"
#include "HostCopies.h"
#include "LaunchGraphs.h"
#include "LaunchLog.h"

namespace smp::cuda {

/// Work is put into the GPU's stream at once and done later. A launch that may
/// meet an index out of range is waited for, since what follows must not run
/// after a fault: the rest of the work never waits for the host.
class CudaStream final : public Stream {
public:
  static StatusOr<std::unique_ptr<Stream>> create(std::shared_ptr<CudaGpu> gpu,
                                                  uint64_t seed);
  /// Waits for what is still to be done.
  ~CudaStream() override;

  void launch(DeviceKernel &kernel, std::span<const BufferView> buffers,
              const LaunchInfo &info) override;
  void launchSequence(std::span<const LaunchCall> calls,
                      uint64_t *times) override;
  void copy(BufferView to, BufferView from, const CopyShape &shape) override;
  void upload(BufferView to, const void *from, const CopyShape &shape) override;
  void download(void *to, BufferView from, const CopyShape &shape) override;
  void timestamp(uint64_t *nanoseconds) override;
  void record(Event &event) override;
  void wait(Event &event) override;
  void restart() override { error = Status(); }
  uint64_t progress() const override { return launches.completed(); }
  RunningLaunches running() const override { return launches.running(); }

private:
  CudaStream(std::shared_ptr<CudaGpu> gpu, CUstream stream)
      : gpu(gpu), stream(stream), hostCopies(gpu, stream), graphs(gpu),
        launches(gpu), times(std::make_shared<Timestamps>(gpu)) {}
  /// Whether nothing has gone wrong so far.
  bool isOk();
  void note(Status status);
  void launchNow(const LaunchCall &call);
  /// Launches that may all be a part of a graph.
  void launchRun(std::span<const LaunchCall> calls);
  void launchGraph(CUgraphExec graph, std::span<const LaunchCall> calls);
  /// Whether host memory that a copy reaches is pinned.
  bool isPinned(const void *host, const CopyShape &shape, uint64_t pitch) const;
  /// Clears a kernel's fault records.
  Status clear(const CudaKernel &kernel);
  Status start(CudaKernel &kernel, std::span<const BufferView> buffers);
  /// Waits for the launch and reads its fault records.
  Status settle(const CudaKernel &kernel, const LaunchInfo &info);

  std::shared_ptr<CudaGpu> gpu;
  CUstream stream; // Owned.
  Status error;
  Parameters parameters;
  PinnedBlock clearFaults, faults; // As before a launch, as after one.
  HostCopies hostCopies;
  LaunchGraphs graphs;
  mutable LaunchLog launches;
  std::shared_ptr<Timestamps> times;
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_CUDASTREAM_H
