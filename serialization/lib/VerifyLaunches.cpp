// SPDX-License-Identifier: Apache-2.0
// What stages launch, on which buffers.
#include "VerifyParts.h"
#include <algorithm>

namespace smp {

namespace {
/// Checks the buffers of one stage's launches.
class BufferVerifier {
public:
  BufferVerifier(const Program &program, uint32_t stageIndex)
      : program(program), stage(program.stages[stageIndex]),
        stageIndex(stageIndex) {}

  Status verify(const BufferRef &buffer, const Where &where) const {
    SMP_RETURN_IF_ERROR(where.field("space").checkEnum(
        uint8_t(buffer.space), 0, uint8_t(Space::Constant)));
    switch (buffer.space) {
    case Space::Arena:
      return verifyRange(buffer, stage.arenaBytes, "arena, which has ", where);
    case Space::Constant:
      return verifyRange(buffer, program.constants.size(),
                         "constants, which have ", where);
    case Space::Input:
      return verifyTensor(buffer, stage.inputs, "inputs", where);
    case Space::Output:
      return verifyTensor(buffer, stage.outputs, "outputs", where);
    case Space::Variable:
      SMP_RETURN_IF_ERROR(where.field("index").checkIndex(
          buffer.index, program.variables.size(), "variables"));
      return verifyWhole(buffer, program.variables[buffer.index].type.bytes(),
                         where);
    case Space::Prepared:
      return verifyPreparedBuffer(buffer, where);
    }
    return Status();
  }

  /// Of a buffer that is sound: whether a kernel may write it.
  Status verifyWritten(const BufferRef &buffer, const Where &where) const {
    switch (buffer.space) {
    case Space::Arena:
    case Space::Output:
      return Status();
    case Space::Input:
      return where.is("is written, but an input; others may read it too");
    case Space::Constant:
      return where.is("is written, but constant");
    case Space::Variable:
      return verifyWrittenVariable(buffer.index, where);
    case Space::Prepared:
      if (stage.unit == Unit::Prepare)
        return where.is("is written, but what an earlier stage prepared; "
                        "others may read it too");
      return where.is("is written, but a prepared value; only prepare stages "
                      "make those");
    }
    return Status();
  }

private:
  Status verifyWrittenVariable(uint32_t index, const Where &where) const {
    if (program.variables[index].kind == VariableKind::Constant)
      return where.is("is written, but " +
                      quote(program.variables[index].name) +
                      " is a variable of kind constant");
    if (stage.unit == Unit::Prepare)
      return where.is("is written, but a prepare stage may only read "
                      "variables");
    return Status();
  }

  static Status verifyRange(const BufferRef &buffer, uint64_t size,
                            const char *what, const Where &where) {
    if (buffer.index != 0)
      return where.field("index").is("is " + std::to_string(buffer.index) +
                                     "; there is one arena, and one block of "
                                     "constants");
    uint64_t end = 0;
    if (!__builtin_add_overflow(buffer.offset, buffer.bytes, &end) &&
        end <= size)
      return Status();
    return where.is("has " + std::to_string(buffer.bytes) + " bytes at " +
                    std::to_string(buffer.offset) + " of the " + what +
                    std::to_string(size));
  }

  static Status verifyWhole(const BufferRef &buffer, uint64_t size,
                            const Where &where) {
    if (buffer.offset != 0)
      return where.field("offset").is("is " + std::to_string(buffer.offset) +
                                      "; only arena and constants have one");
    if (buffer.bytes > size)
      return where.field("bytes").is("is " + std::to_string(buffer.bytes) +
                                     " of " + std::to_string(size));
    return Status();
  }

  static Status verifyTensor(const BufferRef &buffer,
                             const std::vector<TensorType> &types,
                             const char *things, const Where &where) {
    SMP_RETURN_IF_ERROR(
        where.field("index").checkIndex(buffer.index, types.size(), things));
    return verifyWhole(buffer, uint64_t(types[buffer.index].bytes()), where);
  }

