// SPDX-License-Identifier: Apache-2.0
// What is behind the handles of graphs.

#ifndef SMP_EMULATOR_CUDA_LIB_GRAPHS_H
#define SMP_EMULATOR_CUDA_LIB_GRAPHS_H

#include "Modules.h"
#include <map>

namespace smp::cuda {

/// The handles of a kind that are alive: others are errors. Any thread.
template <typename T>
class Handles {
public:
  static Handles &all() {
    static Handles handles;
    return handles;
  }
  T *add(std::unique_ptr<T> object) {
    std::lock_guard<std::mutex> hold(lock);
    return alive.emplace(object.get(), std::move(object)).first->first;
  }
  bool has(T *handle) {
    std::lock_guard<std::mutex> hold(lock);
    return alive.count(handle) > 0;
  }
  bool remove(T *handle) {
    std::lock_guard<std::mutex> hold(lock);
    return alive.erase(handle) > 0;
  }

private:
  std::mutex lock;
  std::map<T *, std::unique_ptr<T>> alive;
};

/// A launch of a graph, and those that it comes after.
struct CUgraphNode_st {
  LaunchForm form;
  std::vector<size_t> before; ///< Numbers of nodes, each less than its own.
};

struct CUgraph_st {
  std::deque<CUgraphNode_st> nodes; ///< Handles are where they are.
  /// Its number; nothing: it is of another graph.
  std::optional<size_t> find(const CUgraphNode_st *node) const;
};

/// A graph that is ready; what becomes of the other one is nothing to it.
struct CUgraphExec_st {
  std::vector<CUgraphNode_st> nodes;
  /// Puts a run into the stream: in any order that the nodes allow.
  void launch(CUstream_st &stream) const;
};

} // namespace smp::cuda

#endif // SMP_EMULATOR_CUDA_LIB_GRAPHS_H
