// SPDX-License-Identifier: Apache-2.0
#include "LaunchGraphs.h"
#include <algorithm>

namespace smp::cuda {

static CudaKernel &kernelOf(const LaunchCall &call) {
  return static_cast<CudaKernel &>(*call.kernel);
}

LaunchGraphs::~LaunchGraphs() {
  const CudaGpu::Use use(*gpu);
  for (Sequence &sequence : sequences)
    forget(sequence);
}

bool LaunchGraphs::mayHold(const LaunchCall &call) {
  const CudaKernel &kernel = kernelOf(call);
  return !kernel.numFaults() && !kernel.hasCluster();
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

// A kernel has a number of its own: another may come to be at its address.
void LaunchGraphs::readKey(std::span<const LaunchCall> calls) {
  key.clear();
  for (const LaunchCall &call : calls) {
    key.push_back(kernelOf(call).number);
    for (const BufferView &view : call.buffers) {
      key.push_back(deviceAddress(view));
      key.push_back(view.bytes);
    }
  }
}

static uint64_t hashOf(std::span<const uint64_t> words) {
  uint64_t hash = words.size();
  for (uint64_t word : words)
    hash = (hash ^ word ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;
  return hash;
}

LaunchGraphs::Sequence *LaunchGraphs::lookUp(uint64_t hash) {
  for (auto at = hashes.begin();
       (at = std::find(at, hashes.end(), hash)) != hashes.end(); ++at)
    if (Sequence &found = sequences[size_t(at - hashes.begin())];
        found.key == key)
      return &found;
  return nullptr;
}

LaunchGraphs::Sequence &LaunchGraphs::remember(uint64_t hash) {
  size_t place = sequences.size();
  if (place < kSequences) {
    sequences.emplace_back();
    hashes.push_back(hash);
  } else {
    const auto oldest =
        std::min_element(sequences.begin(), sequences.end(),
                         [](const Sequence &one, const Sequence &other) {
                           return one.used < other.used;
                         });
    forget(*oldest);
    place = size_t(oldest - sequences.begin());
    hashes[place] = hash;
  }
  sequences[place].key = key;
  return sequences[place];
}

void LaunchGraphs::forget(Sequence &sequence) {
  if (sequence.state == State::Ready)
    gpu->api.cuGraphExecDestroy(sequence.graph); // It still runs to its end.
  sequence.state = State::Seen;
  sequence.images.clear();
}

std::optional<CUgraphExec>
LaunchGraphs::find(std::span<const LaunchCall> calls) {
  readKey(calls);
  const uint64_t hash = hashOf(key);
  Sequence *sequence = lookUp(hash);
  if (!sequence)
    sequence = &remember(hash);
  else if (sequence->state == State::Seen)
    make(*sequence, calls);
  sequence->used = ++clock;
  if (sequence->state != State::Ready)
    return std::nullopt;
  return sequence->graph;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

CUresult LaunchGraphs::addNodes(CUgraph graph,
                                std::span<const LaunchCall> calls) {
  const CudaLibrary &api = gpu->api;
  CUgraphNode before = nullptr;
  for (const LaunchCall &call : calls) {
    const CudaKernel &kernel = kernelOf(call);
    const uint32_t (&grid)[3] = kernel.desc.grid;
    const BlockLaunch &blocks = *kernel.desc.blocks;
    const CUDA_KERNEL_NODE_PARAMS launch = {kernel.function,
                                            grid[0],
                                            grid[1],
                                            grid[2],
                                            blocks.threads[0],
                                            blocks.threads[1],
                                            blocks.threads[2],
                                            blocks.sharedBytes,
                                            parameters.of(kernel, call.buffers),
                                            nullptr,
                                            nullptr,
                                            nullptr};
    CUgraphNode node = nullptr;
    const bool isFirst = &call == &calls.front();
    if (const CUresult result =
            api.cuGraphAddKernelNode(&node, graph, isFirst ? nullptr : &before,
                                     isFirst ? 0 : 1, &launch);
        result != CUDA_SUCCESS)
      return result;
    if (api.smpEmulatorNodeBuffer)
      describeToEmulator(kernel, call.buffers, [&](auto... what) {
        api.smpEmulatorNodeBuffer(node, what...);
      });
    before = node;
  }
  return CUDA_SUCCESS;
}

// Launches one by one do the same: what libcuda refuses it, such as memory, is
// no error.
void LaunchGraphs::make(Sequence &sequence, std::span<const LaunchCall> calls) {
  const CudaLibrary &api = gpu->api;
  sequence.state = State::Refused;
  CUgraph graph = nullptr;
  CUresult result = api.cuGraphCreate(&graph, 0);
  if (result == CUDA_SUCCESS) {
    result = addNodes(graph, calls);
    if (result == CUDA_SUCCESS)
      result = api.cuGraphInstantiateWithFlags(&sequence.graph, graph, 0);
    api.cuGraphDestroy(graph);
  }
  if (!gpu->check(result, "cuGraphInstantiate").ok())
    return;
  for (const LaunchCall &call : calls)
    sequence.images.push_back(kernelOf(call).owner());
  sequence.state = State::Ready;
}

} // namespace smp::cuda
