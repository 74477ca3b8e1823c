// SPDX-License-Identifier: Apache-2.0
// Kernels, and the stages that launch them.
#include "VerifyParts.h"
#include "smp/serialization/VerifyProgram.h"
#include <algorithm>
#include <cmath>

namespace smp {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static bool isSymbolCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

static Status verifyGrid(const KernelVariant &variant, const Where &where) {
  uint64_t tiles = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (variant.grid[i] == 0)
      return where.at("grid", i).is("is 0; at least 1");
    if (__builtin_mul_overflow(tiles, uint64_t(variant.grid[i]), &tiles))
      return where.field("grid").is("has more tiles than 64 bits can count");
  }
  return Status();
}

static Status verifyVariant(const Program &program,
                            const KernelVariant &variant, const Where &where) {
  if (variant.target.empty())
    return where.field("target").is("is empty");
  if (variant.level.empty())
    return where.field("level").is("is empty");
  SMP_RETURN_IF_ERROR(where.field("image").checkIndex(
      variant.image, program.images.size(), "images"));
  const std::string &symbol = variant.symbol;
  if (symbol.empty() ||
      !std::all_of(symbol.begin(), symbol.end(), isSymbolCharacter))
    return where.field("symbol").is("is " + quote(symbol) +
                                    "; a symbol has letters, digits, '_', '.' "
                                    "and '$', at least one");
  SMP_RETURN_IF_ERROR(verifyGrid(variant, where));
  return where.field("scratchBytes").checkMost(variant.scratchBytes, kMaxBytes);
}

Status verifyKernels(const Program &program) {
  const Where root;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel &kernel = program.kernels[k];
    const Where where = root.at("kernels", k);
    if (kernel.variants.empty())
      return where.is("has no variants; nothing can run it");
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (size_t i = 0; i < kernel.variants.size(); ++i) {
      const KernelVariant &variant = kernel.variants[i];
      const Where variantWhere = where.at("variants", i);
      SMP_RETURN_IF_ERROR(verifyVariant(program, variant, variantWhere));
      if (!seen.emplace(variant.target, variant.level).second)
        return variantWhere.is("is for " + quote(variant.target) + " level " +
                               quote(variant.level) + ", as an earlier one is");
    }
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static Status verifyTypes(const std::vector<TensorType> &types,
                          const char *list, const Where &where) {
  for (size_t i = 0; i < types.size(); ++i)
    SMP_RETURN_IF_ERROR(verifyType(types[i], where.at(list, i)));
  return Status();
}

Status verifyStages(const Program &program) {
  const Where root;
  for (size_t s = 0; s < program.stages.size(); ++s) {
    const Stage &stage = program.stages[s];
    const Where where = root.at("stages", s);
    SMP_RETURN_IF_ERROR(
        where.field("partition")
            .checkIndex(stage.partition, program.partitions, "partitions"));
    SMP_RETURN_IF_ERROR(where.field("unit").checkEnum(uint8_t(stage.unit), 0,
                                                      uint8_t(Unit::Prepare)));
    SMP_RETURN_IF_ERROR(verifyTypes(stage.inputs, "inputs", where));
    SMP_RETURN_IF_ERROR(verifyTypes(stage.outputs, "outputs", where));
    SMP_RETURN_IF_ERROR(
        where.field("arenaBytes").checkMost(stage.arenaBytes, kMaxBytes));
    if (!std::isfinite(stage.predictedSeconds) || stage.predictedSeconds < 0)
      return where.field("predictedSeconds").is("is not a time of 0 or more");
    if (stage.unit == Unit::Prepare && !stage.inputs.empty())
      return where.is("is of unit prepare, but has inputs; it may read "
                      "variables only");
  }
  return Status();
}

Status verifyPrepared(const Program &program) {
  const Where root;
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (size_t i = 0; i < program.prepared.size(); ++i) {
    const Prepared &prepared = program.prepared[i];
    const Where where = root.at("prepared", i);
    SMP_RETURN_IF_ERROR(where.field("stage").checkIndex(
        prepared.stage, program.stages.size(), "stages"));
    const Stage &stage = program.stages[prepared.stage];
    if (stage.unit != Unit::Prepare)
      return where.field("stage").is("is " + std::to_string(prepared.stage) +
                                     ", which is not of unit prepare");
    SMP_RETURN_IF_ERROR(where.field("output").checkIndex(
        prepared.output, stage.outputs.size(), "outputs"));
    SMP_RETURN_IF_ERROR(
        where.field("bytes").checkMost(prepared.bytes, kMaxBytes));
    uint64_t needed = uint64_t(stage.outputs[prepared.output].bytes());
    if (prepared.bytes < needed)
      return where.field("bytes").is("is " + std::to_string(prepared.bytes) +
                                     "; the stage's output has " +
                                     std::to_string(needed));
    if (!seen.emplace(prepared.stage, prepared.output).second)
      return where.is("is the same output as an earlier one");
  }
  for (uint32_t s = 0; s < program.stages.size(); ++s)
    if (program.stages[s].unit == Unit::Prepare)
      for (uint32_t o = 0; o < program.stages[s].outputs.size(); ++o)
        if (!seen.count({s, o}))
          return root.at("stages", s)
              .at("outputs", o)
              .is("is no prepared value");
  return Status();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

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

private:
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

static Status verifyLaunch(const Program &program, const Launch &launch,
                           const BufferVerifier &verifier, const Where &where) {
  SMP_RETURN_IF_ERROR(where.field("kernel").checkIndex(
      launch.kernel, program.kernels.size(), "kernels"));
  uint32_t wanted = program.kernels[launch.kernel].numBuffers;
  if (launch.buffers.size() != wanted)
    return where.is("passes " + std::to_string(launch.buffers.size()) +
                    " buffers; kernels[" + std::to_string(launch.kernel) +
                    "] wants " + std::to_string(wanted));
  for (size_t b = 0; b < launch.buffers.size(); ++b)
    SMP_RETURN_IF_ERROR(
        verifier.verify(launch.buffers[b], where.at("buffers", b)));
  return Status();
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
