// SPDX-License-Identifier: Apache-2.0
// What a person configures: smp.json, and smp::init() in C++. The reader of the
// JSON form is smp/serialization/Config.h.

#ifndef SMP_MODEL_CONFIG_H
#define SMP_MODEL_CONFIG_H

#include <cstdint>
#include <optional>
#include <string>

namespace smp {

/// Of one program, and of one step: a schedule lists all that each of them
/// does.
inline constexpr int64_t kMostPartitions = 4096;
inline constexpr int64_t kMostMicrobatches = 1 << 16;

/// The order of forward and backward work. Entries that are not trained have
/// forward work only, so that all are the same for them; OnlyForward refuses
/// the others.
enum class PipelineKind : uint8_t {
  Interleaved,
  Simple,
  OnlyForward,
  ZeroBubbleH1, ///< Gradients of weights fill gaps.
  ZeroBubbleH2, ///< The same with more microbatches under way.
  ZeroBubbleV,  ///< The same for partitions with two parts of the model each.
};

/// As it is configured: "interleaved", "simple", "_only_forward", "zb-h1" ...
const char *toString(PipelineKind kind);

/// What partitions are balanced by.
enum class Optimize : uint8_t { Memory, Speed };

/// The configuration with its defaults. docs/rationale/configuration.md says
/// what each key means here.
struct Config {
  int64_t partitions = 1;
  int64_t microbatches = 1;
  PipelineKind pipeline = PipelineKind::Interleaved;
  /// The most microbatches of training that are begun and not finished. Not
  /// given: as many as is usual for the pipeline, see usualActive().
  std::optional<int64_t> activeMicrobatches = {};
  /// Not given: partitions are balanced by time alone.
  std::optional<Optimize> optimize = {};
  /// Not given: follows from `optimize`.
  std::optional<double> memoryWeight = {};
  bool autoPartition = true;
  /// With autoPartition: pins hold, and only the rest is the solver's.
  bool keepPins = false;
  /// Where ops outside of every partition scope go; needed without
  /// autoPartition.
  std::optional<int64_t> defaultPartition = {};
  bool contiguous = true; ///< Prefer partitions that need one stage each.
  /// The most bytes that each partition may need. Not given: any number.
  std::optional<int64_t> memoryLimit = {};
  bool loadPartition = false;
  std::string partitionFile = {}; ///< Empty: none.

  /// How much balanced variable bytes count against balanced time, in 0..1.
  double effectiveMemoryWeight() const;
};

/// What is wrong with the configuration, or nothing.
std::optional<std::string> checkConfig(const Config &config);

} // namespace smp

#endif // SMP_MODEL_CONFIG_H
