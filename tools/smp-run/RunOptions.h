// SPDX-License-Identifier: Apache-2.0
// What smp-run is asked to do.

#ifndef SMP_TOOLS_SMPRUN_RUNOPTIONS_H
#define SMP_TOOLS_SMPRUN_RUNOPTIONS_H

#include "smp/base/Status.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace smp {

/// A tensor's name and its file.
using NamedFile = std::pair<std::string, std::string>;

struct RunOptions {
  std::string program;
  std::vector<NamedFile> inputs, outputs;
  std::string entry;
  std::string devices;
  std::string level;
  uint32_t microbatches = 0;
  uint32_t repeat = 0; // 0: not given.
  std::string stats;   // "", "text" or "json".
  std::string trace;
  std::string profile;                // The file of costs, or empty.
  std::optional<uint64_t> randomSeed; // For inputs that have no file.
  double deadlineSeconds = 60;
  uint64_t memoryLimit = 0;
  bool reference = false;
  std::string checkNumerics; // "", "nan" or "all".
  bool verbose = false;
  uint32_t rank = 0, ranks = 1;
  std::string address;
  std::string secretFile;
  bool noSecret = false;
};

/// Set by an interrupt: finish the step and leave.
bool interrupted();

/// Does it. Returns whether it was interrupted.
StatusOr<bool> runProgram(const RunOptions &options);

} // namespace smp

#endif // SMP_TOOLS_SMPRUN_RUNOPTIONS_H
