// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Costs.h"
#include "Problem.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

namespace smp {

double Roofline::seconds(double flops, double bytes) const {
  return launchSeconds +
         std::max(flops / flopsPerSecond, bytes / bytesPerSecond);
}

const KernelCost *DeviceCosts::find(uint64_t signature) const {
  const auto found =
      std::lower_bound(kernels.begin(), kernels.end(), signature,
                       [](const KernelCost &kernel, uint64_t wanted) {
                         return kernel.signature < wanted;
                       });
  return found != kernels.end() && found->signature == signature ? &*found
                                                                 : nullptr;
}

const DeviceCosts *Costs::find(const std::string &kind, uint32_t cores) const {
  for (const DeviceCosts &device : devices)
    if (device.kind == kind && device.cores == cores)
      return &device;
  return nullptr;
}

const LinkCosts *Costs::findLink(const std::string &from,
                                 const std::string &to) const {
  for (const LinkCosts &link : links)
    if (link.from == from && link.to == to)
      return &link;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

static std::string spell(double value) {
  char text[32];
  return {text, std::to_chars(text, std::end(text), value).ptr};
}

/// Times and amounts: finite, and 0 or more.
static Problem checkAmount(const std::string &where, const char *name,
                           double value) {
  if (std::isfinite(value) && value >= 0)
    return {};
  return where + "." + name + " is " + spell(value) +
         "; it must be a finite number of 0 or more";
}

/// Speeds, by which is divided.
static Problem checkSpeed(const std::string &where, const char *name,
                          double value) {
  if (std::isfinite(value) && value > 0)
    return {};
  return where + "." + name + " is " + spell(value) +
         "; it must be a finite number above 0";
}

static Problem checkKind(const std::string &where, const char *name,
                         const std::string &kind) {
  constexpr size_t kMost = 64;
  if (!kind.empty() && kind.size() <= kMost)
    return {};
  return where + "." + name + " has " + number(kind.size()) +
         " characters; a kind of device has 1 to " + number(kMost) +
         ", as \"x86-64-v4\"";
}

static Problem checkKernels(const DeviceCosts &device,
                            const std::string &where) {
  for (size_t i = 0; i < device.kernels.size(); ++i) {
    const KernelCost &kernel = device.kernels[i];
    const std::string at = where + ".kernels[" + number(i) + "]";
    if (kernel.signature == 0)
      return at + ".signature is 0, which no kernel has";
    if (i > 0 && kernel.signature <= device.kernels[i - 1].signature)
      return at + ".signature is not above that of the kernel before; kernels "
                  "must be in the order of their signatures, each once";
    if (kernel.runs == 0)
      return at + ".runs is 0; at least one run must have been measured";
    if (Problem wrong = checkAmount(at, "seconds", kernel.seconds))
      return wrong;
    if (Problem wrong = checkAmount(at, "flops", kernel.flops))
      return wrong;
    if (Problem wrong = checkAmount(at, "bytes", kernel.bytes))
      return wrong;
  }
  return {};
}

static Problem checkDevice(const DeviceCosts &device,
                           const std::string &where) {
  constexpr uint32_t kMostCores = 1 << 16;
  if (Problem wrong = checkKind(where, "kind", device.kind))
    return wrong;
  if (device.cores < 1 || device.cores > kMostCores)
    return where + ".cores is " + number(device.cores) + "; it must be 1 to " +
           number(kMostCores);
  const std::string roofline = where + ".roofline";
  if (Problem wrong = checkSpeed(roofline, "flops_per_second",
                                 device.roofline.flopsPerSecond))
    return wrong;
  if (Problem wrong = checkSpeed(roofline, "bytes_per_second",
                                 device.roofline.bytesPerSecond))
    return wrong;
  if (Problem wrong = checkAmount(roofline, "launch_seconds",
                                  device.roofline.launchSeconds))
    return wrong;
  if (Problem wrong = checkAmount(where, "stage_seconds", device.stageSeconds))
    return wrong;
  return checkKernels(device, where);
}

static Problem checkLink(const LinkCosts &link, const std::string &where) {
  if (Problem wrong = checkKind(where, "from", link.from))
    return wrong;
  if (Problem wrong = checkKind(where, "to", link.to))
    return wrong;
  if (Problem wrong = checkAmount(where, "seconds", link.seconds))
    return wrong;
  return checkSpeed(where, "bytes_per_second", link.bytesPerSecond);
}

Problem checkCosts(const Costs &costs) {
  std::set<std::pair<std::string, uint32_t>> devices;
  for (size_t i = 0; i < costs.devices.size(); ++i) {
    const DeviceCosts &device = costs.devices[i];
    const std::string where = "devices[" + number(i) + "]";
    if (Problem wrong = checkDevice(device, where))
      return wrong;
    if (!devices.emplace(device.kind, device.cores).second)
      return where + " is of kind '" + device.kind + "' with cores " +
             number(device.cores) + ", as an earlier one is; leave one out";
  }
  std::set<std::pair<std::string, std::string>> links;
  for (size_t i = 0; i < costs.links.size(); ++i) {
    const LinkCosts &link = costs.links[i];
    const std::string where = "links[" + number(i) + "]";
    if (Problem wrong = checkLink(link, where))
      return wrong;
    if (!links.emplace(link.from, link.to).second)
      return where + " is from '" + link.from + "' to '" + link.to +
             "', as an earlier one is; leave one out";
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Adding
//===----------------------------------------------------------------------===//

static void addKernels(DeviceCosts &device, const DeviceCosts &later) {
  std::vector<KernelCost> all = later.kernels;
  for (const KernelCost &kernel : device.kernels)
    if (!later.find(kernel.signature))
      all.push_back(kernel);
  std::sort(all.begin(), all.end(),
            [](const KernelCost &a, const KernelCost &b) {
              return a.signature < b.signature;
            });
  device.kernels = std::move(all);
  device.stageSeconds = later.stageSeconds;
  device.roofline = fitRoofline(device.kernels, later.roofline);
}

void addCosts(Costs &costs, const Costs &later) {
  for (const DeviceCosts &device : later.devices) {
    const auto found = std::find_if(costs.devices.begin(), costs.devices.end(),
                                    [&](const DeviceCosts &known) {
                                      return known.kind == device.kind &&
                                             known.cores == device.cores;
                                    });
    if (found == costs.devices.end())
      costs.devices.push_back(device);
    else
      addKernels(*found, device);
  }
  for (const LinkCosts &link : later.links) {
    const auto found = std::find_if(
        costs.links.begin(), costs.links.end(), [&](const LinkCosts &known) {
          return known.from == link.from && known.to == link.to;
        });
    if (found == costs.links.end())
      costs.links.push_back(link);
    else
      *found = link;
  }
}

} // namespace smp
