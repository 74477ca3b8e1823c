// SPDX-License-Identifier: Apache-2.0
#include "Programs.h"
#include "Networks.h"
#include "Steps.h"
#include "smp/compile/CompileModel.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/tools/ProfileProgram.h"
#include <algorithm>

namespace smp::bench {

Status compileTo(const std::string &path, const ProgramChoice &choice) {
  SMP_ASSIGN_OR_RETURN(Model model,
                       buildNetwork(choice.network, choice.microbatches));
  compile::ModelOptions options;
  options.placement.emplace();
  options.placement->partitions = choice.partitions;
  options.placement->mode = passes::PartitionMode::IgnoreAnnotations;
  options.placement->partitionFile = choice.placement;
  options.placement->loadPartition = choice.isPlaced;
  if (choice.costs)
    options.costs = {*choice.costs, "measured"};
  SMP_ASSIGN_OR_RETURN(auto compiled,
                       compile::compileModel(std::move(model), options));
  return compiled.write(path);
}

StatusOr<double> predict(const std::string &path, uint32_t microbatches) {
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  const Program &program = loaded.program();
  return predictTimeline(program, program.entries.front(), microbatches)
      .makespan;
}

StatusOr<double> measuredShare(const std::string &path,
                               const DeviceCosts &device) {
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  const Program &program = loaded.program();
  double known = 0, unknown = 0;
  for (uint32_t stage : program.entries.front().stages)
    for (const Launch &launch : program.stages[stage].launches) {
      const Kernel &kernel = program.kernels[launch.kernel];
      if (const KernelCost *cost = device.find(kernel.signature))
        known += cost->seconds;
      else if (kernel.signature)
        unknown += device.roofline.seconds(kernel.flops, kernel.bytes);
    }
  return known / std::max(known + unknown, 1e-12);
}

StatusOr<Costs> profile(const std::string &path, uint32_t microbatches,
                        uint32_t steps, const std::string &level) {
  SMP_ASSIGN_OR_RETURN(SharedProgram shared, SharedProgram::open(path));
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  const EntrySignature entry = shared.entries().front();
  const Inputs inputs(entry, microbatches);
  ProfileRequest request;
  request.devices = kDevices;
  request.entry = entry.name;
  request.microbatches = microbatches;
  request.steps = steps;
  request.session.level = level;
  return profileProgram(shared, loaded.program(), inputs.all(), request);
}

} // namespace smp::bench
