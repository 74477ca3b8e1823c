// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Cores.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sched.h>
#include <set>
#include <sstream>

namespace smp {

/// The tighter of two quotas, of which 0 is none.
static double tighter(double a, double b) {
  if (a == 0 || b == 0)
    return a + b;
  return std::min(a, b);
}

/// "max 100000" or "150000 100000".
static double readV2(const std::string &folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota = 0, period = 0;
  return file >> quota >> period && quota > 0 && period > 0 ? quota / period
                                                            : 0;
}

static double readV1(const std::string &folder) {
  std::ifstream quotaFile(folder + "/cpu.cfs_quota_us");
  std::ifstream periodFile(folder + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  return quotaFile >> quota && periodFile >> period && quota > 0 && period > 0
             ? quota / period
             : 0;
}

/// The tightest quota from `path` up to the mount. Inside a container the path
/// may be one of the host's: then only the mount itself is there.
static double tightestUp(const std::string &mount, std::string path,
                         double (*read)(const std::string &)) {
  double quota = 0;
  while (path.size() > 1) {
    quota = tighter(quota, read(mount + path));
    path.resize(path.find_last_of('/') == std::string::npos
                    ? 0
                    : path.find_last_of('/'));
  }
  return tighter(quota, read(mount));
}

static bool listsCpu(const std::string &controllers) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');)
    if (name == "cpu")
      return true;
  return false;
}

double cgroupCpuQuota(const std::string &root, const std::string &selfCgroup) {
  double quota = 0;
  std::istringstream lines(selfCgroup);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path.find("..") != std::string::npos)
      path = "/"; // Outside of what is mounted here.
    if (controllers.empty()) {
      quota = tighter(quota, tightestUp(root, path, readV2));
      quota = tighter(quota, tightestUp(root + "/unified", path, readV2));
    } else if (listsCpu(controllers)) {
      quota = tighter(quota, tightestUp(root + "/cpu", path, readV1));
    }
  }
  return quota;
}

static std::vector<uint32_t> affinity() {
  std::vector<uint32_t> cores;
  for (int limit = 1024; limit <= 1 << 20 && cores.empty(); limit *= 4) {
    cpu_set_t *set = CPU_ALLOC(limit);
    const size_t bytes = CPU_ALLOC_SIZE(limit);
    if (sched_getaffinity(0, bytes, set) == 0)
      for (int core = 0; core < limit; ++core)
        if (CPU_ISSET_S(core, bytes, set))
          cores.push_back(uint32_t(core));
    CPU_FREE(set);
  }
  return cores.empty() ? std::vector<uint32_t>{0} : cores;
}

/// The numbers of "0,4" or "0-1,8-9".
static std::vector<uint32_t> parseList(const std::string &text) {
  std::vector<uint32_t> numbers;
  std::istringstream pieces(text);
  for (std::string piece; std::getline(pieces, piece, ',');) {
    unsigned first = 0, last = 0;
    const int read = std::sscanf(piece.c_str(), "%u-%u", &first, &last);
    if (read < 1)
      continue;
    constexpr unsigned kMostTogether = 1024;
    last = read == 1 ? first : std::min(last, first + kMostTogether);
    for (; first <= last; ++first)
      numbers.push_back(first);
  }
  return numbers;
}

std::vector<uint32_t> physicalCores(const std::string &root,
                                    const std::vector<uint32_t> &cores) {
  std::vector<uint32_t> first;
  std::set<uint32_t> taken;
  for (uint32_t core : cores) {
    if (taken.count(core))
      continue;
    first.push_back(core);
    std::ifstream file(root + "/cpu" + std::to_string(core) +
                       "/topology/thread_siblings_list");
    std::string siblings;
    std::getline(file, siblings);
    for (uint32_t sibling : parseList(siblings))
      taken.insert(sibling);
  }
  return first;
}

AllowedCores allowedCores() {
  AllowedCores allowed{affinity(), 0, {}};
  allowed.physical = physicalCores("/sys/devices/system/cpu", allowed.cores);
  std::ifstream file("/proc/self/cgroup");
  std::stringstream text;
  text << file.rdbuf();
  const double quota = cgroupCpuQuota("/sys/fs/cgroup", text.str());
  allowed.usable = uint32_t(allowed.cores.size());
  if (quota > 0 && quota < double(allowed.usable))
    allowed.usable = uint32_t(std::ceil(quota));
  return allowed;
}

static std::atomic<unsigned> claimed{0};

static unsigned usableCores() {
  static const unsigned usable = allowedCores().usable;
  return usable;
}

CoreClaim::CoreClaim(unsigned threads) : threads(threads) {
  usableCores(); // Asking the system allocates, which steps must not.
  claimed += threads;
}
CoreClaim::~CoreClaim() { claimed -= threads; }

bool CoreClaim::maySpin() {
  return claimed.load(std::memory_order_relaxed) <= usableCores();
}

} // namespace smp
