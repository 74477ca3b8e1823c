// SPDX-License-Identifier: Apache-2.0
// The version of smp, as the build's project() says it.

#ifndef SMP_BASE_VERSION_H
#define SMP_BASE_VERSION_H

#include "smp/base/Export.h"
#include <string_view>

namespace smp {

/// "0.1.0"; valid for ever, and followed by a zero.
SMP_API std::string_view versionString();

} // namespace smp

#endif // SMP_BASE_VERSION_H
