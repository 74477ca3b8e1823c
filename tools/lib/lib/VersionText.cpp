// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/VersionText.h"
#include "smp/base/Version.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/Version.h"

namespace smp {

static std::string formatLine(const std::string &what, const std::string &first,
                              const std::string &last) {
  return "\n" + what + ": format " + last + " is written, " + first + " to " +
         last + " are read";
}

std::string versionText(std::string_view tool) {
  return std::string(tool) + " " + std::string(versionString()) +
         formatLine("programs", kFirstFormatVersion, kFormatVersion) +
         formatLine("checkpoints", "1", std::to_string(kCheckpointVersion));
}

} // namespace smp
