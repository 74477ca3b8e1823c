// SPDX-License-Identifier: Apache-2.0
// Launches of one entry of a program, in the emulator, with any PTX text.

#ifndef SMP_TESTS_MUTATION_ENTRYRUN_H
#define SMP_TESTS_MUTATION_ENTRYRUN_H

#include "smp/emulator/Launch.h"
#include "smp/serialization/Program.h"
#include <map>
#include <optional>
#include <set>

namespace smp::test {

/// A PTX text of a program, or what stands for it.
struct Image {
  uint32_t number = 0; ///< In Program::images.
  std::string_view text;
};

/// What the elements of inputs are.
enum class Values {
  InRange,   ///< Floats in [-1, 1); indices of an axis of kIndexBound.
  Few,       ///< Ties; indices of both signs.
  Extreme,   ///< Floats of all sizes, integers at the bounds of their type.
  Large,     ///< Floats whose sums leave the type and come back; indices up to
             ///< kIndexBound itself.
  Ascending, ///< The last float is the greatest, the last index kIndexBound.
  Close,     ///< Floats that differ in their last bits, or halfway between two
             ///< halves; most indices the same, one of them kIndexBound.
};
/// Of every axis that an index of an entry is for.
constexpr int64_t kIndexBound = 9;

struct Inputs {
  Values values = Values::InRange;
  uint32_t seed = 0;
};

/// What became of a run.
struct Outcome {
  std::string refused; ///< Not empty: the text is no PTX.
  std::optional<emulator::Fault> fault;
  /// All bytes that it made: outputs, then fault records.
  std::vector<std::byte> made;
  uint64_t warpInstructions = 0; ///< Of the longest launch.
  /// Sectors of 32 bytes of the GPU's memory that accesses touched, in all
  /// launches.
  uint64_t sectors = 0;
};

/// An entry of one stage whose launches read inputs and make outputs. Each
/// buffer is as large as the program says, so that an access that leaves it
/// shows. Sessions would do, but a fault ends every Session of the process.
class EntryRun {
public:
  /// Throws std::runtime_error where the entry has what no run here has. The
  /// program outlives this.
  EntryRun(const Program &program, const Entry &entry);

  /// Bytes of its inputs and outputs.
  uint64_t bytes() const;
  /// The images of its kernels, without those of others.
  std::vector<Image> images() const;
  /// Runs with one image replaced. `seed` is that of the order of threads;
  /// every launch has at most so many instructions of warps.
  Outcome run(const Image &image, const Inputs &inputs, uint64_t seed,
              uint64_t maxWarpInstructions) const;

private:
  class Machine;
  std::set<std::string> kernels() const;
  const KernelVariant &variantOf(const Launch &launch) const;

  const Program &program;
  const Stage &stage;
  std::map<uint32_t, std::string> texts; ///< By the image's number.
};

} // namespace smp::test

#endif // SMP_TESTS_MUTATION_ENTRYRUN_H
