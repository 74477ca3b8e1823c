// SPDX-License-Identifier: Apache-2.0
#include "Graphs.h"
#include "Exports.h"
#include <algorithm>

namespace smp::cuda {

std::optional<size_t> CUgraph_st::find(const CUgraphNode_st *node) const {
  for (size_t i = 0; i < nodes.size(); ++i)
    if (&nodes[i] == node)
      return i;
  return std::nullopt;
}

namespace {
/// A run of a graph, on its stream's thread.
struct Run {
  std::vector<std::function<void(CUstream_st &)>> launches;
  std::vector<std::vector<size_t>> before;

  void operator()(CUstream_st &stream) {
    std::vector<bool> done(launches.size());
    const auto mayRun = [&](size_t node) {
      return !done[node] &&
             std::all_of(before[node].begin(), before[node].end(),
                         [&](size_t other) { return done[other]; });
    };
    for (size_t left = launches.size();
         left > 0 && stream.gpu.state() == CUDA_SUCCESS; --left) {
      std::vector<size_t> next;
      for (size_t node = 0; node < launches.size(); ++node)
        if (mayRun(node))
          next.push_back(node);
      const size_t chosen =
          next.size() == 1 ? next[0] : next[stream.random() % next.size()];
      launches[chosen](stream);
      done[chosen] = true;
    }
  }
};
} // namespace

void CUgraphExec_st::launch(CUstream_st &stream) const {
  Run run;
  for (const CUgraphNode_st &node : nodes) {
    run.launches.push_back(node.form.ready());
    run.before.push_back(node.before);
  }
  stream.put([run = std::move(run), &stream]() mutable { run(stream); });
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  if (!graph || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = Handles<CUgraph_st>::all().add(std::make_unique<CUgraph_st>());
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  return Handles<CUgraph_st>::all().remove(graph) ? CUDA_SUCCESS
                                                  : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *before, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS *kernel) {
  if (!node || !kernel || !Handles<CUgraph_st>::all().has(graph) ||
      (kernel->kernelParams && kernel->extra))
    return CUDA_ERROR_INVALID_VALUE;
  if (!isLoaded(kernel->func))
    return CUDA_ERROR_INVALID_HANDLE;
  const CUlaunchConfig config = {kernel->gridDimX,
                                 kernel->gridDimY,
                                 kernel->gridDimZ,
                                 kernel->blockDimX,
                                 kernel->blockDimY,
                                 kernel->blockDimZ,
                                 kernel->sharedMemBytes,
                                 nullptr,
                                 nullptr,
                                 0};
  std::vector<size_t> others;
  for (size_t i = 0; i < count; ++i) {
    const auto other = graph->find(before[i]);
    if (!other)
      return CUDA_ERROR_INVALID_VALUE;
    others.push_back(*other);
  }
  auto form = LaunchForm::make(*kernel->func, config, kernel->kernelParams);
  if (!form)
    return CUDA_ERROR_INVALID_VALUE;
  graph->nodes.push_back({std::move(*form), std::move(others)});
  *node = &graph->nodes.back();
  return CUDA_SUCCESS;
}

CUresult smpEmulatorNodeBuffer(CUgraphNode node, unsigned parameter,
                               uint64_t bytes, EmulatorBufferUse use) {
  node->form.known.push_back({parameter, bytes, use});
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Graphs that are ready
//===----------------------------------------------------------------------===//

CUresult cuGraphInstantiateWithFlags(CUgraphExec *ready, CUgraph graph,
                                     unsigned long long flags) {
  if (!ready || flags || !Handles<CUgraph_st>::all().has(graph))
    return CUDA_ERROR_INVALID_VALUE;
  Gpu *gpu = currentGpu();
  if (!gpu)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (gpu->state() != CUDA_SUCCESS)
    return gpu->state();
  auto made = std::make_unique<CUgraphExec_st>();
  made->nodes.assign(graph->nodes.begin(), graph->nodes.end());
  *ready = Handles<CUgraphExec_st>::all().add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec ready) {
  return Handles<CUgraphExec_st>::all().remove(ready)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphLaunch(CUgraphExec ready, CUstream stream) {
  if (!Handles<CUgraphExec_st>::all().has(ready))
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->gpu.state() != CUDA_SUCCESS)
    return stream->gpu.state();
  for (const CUgraphNode_st &node : ready->nodes)
    if (!isLoaded(node.form.of()))
      return CUDA_ERROR_INVALID_HANDLE;
  ready->launch(*stream);
  return CUDA_SUCCESS;
}

} // namespace smp::cuda
