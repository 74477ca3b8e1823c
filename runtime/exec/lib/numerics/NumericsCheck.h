// SPDX-License-Identifier: Apache-2.0
// Runs a stage kernel by kernel and looks at the floats that each one wrote.

#ifndef SMP_EXEC_NUMERICSCHECK_H
#define SMP_EXEC_NUMERICSCHECK_H

#include "../device/DevicePartition.h"
#include "../step/StepControl.h"
#include "../tensors/Slots.h"
#include "NumericsReport.h"
#include "smp/exec/SessionTypes.h"

namespace smp {

/// Fails when the program does not say what its kernels write.
Status checkNumericsKnown(const Program &program);

/// Memory that the stages of a partition share for looking at tensors.
class NumericsPieces {
public:
  static constexpr uint64_t kBytes = uint64_t(1) << 18;

  Status allocate();
  /// kBytes to copy to.
  std::byte *data() const { return memory.data(); }
  /// Puts into the stream that `bytes` from the view on become zeros.
  void clear(Stream &stream, BufferView view, uint64_t bytes) const;
  /// The same of all prepared values, so that what no kernel writes is known.
  void clearPrepared(DevicePartition &partition) const;

private:
  HostMemory memory; // Twice kBytes, the second half zeros.
};

/// Of one stage of an entry. Waits for every kernel and copies what it wrote to
/// the host, a piece at a time: any device can be checked, none fast.
class NumericsCheck {
public:
  /// Borrows all.
  NumericsCheck(const StagePlace &place, DevicePartition &partition,
                CheckNumerics what, StepControl &control,
                NumericsPieces &pieces)
      : place(place), partition(partition), what(what), control(control),
        pieces(pieces) {}

  /// One run, as StageCode::run. False when what a kernel wrote ended the step.
  bool run(uint32_t microbatch, const StageBinding &binding,
           std::span<uint64_t> times);

private:
  bool runLaunch(StageCode &code, uint32_t number);
  bool isChecked(const Launch &launch, size_t buffer) const;
  bool isOverwritten(const Launch &launch, size_t buffer) const;
  bool isInPlace(const Launch &launch, size_t buffer) const;
  bool isUnused(const BufferRef &ref) const;
  bool look(const Launch &launch, std::span<const BufferView> views,
            size_t buffer, bool infinitiesToo, std::optional<BadFloat> &found);
  bool lookAtInputs(const Launch &launch, std::span<const BufferView> views,
                    bool overwritten, std::vector<BadBuffer> &carried);

  StagePlace place;
  DevicePartition &partition;
  CheckNumerics what;
  StepControl &control;
  NumericsPieces &pieces;
};

} // namespace smp

#endif // SMP_EXEC_NUMERICSCHECK_H
