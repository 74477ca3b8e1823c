// SPDX-License-Identifier: Apache-2.0
#include "NumericsCheck.h"
#include <algorithm>
#include <cstring>

namespace smp {

Status checkNumericsKnown(const Program &program) {
  for (const Stage &stage : program.stages)
    for (const Launch &launch : stage.launches) {
      const Kernel &kernel = program.kernels[launch.kernel];
      if (launch.dtypes.empty() || launch.makers.empty() ||
          kernel.numOutputs == 0)
        return failedPrecondition(
            "checkNumerics is on, but kernel '" + kernel.name + "' of stage '" +
            stage.name +
            "' does not say what it writes, as programs before "
            "format 1.3 do not; compile the program again");
    }
  return Status();
}

Status NumericsPieces::allocate() {
  SMP_RETURN_IF_ERROR(memory.reserve(2 * kBytes));
  std::memset(memory.data() + kBytes, 0, kBytes);
  return Status();
}

void NumericsPieces::clear(Stream &stream, BufferView view,
                           uint64_t bytes) const {
  for (; bytes > 0; bytes -= std::min(kBytes, bytes), view.offset += kBytes)
    stream.upload(view, memory.data() + kBytes, {std::min(kBytes, bytes)});
}

void NumericsPieces::clearPrepared(DevicePartition &partition) const {
  for (const auto &[number, buffer] : partition.prepared())
    if (!buffer->isImported()) // Else it is zero at first: allocateShared().
      clear(partition.stream(), {buffer.get()}, buffer->size());
}

static size_t firstOutput(const Program &program, const Launch &launch) {
  return launch.buffers.size() - program.kernels[launch.kernel].numOutputs;
}

/// Where gradients may overflow, the variables that the update leaves are what
/// must be sound.
bool NumericsCheck::isChecked(const Launch &launch, size_t buffer) const {
  if (!isFloat(launch.dtypes[buffer]))
    return false;
  const BufferRef &ref = launch.buffers[buffer];
  return !launch.mayOverflow ||
         (ref.space == Space::Variable &&
          place.program.variables[ref.index].kind != VariableKind::Accumulator);
}

bool NumericsCheck::isOverwritten(const Launch &launch, size_t buffer) const {
  const BufferRef &input = launch.buffers[buffer];
  return std::any_of(
      launch.buffers.begin() + ptrdiff_t(firstOutput(place.program, launch)),
      launch.buffers.end(),
      [&](const BufferRef &output) { return overlap(input, output); });
}

bool NumericsCheck::isInPlace(const Launch &launch, size_t buffer) const {
  return std::any_of(launch.buffers.begin(),
                     launch.buffers.begin() +
                         ptrdiff_t(firstOutput(place.program, launch)),
                     [&](const BufferRef &input) {
                       return overlap(input, launch.buffers[buffer]);
                     });
}

/// What the first microbatch finds in a sum is of the step before.
bool NumericsCheck::isUnused(const BufferRef &ref) const {
  return place.microbatch == 0 && place.stage().unit != Unit::Update &&
         ref.space == Space::Variable &&
         place.program.variables[ref.index].kind == VariableKind::Accumulator;
}

/// False on an error of the stream, which goes its own way: others learn of it
/// by what this stage hands out.
bool NumericsCheck::look(const Launch &launch,
                         std::span<const BufferView> views, size_t buffer,
                         bool infinitiesToo, std::optional<BadFloat> &found) {
  const DType dtype = launch.dtypes[buffer];
  const uint64_t bytes = launch.buffers[buffer].bytes;
  for (uint64_t from = 0; from < bytes && !found;
       from += NumericsPieces::kBytes) {
    const uint64_t size = std::min(NumericsPieces::kBytes, bytes - from);
    BufferView view = views[buffer];
    view.offset += from;
    partition.stream().download(pieces.data(), view, {size});
    if (!partition.waitForWork().ok())
      return false;
    found = findBadFloat(dtype, {pieces.data(), size}, infinitiesToo);
    if (found)
      found->index += from / sizeOf(dtype);
  }
  return true;
}

bool NumericsCheck::lookAtInputs(const Launch &launch,
                                 std::span<const BufferView> views,
                                 bool overwritten,
                                 std::vector<BadBuffer> &carried) {
  for (size_t b = 0; b < firstOutput(place.program, launch); ++b) {
    const BufferRef &ref = launch.buffers[b];
    const bool isKnown =
        std::any_of(carried.begin(), carried.end(), [&](const BadBuffer &bad) {
          return overlap(launch.buffers[bad.buffer], ref);
        });
    if (!isFloat(launch.dtypes[b]) || isUnused(ref) || isKnown ||
        isOverwritten(launch, b) != overwritten)
      continue;
    std::optional<BadFloat> found;
    if (!look(launch, views, b, /*infinitiesToo=*/true, found))
      return false;
    if (found)
      carried.push_back({uint32_t(b), *found});
  }
  return true;
}

bool NumericsCheck::runLaunch(StageCode &code, uint32_t number) {
  const Launch &launch = place.stage().launches[number];
  const std::span<const BufferView> views = code.viewsOf(number);
  std::vector<BadBuffer> carried;
  // What is gone after the launch is looked at before it.
  bool works = lookAtInputs(launch, views, /*overwritten=*/true, carried);
  // Packed operands have places that no kernel writes.
  for (size_t b = firstOutput(place.program, launch); b < views.size(); ++b)
    if (isFloat(launch.dtypes[b]) && !isInPlace(launch, b))
      pieces.clear(partition.stream(), views[b], launch.buffers[b].bytes);
  code.launch(partition.stream(), number);
  for (size_t b = firstOutput(place.program, launch); b < views.size(); ++b) {
    std::optional<BadFloat> found;
    if (isChecked(launch, b))
      works = works &&
              look(launch, views, b, what == CheckNumerics::NanAndInf, found);
    if (!found || !lookAtInputs(launch, views, /*overwritten=*/false, carried))
      continue;
    control.fail(numericsError(place, number, {uint32_t(b), *found}, carried));
    return false;
  }
  return true;
}

bool NumericsCheck::run(uint32_t microbatch, const StageBinding &binding,
                        std::span<uint64_t> times) {
  place.microbatch = microbatch;
  StageCode &code = partition.code(place.entry.stages[place.position]);
  code.bind(binding);
  const bool perKernel = times.size() == code.launches.size() + 1;
  partition.stream().timestamp(&times.front());
  for (uint32_t i = 0; i < code.launches.size(); ++i) {
    if (!runLaunch(code, i))
      return false;
    if (perKernel)
      partition.stream().timestamp(&times[i + 1]);
  }
  partition.stream().timestamp(&times.back());
  return true;
}

} // namespace smp
