// SPDX-License-Identifier: Apache-2.0
// What the measurements share: programs compiled in process, and ratios of
// medians of two things timed in turn.

#ifndef SMP_BENCH_COMPILED_H
#define SMP_BENCH_COMPILED_H

#include "smp/runtime/Session.h"
#include <functional>

namespace smp::bench {

/// A program compiled from .mlir text for `partitions`. Ends the process with a
/// message when it cannot be.
class Compiled {
public:
  Compiled(const std::string &text, int64_t partitions = 1);
  ~Compiled();
  Compiled(Compiled &&) noexcept;

  /// A Session on `devices`, as SessionOptions::devices.
  Session open(const std::string &devices) const;

private:
  struct Bytes;
  std::unique_ptr<Bytes> bytes;
};

/// The value, or the end of the process with the error's message.
template <typename T>
T orDie(StatusOr<T> value) {
  if (value.ok())
    return value.take();
  std::fprintf(stderr, "bench: %s\n", value.status().message().c_str());
  std::exit(1);
}

/// Seconds per call, medians over rounds in which both are timed in turn.
struct Paired {
  double ours, theirs;
  double ratio() const { return theirs / ours; } ///< Above 1: ours is faster.
};
Paired timeInTurn(const std::function<void()> &ours,
                  const std::function<void()> &theirs, int rounds = 15);

/// Numbers in [-1, 1), aligned to pages, so that what shares a
/// cache set does not depend on where the allocator puts them.
class Numbers {
public:
  explicit Numbers(size_t count);
  ~Numbers();
  Numbers(const Numbers &) = delete;
  float *data() { return values; }
  size_t size() const { return count; }

private:
  size_t count;
  float *values;
};

/// The level that kernels run at: "v4" ...; the environment's SMP_CPU_LEVEL
/// lowers it.
std::string levelName();

/// The greatest difference of two vectors.
double greatestDifference(const float *a, const float *b, size_t count);

} // namespace smp::bench

#endif // SMP_BENCH_COMPILED_H
