// SPDX-License-Identifier: Apache-2.0
#include "Programs.h"
#include "Batch.h"
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

namespace {
/// What kernels of a program take, known and not.
class Seconds {
public:
  explicit Seconds(const DeviceCosts &device) : device(device) {}

  double of(const Program &program, const Stage &stage) {
    double seconds = device.stageSeconds;
    for (const Launch &launch : stage.launches)
      seconds += of(program.kernels[launch.kernel]);
    return seconds;
  }
  double share() const { return known / std::max(known + unknown, 1e-12); }

private:
  double of(const Kernel &kernel) {
    if (kernel.signature == 0) // Goes on with the one before.
      return 0;
    const KernelCost *cost = device.find(kernel.signature);
    const double seconds =
        cost ? cost->seconds
             : device.roofline.seconds(kernel.flops, kernel.bytes);
    (cost ? known : unknown) += seconds;
    return seconds;
  }

  const DeviceCosts &device;
  double known = 0, unknown = 0;
};
} // namespace

StatusOr<Prediction> predictBy(const Costs &costs, const std::string &path,
                               uint32_t microbatches) {
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  Program program = loaded.program();
  Entry &entry = program.entries.front();
  Seconds seconds(costs.devices.front());
  for (uint32_t stage : entry.stages)
    program.stages[stage].predictedSeconds =
        seconds.of(program, program.stages[stage]);
  const LinkCosts &link = costs.links.front();
  for (Edge &edge : entry.edges)
    if (edge.transferSeconds != 0) // Half of it at each end.
      edge.transferSeconds =
          (link.seconds + double(edge.type.bytes()) / link.bytesPerSecond) / 2;
  return Prediction{predictTimeline(program, entry, microbatches).makespan,
                    seconds.share()};
}

StatusOr<Costs> profile(const std::string &path, uint32_t microbatches,
                        uint32_t steps) {
  SMP_ASSIGN_OR_RETURN(SharedProgram shared, SharedProgram::open(path));
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  const EntrySignature entry = shared.entries().front();
  const Batch batch(entry, microbatches);
  ProfileRequest request;
  request.devices = kDevices;
  request.entry = entry.name;
  request.microbatches = microbatches;
  request.steps = steps;
  return profileProgram(shared, loaded.program(), batch.inputs(), request);
}

} // namespace smp::bench
