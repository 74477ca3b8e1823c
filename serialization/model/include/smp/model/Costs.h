// SPDX-License-Identifier: Apache-2.0
// What kernels and links take on devices, as it was measured.

#ifndef SMP_MODEL_COSTS_H
#define SMP_MODEL_COSTS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace smp {

/// What one run of a group's kernels takes.
struct KernelCost {
  uint64_t signature = 0; ///< As Kernel::signature of a program; not 0.
  std::string name;       ///< For people.
  double seconds = 0;
  uint64_t runs = 0; ///< How many were measured; at least 1.
  /// What it has to do, as the program says.
  double flops = 0, bytes = 0;
};

/// The speed of a device: a kernel takes `launchSeconds`, and as long as the
/// slower of its operations and its bytes.
struct Roofline {
  double flopsPerSecond = 0;
  double bytesPerSecond = 0;
  double launchSeconds = 0;

  double seconds(double flops, double bytes) const;
};

/// Devices of one kind that compute with so many cores.
struct DeviceCosts {
  std::string kind; ///< Target and level, as devices have it: "x86-64-v4".
  uint32_t cores = 1;
  /// For kernels that were not measured.
  Roofline roofline;
  /// What a stage takes besides its kernels, each time that it runs.
  double stageSeconds = 0;
  /// Ascending by signature, each once.
  std::vector<KernelCost> kernels;

  /// Null when it was not measured.
  const KernelCost *find(uint64_t signature) const;
};

/// What handing a tensor to a device of another partition takes: from the end
/// of the work that makes it to the end of work that reads it there, less what
/// that work takes beside the maker.
struct LinkCosts {
  std::string from, to; ///< Kinds of devices.
  double seconds = 0;   ///< However small it is.
  double bytesPerSecond = 0;
};

struct Costs {
  std::vector<DeviceCosts> devices; ///< Each kind once with so many cores.
  std::vector<LinkCosts> links;     ///< Each pair of kinds once.

  const DeviceCosts *find(const std::string &kind, uint32_t cores) const;
  /// Null when it was not measured.
  const LinkCosts *findLink(const std::string &from,
                            const std::string &to) const;
};

/// The first thing that is wrong, with its place, its value and what it must
/// be: "devices[0].kernels[3].seconds is -1; it must be ...". Nothing where all
/// can be counted with.
std::optional<std::string> checkCosts(const Costs &costs);

/// The speed that fits best what was measured: the least mean of the kernels'
/// errors, an error being the logarithm of what is predicted by what was
/// measured, counted by the time that the kernel has in all its runs.
/// Deterministic. What no kernel tells is as in `otherwise`.
Roofline fitRoofline(std::span<const KernelCost> kernels,
                     const Roofline &otherwise);

/// Puts what was measured later into what is there: kernels and links that both
/// have are as in `later`. The rooflines of its devices are fitted anew.
void addCosts(Costs &costs, const Costs &later);

} // namespace smp

#endif // SMP_MODEL_COSTS_H
