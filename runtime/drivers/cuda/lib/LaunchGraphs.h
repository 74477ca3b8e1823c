// SPDX-License-Identifier: Apache-2.0
// Launches that are put into a stream again and again, as CUDA graphs.

#ifndef SMP_DRIVERS_CUDA_LIB_LAUNCHGRAPHS_H
#define SMP_DRIVERS_CUDA_LIB_LAUNCHGRAPHS_H

#include "Parameters.h"
#include "smp/device/Stream.h"

namespace smp::cuda {

/// Knows the sequences of launches that one stream was given last: kernels with
/// the memory that they work on. What comes a second time becomes a graph,
/// which is one call of libcuda from then on. The GPU's context is current in
/// every call, but for the destructor.
class LaunchGraphs {
public:
  /// Fewer launches are cheaper one by one; more are several graphs, because
  /// nobody sees how far a graph is.
  static constexpr size_t kLeastLaunches = 4, kMostLaunches = 32;
  /// How many sequences are remembered.
  static constexpr size_t kSequences = 256;

  explicit LaunchGraphs(std::shared_ptr<CudaGpu> gpu) : gpu(std::move(gpu)) {}
  ~LaunchGraphs();

  /// Whether the launch may be a part of a graph: nobody waits for it.
  static bool mayHold(const LaunchCall &call);
  /// The graph of these launches, owned; nothing when they are to be launched
  /// one by one: they are new, or libcuda refused to make a graph of them.
  std::optional<CUgraphExec> find(std::span<const LaunchCall> calls);

private:
  enum class State { Seen, Ready, Refused };
  struct Sequence {
    std::vector<uint64_t> key;
    State state = State::Seen;
    CUgraphExec graph = nullptr; // Owned while Ready.
    uint64_t used = 0;           // When; sequences are counted.
    /// Of the kernels, which may end before the graph does.
    std::vector<std::shared_ptr<Image>> images;
  };
  void readKey(std::span<const LaunchCall> calls);
  /// The sequence that has the key; null: none.
  Sequence *lookUp(uint64_t hash);
  /// Remembers the key, in the place of the sequence that was used least lately
  /// when there are many.
  Sequence &remember(uint64_t hash);
  void make(Sequence &sequence, std::span<const LaunchCall> calls);
  CUresult addNodes(CUgraph graph, std::span<const LaunchCall> calls);
  void forget(Sequence &sequence);

  std::shared_ptr<CudaGpu> gpu;
  Parameters parameters;
  std::vector<uint64_t> key; // Of the sequence that is looked for.
  std::vector<uint64_t> hashes;
  std::vector<Sequence> sequences; // By the same number.
  uint64_t clock = 0;
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_LAUNCHGRAPHS_H
