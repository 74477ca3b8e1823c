// SPDX-License-Identifier: Apache-2.0
// Kernels, stages and prepared values.
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

/// What the grid, the threads and the clusters of blocks must keep.
static Status verifyBlocks(const KernelVariant &variant,
                           const BlockLaunch &blocks, const Where &where) {
  static constexpr uint64_t kMostBlocks[3] = {INT32_MAX, 65535, 65535};
  static constexpr uint64_t kMostThreads[3] = {1024, 1024, 64};
  uint64_t threads = 1, cluster = 1;
  for (size_t i = 0; i < 3; ++i) {
    const Where inGrid = where.at("grid", i), ofBlock = where.field("blocks");
    const Where inBlock = ofBlock.at("threads", i),
                inCluster = ofBlock.at("cluster", i);
    SMP_RETURN_IF_ERROR(inGrid.checkMost(variant.grid[i], kMostBlocks[i]));
    SMP_RETURN_IF_ERROR(inBlock.checkFrom1(blocks.threads[i], kMostThreads[i]));
    SMP_RETURN_IF_ERROR(
        inCluster.checkFrom1(blocks.cluster[i], SMP_CUDA_MOST_CLUSTER));
    if (variant.grid[i] % blocks.cluster[i] != 0)
      return inCluster.is("is " + std::to_string(blocks.cluster[i]) +
                          ", which does not divide the grid's " +
                          std::to_string(variant.grid[i]));
    threads *= blocks.threads[i];
    cluster *= blocks.cluster[i];
  }
  const Where of = where.field("blocks");
  if (threads > SMP_CUDA_MOST_THREADS)
    return of.field("threads").is("are " + std::to_string(threads) +
                                  " per block; at most 1024");
  if (cluster > SMP_CUDA_MOST_CLUSTER)
    return of.field("cluster").is("has " + std::to_string(cluster) +
                                  " blocks; at most 8");
  SMP_RETURN_IF_ERROR(
      of.field("sharedBytes")
          .checkMost(blocks.sharedBytes, SMP_CUDA_MOST_SHARED_BYTES));
  return of.field("workspaceBytes").checkMost(blocks.workspaceBytes, kMaxBytes);
}

/// Kernels for "cuda" have blocks, and are PTX; all others are tiles, in ELF.
static Status verifyForm(const Program &program, const KernelVariant &variant,
                         const Where &where) {
  const bool isCuda = variant.target == "cuda";
  if (variant.blocks.has_value() != isCuda)
    return where.is("is for " + quote(variant.target) +
                    (isCuda ? " and has no blocks"
                            : " and has blocks, which only 'cuda' has"));
  const ImageKind kind = imageKind(program, variant.image);
  const ImageKind wanted = isCuda ? ImageKind::Ptx : ImageKind::Elf;
  if (kind != wanted)
    return where.field("image").is("is " + std::to_string(variant.image) +
                                   ", of kind " + toString(kind) +
                                   "; kernels for " + quote(variant.target) +
                                   " are in " + toString(wanted));
  if (!isCuda)
    return Status();
  if (variant.scratchBytes != 0)
    return where.field("scratchBytes")
        .is("is " + std::to_string(variant.scratchBytes) +
            "; kernels for 'cuda' have workspace instead");
  return verifyBlocks(variant, *variant.blocks, where);
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
  SMP_RETURN_IF_ERROR(
      where.field("scratchBytes").checkMost(variant.scratchBytes, kMaxBytes));
  return verifyForm(program, variant, where);
}

/// Where nothing is known of a group its work is 0.
static Status verifyGroup(const Kernel &kernel, const Where &where) {
  for (auto [work, name] :
       {std::pair(kernel.flops, "flops"), std::pair(kernel.bytes, "bytes")}) {
    if (!std::isfinite(work) || work < 0)
      return where.field(name).is("is not a number of 0 or more");
    if (work > 0 && !kernel.signature)
      return where.field(name).is("is given, but no signature");
  }
  return Status();
}

Status verifyKernels(const Program &program) {
  const Where root;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel &kernel = program.kernels[k];
    const Where where = root.at("kernels", k);
    if (kernel.variants.empty())
      return where.is("has no variants; nothing can run it");
    SMP_RETURN_IF_ERROR(where.field("numOutputs")
                            .checkMost(kernel.numOutputs, kernel.numBuffers));
    SMP_RETURN_IF_ERROR(verifyGroup(kernel, where));
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (size_t i = 0; i < kernel.variants.size(); ++i) {
      const KernelVariant &variant = kernel.variants[i];
      const Where variantWhere = where.at("variants", i);
      SMP_RETURN_IF_ERROR(verifyVariant(program, variant, variantWhere));
      if (variant.blocks)
        SMP_RETURN_IF_ERROR(
            where.field("numBuffers")
                .checkMost(kernel.numBuffers, SMP_CUDA_MOST_BUFFERS));
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
  uint64_t bytes = 0;
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
    SMP_RETURN_IF_ERROR(verifySum(bytes, prepared.bytes, where));
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

} // namespace smp
