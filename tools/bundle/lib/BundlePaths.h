// SPDX-License-Identifier: Apache-2.0
// What the files of a bundle are called.

#ifndef SMP_TOOLS_BUNDLE_LIB_BUNDLEPATHS_H
#define SMP_TOOLS_BUNDLE_LIB_BUNDLEPATHS_H

#include <cstdint>
#include <string>

namespace smp {

/// "<prefix>.data-00000-of-00002".
std::string bundleDataPath(const std::string &prefix, uint32_t shard,
                           uint32_t count);

} // namespace smp

#endif // SMP_TOOLS_BUNDLE_LIB_BUNDLEPATHS_H