  Status verifyPreparedBuffer(const BufferRef &buffer,
                              const Where &where) const {
    SMP_RETURN_IF_ERROR(where.field("index").checkIndex(
        buffer.index, program.prepared.size(), "prepared values"));
    const Prepared &prepared = program.prepared[buffer.index];
    const Stage &maker = program.stages[prepared.stage];
    if (maker.partition != stage.partition)
      return where.is(
          "is prepared on partition " + std::to_string(maker.partition) +
          ", but its stage is on " + std::to_string(stage.partition));
    if (stage.unit == Unit::Prepare && prepared.stage >= stageIndex)
      return where.is("is prepared by stage " + std::to_string(prepared.stage) +
                      "; a prepare stage may use those before it only");
    return verifyWhole(buffer, prepared.bytes, where);
  }

  const Program &program;
  const Stage &stage;
  uint32_t stageIndex;
};
} // namespace

/// What the launch says about its buffers and their makers.
static Status verifyNotes(const Launch &launch, const Kernel &kernel,
                          const Where &where) {
  const auto isCount = [&](size_t count, size_t wanted, const char *field) {
    return count == 0 || count == wanted
               ? Status()
               : where.field(field).is("has " + std::to_string(count) +
                                       " elements; it must have none or " +
                                       std::to_string(wanted));
  };
  SMP_RETURN_IF_ERROR(
      isCount(launch.dtypes.size(), launch.buffers.size(), "dtypes"));
  SMP_RETURN_IF_ERROR(
      isCount(launch.makers.size(), kernel.numOutputs, "makers"));
  for (size_t b = 0; b < launch.dtypes.size(); ++b)
    SMP_RETURN_IF_ERROR(
        where.at("dtypes", b)
            .checkEnum(uint8_t(launch.dtypes[b]), 0, kNumDTypes - 1));
  for (size_t i = 0; i < launch.makers.size(); ++i)
    SMP_RETURN_IF_ERROR(
        where.at("makers", i)
            .checkIndex(launch.makers[i], launch.opNames.size(), "ops"));
  return Status();
}

static Status verifyLaunch(const Program &program, const Launch &launch,
                           const BufferVerifier &verifier, const Where &where) {
  SMP_RETURN_IF_ERROR(where.field("kernel").checkIndex(
      launch.kernel, program.kernels.size(), "kernels"));
  const Kernel &kernel = program.kernels[launch.kernel];
  const uint32_t wanted = kernel.numBuffers;
  if (launch.buffers.size() != wanted)
    return where.is("passes " + std::to_string(launch.buffers.size()) +
                    " buffers; kernels[" + std::to_string(launch.kernel) +
                    "] wants " + std::to_string(wanted));
  for (size_t b = 0; b < launch.buffers.size(); ++b)
    SMP_RETURN_IF_ERROR(
        verifier.verify(launch.buffers[b], where.at("buffers", b)));
  for (size_t b = wanted - kernel.numOutputs; b < wanted; ++b)
    SMP_RETURN_IF_ERROR(
        verifier.verifyWritten(launch.buffers[b], where.at("buffers", b)));
  for (size_t v = 0; v < kernel.variants.size(); ++v)
    if (const auto &blocks = kernel.variants[v].blocks;
        blocks &&
        blocks->faultRecords > std::max<size_t>(1, launch.opNames.size()))
      return where.field("opNames").is(
          "has " + std::to_string(launch.opNames.size()) + " ops; variant " +
          std::to_string(v) + " of kernels[" + std::to_string(launch.kernel) +
          "] has " + std::to_string(blocks->faultRecords) + " fault records");
  return verifyNotes(launch, kernel, where);
}

Status verifyLaunches(const Program &program) {
  const Where root;
  for (uint32_t s = 0; s < program.stages.size(); ++s) {
    const Where where = root.at("stages", s);
    const BufferVerifier verifier(program, s);
    const std::vector<Launch> &launches = program.stages[s].launches;
    for (size_t l = 0; l < launches.size(); ++l)
      SMP_RETURN_IF_ERROR(verifyLaunch(program, launches[l], verifier,
                                       where.at("launches", l)));
  }
  return Status();
}

} // namespace smp
