// SPDX-License-Identifier: Apache-2.0
#include "PartitionLoader.h"
#include <algorithm>

namespace smp {

Status PartitionLoader::load() {
  uint64_t arenaBytes = 0;
  for (const Stage &stage : program.stages)
    if (stage.partition == partition.index)
      arenaBytes = std::max(arenaBytes, stage.arenaBytes);
  auto arena = device.allocate(arenaBytes);
  if (!arena.ok())
    return arena.status().in("scratch memory of partition " +
                             std::to_string(partition.index));
  partition.arena = arena.take();
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (program.stages[stage].partition == partition.index)
      SMP_RETURN_IF_ERROR(
          loadStage(stage).in("stage '" + program.stages[stage].name + "'"));
  for (const Entry &entry : program.entries) {
    const auto states = assignedPerMicrobatch(program, entry);
    for (uint32_t variable : states[partition.index])
      SMP_RETURN_IF_ERROR(takeKept(variable).in(
          "variable '" + program.variables[variable].name + "'"));
  }
  return Status();
}

/// Makes the second buffer of a variable that microbatches change.
Status PartitionLoader::takeKept(uint32_t variable) {
  std::unique_ptr<Buffer> &buffer = partition.keptBuffers[variable];
  if (buffer)
    return Status();
  auto allocated =
      device.allocate(uint64_t(program.variables[variable].type.bytes()));
  if (!allocated.ok())
    return allocated.status();
  buffer = allocated.take();
  return Status();
}

Status PartitionLoader::loadStage(uint32_t index) {
  const Stage &stage = program.stages[index];
  SMP_RETURN_IF_ERROR(takeMemory(stage));
  SMP_RETURN_IF_ERROR(takePrepared(index));
  auto code = std::make_unique<StageCode>();
  for (const Launch &launch : stage.launches) {
    SMP_RETURN_IF_ERROR(loadKernel(launch.kernel));
    addLaunch(stage, launch, *code);
  }
  partition.codes[index] = std::move(code);
  if (stage.unit == Unit::Prepare)
    addPrepareStage(index);
  return Status();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// "x86-64 v2, x86-64 v3".
static std::string listVariants(const std::vector<KernelVariant> &variants) {
  std::string list;
  for (const KernelVariant &variant : variants)
    list += (list.empty() ? "" : ", ") + variant.target + " " + variant.level;
  return list;
}

Status PartitionLoader::loadKernel(uint32_t index) {
  if (partition.kernels.count(index))
    return Status();
  const Kernel &kernel = program.kernels[index];
  const KernelVariant *best = nullptr;
  int bestFitness = -1;
  for (const KernelVariant &variant : kernel.variants) {
    const int fitness = device.fitness(variant.target, variant.level);
    if (fitness > bestFitness) {
      bestFitness = fitness;
      best = &variant;
    }
  }
  if (!best)
    return failedPrecondition("kernel '" + kernel.name + "' has variants for " +
                              listVariants(kernel.variants) +
                              ", none of which runs on device '" +
                              device.name() + "' (" + device.kind() +
                              "); compile the program for it");
  auto image = loadImage(best->image);
  if (!image.ok())
    return image.status();
  auto made = device.makeKernel(
      image.take(), KernelDesc{best->symbol,
                               {best->grid[0], best->grid[1], best->grid[2]},
                               best->scratchBytes,
                               kernel.numBuffers});
  if (!made.ok())
    return made.status();
  partition.kernels[index] = made.take();
  return Status();
}

StatusOr<std::shared_ptr<Image>> PartitionLoader::loadImage(uint32_t index) {
  std::shared_ptr<Image> &image = images[index];
  if (!image) {
    auto loaded = device.loadImage(program.images[index]);
    if (!loaded.ok())
      return loaded.status().in("images[" + std::to_string(index) + "]");
    image = loaded.take();
  }
  return image;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status PartitionLoader::takeMemory(const Stage &stage) {
  for (const Launch &launch : stage.launches)
    for (const BufferRef &ref : launch.buffers)
      SMP_RETURN_IF_ERROR(takeBuffer(ref));
  return Status();
}

/// What a prepare stage makes needs a place, also when nobody uses it.
Status PartitionLoader::takePrepared(uint32_t stage) {
  for (uint32_t i = 0; i < program.prepared.size(); ++i)
    if (program.prepared[i].stage == stage)
      SMP_RETURN_IF_ERROR(takeBuffer({Space::Prepared, i, 0, 0}));
  return Status();
}

/// Makes the buffer that `ref` needs, if it is not there yet. Variables that
/// nothing assigns are imported where the device can: no bytes yet,
/// refreshVariables() says where.
Status PartitionLoader::takeBuffer(const BufferRef &ref) {
  auto take = [&](std::unique_ptr<Buffer> &buffer, uint64_t bytes) -> Status {
    auto allocated = device.allocate(bytes);
    if (!allocated.ok())
      return allocated.status();
    buffer = allocated.take();
    return Status();
  };
  if (ref.space == Space::Prepared) {
    std::unique_ptr<Buffer> &buffer = partition.preparedBuffers[ref.index];
    return buffer ? Status() : take(buffer, program.prepared[ref.index].bytes);
  }
  if (ref.space == Space::Variable) {
    std::unique_ptr<Buffer> &buffer = partition.variableBuffers[ref.index];
    if (buffer)
      return Status();
    const auto bytes = uint64_t(program.variables[ref.index].type.bytes());
    partition.changed[ref.index] = true;
    if (!partition.variables.isAssigned(ref.index))
      buffer = device.importHost(nullptr, 0);
    return buffer ? Status() : take(buffer, bytes);
  }
  if (ref.space == Space::Constant && !partition.constants) {
    const std::span<const std::byte> bytes = program.constants;
    // Kernels only read them.
    partition.constants =
        device.importHost(const_cast<std::byte *>(bytes.data()), bytes.size());
    if (partition.constants) {
      partition.imported += bytes.size();
      return Status();
    }
    SMP_RETURN_IF_ERROR(take(partition.constants, bytes.size()));
    partition.work->upload({partition.constants.get()}, bytes.data(),
                           {bytes.size()});
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void PartitionLoader::addLaunch(const Stage &stage, const Launch &launch,
                                StageCode &code) {
  const auto first = uint32_t(code.views.size());
  for (const BufferRef &ref : launch.buffers) {
    const auto view = uint32_t(code.views.size());
    switch (ref.space) {
    case Space::Arena:
      code.views.push_back({partition.arena.get(), ref.offset});
      break;
    case Space::Constant:
      code.views.push_back({partition.constants.get(), ref.offset});
      break;
    case Space::Variable:
      code.views.push_back({partition.variableBuffers[ref.index].get(), 0});
      break;
    case Space::Prepared:
      code.views.push_back({partition.preparedBuffers[ref.index].get(), 0});
      break;
    case Space::Input:
    case Space::Output:
      code.views.push_back({});
      code.patches.push_back({view, ref.space == Space::Output, ref.index});
      break;
    }
  }
  code.launches.push_back({partition.kernels[launch.kernel].get(), first,
                           uint32_t(launch.buffers.size()),
                           LaunchInfo{program.kernels[launch.kernel].name,
                                      stage.name, launch.opNames}});
}

void PartitionLoader::addPrepareStage(uint32_t index) {
  Partition::PrepareStage prepare{index, true, {}, {}};
  for (const Launch &launch : program.stages[index].launches)
    for (const BufferRef &ref : launch.buffers) {
      if (ref.space == Space::Variable)
        prepare.variables.push_back(ref.index);
      if (ref.space == Space::Prepared)
        prepare.makers.push_back(program.prepared[ref.index].stage);
    }
  partition.prepareStages.push_back(std::move(prepare));
}

} // namespace smp
