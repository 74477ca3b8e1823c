// SPDX-License-Identifier: Apache-2.0
// What steps of a workload are given.

#ifndef SMP_BENCH_BATCH_H
#define SMP_BENCH_BATCH_H

#include "smp/exec/SessionTypes.h"
#include "smp/model/HostTensor.h"

namespace smp::bench {

/// Tokens and classes of every workload are below this.
inline constexpr int64_t kLeastClasses = 65;

/// The inputs of a step, the same for all.
class Batch {
public:
  explicit Batch(const EntrySignature &entry);
  std::span<const InputTensor> inputs() const { return views; }

private:
  std::vector<std::vector<int64_t>> shapes;
  std::vector<HostTensor> tensors;
  std::vector<std::string> names;
  std::vector<InputTensor> views;
};

} // namespace smp::bench

#endif // SMP_BENCH_BATCH_H
