// SPDX-License-Identifier: Apache-2.0
#include "CostProfile.h"
#include <algorithm>

namespace smp {

/// What a kernel may take where nothing was measured that says more.
static constexpr Roofline kUnknown{1e10, 1e10, 1e-6};

StatusOr<CostProfile> CostProfile::of(const Program &program) {
  CostProfile profile(program);
  if (profile.kernelOf.empty())
    return failedPrecondition(
        "the program does not say what its kernels are, as programs do since "
        "format 1.9: compile it again, to measure what they take");
  return profile;
}

CostProfile::CostProfile(const Program &program) : program(&program) {
  for (const Kernel &kernel : program.kernels)
    if (kernel.signature)
      kernelOf[kernel.signature] = &kernel;
}

void CostProfile::add(std::span<const ProfileSpan> spans,
                      std::span<const DeviceMemory> of) {
  for (const DeviceMemory &device : of) {
    DeviceSamples &samples = devices[{device.kind, device.cores}];
    addKernels(spans, device.partition, samples);
    addStages(spans, device.partition, samples);
  }
}

/// Kernels follow their stage in the order of its launches; one without a
/// signature goes on with the group of the one before.
void CostProfile::addKernels(std::span<const ProfileSpan> spans,
                             uint32_t partition, DeviceSamples &device) const {
  struct Sum {
    double seconds = 0;
    uint64_t runs = 0;
  };
  std::map<uint64_t, Sum> sums;
  Sum *group = nullptr;
  for (const ProfileSpan &span : spans) {
    if (span.partition != partition)
      continue;
    if (span.kind == ProfileSpan::Kind::Stage) {
      group = nullptr;
      continue;
    }
    if (const uint64_t signature = program->kernels[span.number].signature) {
      group = &sums[signature];
      ++group->runs;
    }
    if (group)
      group->seconds += double(span.end - span.begin) * 1e-9;
  }
  for (const auto &[signature, sum] : sums) {
    Samples &samples = device.kernels[signature];
    samples.seconds.push_back(sum.seconds / double(sum.runs));
    samples.runs += sum.runs;
  }
}

static double medianOf(std::vector<double> values) {
  if (values.empty())
    return 0;
  const auto middle = values.begin() + ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The time between a stage and the next one on the partition is that of the
/// second one, unless it waits for another partition.
void CostProfile::addStages(std::span<const ProfileSpan> spans,
                            uint32_t partition, DeviceSamples &device) const {
  if (program->partitions != 1)
    return;
  std::vector<const ProfileSpan *> stages;
  for (const ProfileSpan &span : spans)
    if (span.kind == ProfileSpan::Kind::Stage && span.partition == partition)
      stages.push_back(&span);
  std::sort(stages.begin(), stages.end(),
            [](const ProfileSpan *a, const ProfileSpan *b) {
              return a->begin < b->begin;
            });
  std::vector<double> gaps;
  for (size_t i = 1; i < stages.size(); ++i)
    gaps.push_back(double(stages[i]->begin - stages[i - 1]->end) * 1e-9);
  if (gaps.empty())
    return;
  device.stages.seconds.push_back(medianOf(std::move(gaps)));
  device.stages.runs += stages.size();
}

DeviceCosts CostProfile::costsOf(const DeviceKey &key,
                                 const DeviceSamples &device) const {
  DeviceCosts costs{key.first, key.second, {}, 0, {}};
  costs.stageSeconds = medianOf(device.stages.seconds);
  for (const auto &[signature, samples] : device.kernels) {
    const Kernel &kernel = *kernelOf.at(signature);
    costs.kernels.push_back({signature, kernel.name, medianOf(samples.seconds),
                             samples.runs, kernel.flops, kernel.bytes});
  }
  costs.roofline = fitRoofline(costs.kernels, kUnknown);
  return costs;
}

Costs CostProfile::costs() const {
  Costs costs;
  for (const auto &[key, device] : devices)
    costs.devices.push_back(costsOf(key, device));
  return costs;
}

} // namespace smp
