// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Version.h"

namespace smp {

std::string_view versionString() { return SMP_VERSION; }

} // namespace smp
