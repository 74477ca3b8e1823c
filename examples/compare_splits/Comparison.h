// SPDX-License-Identifier: Apache-2.0
// One network compiled and run in several ways.

#ifndef SMP_EXAMPLES_COMPARE_SPLITS_COMPARISON_H
#define SMP_EXAMPLES_COMPARE_SPLITS_COMPARISON_H

#include "smp/compile/CompileModel.h"
#include "smp/model/Graph.h"
#include "smp/runtime/Session.h"

namespace demo {

/// How many inputs a timed step has: one goes through the second device while
/// the next is on the first.
inline constexpr uint32_t kMicrobatches = 8;

struct Network {
  const char *title;    ///< "ResNet-18".
  const char *fileName; ///< "resnet18".
  const char *input;    ///< Of the entry `predict`.
  smp::StatusOr<smp::Model> (*build)();
  smp::HostTensor batch; ///< kMicrobatches inputs.
};

/// A way to divide a network over devices.
struct Split {
  const char *title;    ///< "by annotation".
  const char *fileName; ///< "annotated".
  int64_t partitions;
  smp::passes::PartitionMode mode;
};

/// A stage, and the memory of its device.
struct StageFigures {
  smp::StageTime time;
  std::string device;
  uint64_t predictedBytes = 0, measuredBytes = 0;
};

/// What became of one split.
struct Outcome {
  std::string path; ///< The program.
  double compileSeconds = 0;
  std::vector<StageFigures> stages;
  double stepSeconds = 0;      ///< Median, of all microbatches.
  double predictedSeconds = 0; ///< Of the same.
  uint64_t parameters = 0;
  /// Of one input alone, and of all of them in one step.
  std::vector<std::byte> single, batch;
};

struct Options {
  std::string folder; ///< Where programs go.
  /// Changes one weight of split networks, so that a comparison must fail.
  bool spoils = false;
};

/// Compiles the network, runs it, measures.
smp::StatusOr<Outcome> runSplit(const Network &network, const Split &split,
                                const Options &options);

} // namespace demo

#endif // SMP_EXAMPLES_COMPARE_SPLITS_COMPARISON_H
