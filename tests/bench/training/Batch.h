// SPDX-License-Identifier: Apache-2.0
// What steps of a workload are given.

#ifndef SMP_BENCH_BATCH_H
#define SMP_BENCH_BATCH_H

#include "smp/exec/SessionTypes.h"
#include "smp/model/HostTensor.h"

namespace smp::bench {

/// Tokens and classes of every workload are below this.
inline constexpr int64_t kLeastClasses = 65;

/// The inputs of a step, the same for all: `microbatches` of each that is
/// divided, by default as many as the entry has.
class Batch {
public:
  explicit Batch(const EntrySignature &entry, uint32_t microbatches = 0);
  Batch(const Batch &) = delete;
  std::span<const InputTensor> inputs() const { return views; }

private:
  std::vector<std::vector<int64_t>> shapes;
  std::vector<HostTensor> tensors;
  std::vector<std::string> names;
  std::vector<InputTensor> views;
};

} // namespace smp::bench

#endif // SMP_BENCH_BATCH_H
