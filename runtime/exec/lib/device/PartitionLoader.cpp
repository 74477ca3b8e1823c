// SPDX-License-Identifier: Apache-2.0
#include "PartitionLoader.h"
#include "smp/base/Lists.h"
#include <algorithm>

namespace smp {

Status PartitionLoader::load() {
  listPrepareStages();
  SMP_RETURN_IF_ERROR(takeMemory());
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (program.stages[stage].partition == partition.index)
      SMP_RETURN_IF_ERROR(
          loadStage(stage).in("stage '" + program.stages[stage].name + "'"));
  return Status();
}

Status PartitionLoader::loadStage(uint32_t index) {
  const Stage &stage = program.stages[index];
  auto code = std::make_unique<StageCode>();
  for (const Launch &launch : stage.launches) {
    SMP_RETURN_IF_ERROR(loadKernel(launch.kernel));
    addLaunch(stage, launch, *code);
  }
  code->seal();
  partition.codes[index] = std::move(code);
  return Status();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// "target level".
static std::string describe(const KernelVariant &variant) {
  return variant.target + " " + variant.level;
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
                              join(kernel.variants, ", ", describe) +
                              ", none of which runs on device '" +
                              device.name() + "' (" + device.kind() +
                              "); choose a device that runs them, or compile "
                              "the program for this one");
  SMP_ASSIGN_OR_RETURN(auto image, loadImage(best->image));
  SMP_ASSIGN_OR_RETURN(
      partition.kernels[index],
      device.makeKernel(
          std::move(image),
          KernelDesc{best->symbol,
                     {best->grid[0], best->grid[1], best->grid[2]},
                     best->scratchBytes,
                     kernel.numBuffers,
                     best->blocks,
                     partition.workspace.get(),
                     kernel.numOutputs}));
  return Status();
}

StatusOr<std::shared_ptr<Image>> PartitionLoader::loadImage(uint32_t index) {
  std::shared_ptr<Image> &image = images[index];
  if (!image) {
    std::vector<AssembledImage> assembled;
    for (size_t i = 0; i < program.imageInfos.size(); ++i)
      if (const ImageInfo &info = program.imageInfos[i];
          info.kind == ImageKind::Cubin && info.ptx == index)
        assembled.push_back({info.architecture, program.images[i]});
    const auto load = [&] {
      return device.loadImage(program.images[index], assembled)
          .in("images[" + std::to_string(index) + "]");
    };
    SMP_ASSIGN_OR_RETURN(image, device.sharesParts()
                                    ? partition.variables.parts().image(
                                          device.kind(), index, load)
                                    : load());
  }
  return image;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Status allocate(Device &device, uint64_t bytes,
                       std::unique_ptr<Buffer> &buffer) {
  SMP_ASSIGN_OR_RETURN(buffer, device.allocate(bytes));
  return Status();
}

Status PartitionLoader::takeMemory() {
  SMP_RETURN_IF_ERROR(
      allocate(device, layout.arena, partition.arena).in("the arena"));
  if (layout.workspace)
    SMP_RETURN_IF_ERROR(allocate(device, layout.workspace, partition.workspace)
                            .in("the kernels' workspace"));
  SMP_RETURN_IF_ERROR(takeVariables());
  SMP_RETURN_IF_ERROR(takePrepared());
  return layout.constants ? takeConstants().in("constants") : Status();
}

/// Variables that nothing assigns are imported where the device can: no bytes
/// yet, refreshVariables() says where.
Status PartitionLoader::takeVariables() {
  for (const auto &[variable, item] : layout.variables) {
    std::unique_ptr<Buffer> &buffer = partition.variableBuffers[variable];
    partition.changed[variable] = true;
    if (item.isImported)
      buffer = device.importHost(nullptr, 0);
    else
      SMP_RETURN_IF_ERROR(
          allocate(device, item.bytes, buffer)
              .in("variable '" + program.variables[variable].name + "'"));
  }
  for (const auto &[variable, bytes] : layout.rollback)
    SMP_RETURN_IF_ERROR(
        allocate(device, bytes, partition.rollbackBuffers[variable])
            .in("variable '" + program.variables[variable].name + "'"));
  return Status();
}

Status PartitionLoader::takeConstants() {
  const std::span<const std::byte> bytes = program.constants;
  if (layout.constants->isImported) { // Kernels only read them.
    partition.constants =
        device.importHost(const_cast<std::byte *>(bytes.data()), bytes.size());
    partition.imported += bytes.size();
    return Status();
  }
  SMP_RETURN_IF_ERROR(allocate(device, bytes.size(), partition.constants));
  partition.work->upload({partition.constants.get()}, bytes.data(),
                         {bytes.size()});
  return Status();
}

//===----------------------------------------------------------------------===//
// Prepared values
//===----------------------------------------------------------------------===//

void PartitionLoader::listPrepareStages() {
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (program.stages[stage].partition == partition.index &&
        program.stages[stage].unit == Unit::Prepare) {
      partition.prepareStages.push_back(describePrepareStage(stage));
      DevicePartition::PrepareStage &prepare = partition.prepareStages.back();
      prepare.isShareable = isShareable(prepare);
    }
}

DevicePartition::PrepareStage
PartitionLoader::describePrepareStage(uint32_t stage) const {
  DevicePartition::PrepareStage prepare;
  prepare.stage = stage;
  for (const Launch &launch : program.stages[stage].launches)
    for (const BufferRef &ref : launch.buffers) {
      if (ref.space == Space::Variable)
        prepare.variables.push_back(ref.index);
      if (ref.space == Space::Prepared)
        prepare.makers.push_back(program.prepared[ref.index].stage);
    }
  for (uint32_t i = 0; i < program.prepared.size(); ++i)
    if (program.prepared[i].stage == stage)
      prepare.outputs.push_back(i);
  return prepare;
}

/// Makers come before.
bool PartitionLoader::isShareable(
    const DevicePartition::PrepareStage &prepare) const {
  auto isShared = [&](const DevicePartition::PrepareStage &other) {
    return other.isShareable || !std::count(prepare.makers.begin(),
                                            prepare.makers.end(), other.stage);
  };
  const auto &all = partition.prepareStages;
  return device.sharesParts() &&
         std::none_of(
             prepare.variables.begin(), prepare.variables.end(),
             [&](uint32_t i) { return partition.variables.isAssigned(i); }) &&
         std::all_of(all.begin(), all.end() - 1, isShared);
}

/// Values that Sessions may share get their place when they are made.
Status PartitionLoader::takePrepared() {
  for (const auto &prepare : partition.prepareStages)
    for (uint32_t number : prepare.outputs) {
      const uint64_t bytes = layout.prepared.at(number);
      SMP_ASSIGN_OR_RETURN(
          partition.preparedBuffers[number],
          (prepare.isShareable ? device.reserve(bytes) : device.allocate(bytes))
              .in("what stage '" + program.stages[prepare.stage].name +
                  "' prepares"));
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
    BufferView view{nullptr, ref.offset, ref.bytes};
    switch (ref.space) {
    case Space::Arena:
      view.buffer = partition.arena.get();
      break;
    case Space::Constant:
      view.buffer = partition.constants.get();
      break;
    case Space::Variable:
      view.buffer = partition.variableBuffers[ref.index].get();
      break;
    case Space::Prepared:
      view.buffer = partition.preparedBuffers[ref.index].get();
      break;
    case Space::Input:
    case Space::Output:
      code.patches.push_back(
          {uint32_t(code.views.size()), ref.space == Space::Output, ref.index});
      break;
    }
    code.views.push_back(view);
  }
  code.launches.push_back({partition.kernels[launch.kernel].get(), first,
                           uint32_t(launch.buffers.size()),
                           LaunchInfo{program.kernels[launch.kernel].name,
                                      stage.name, launch.opNames}});
}

} // namespace smp
