// SPDX-License-Identifier: Apache-2.0
// The versions of the program file. See VERSIONS.md before changing one.

#ifndef SMP_SERIALIZATION_VERSION_H
#define SMP_SERIALIZATION_VERSION_H

#include <cstdint>

namespace smp {

/// Header and sections: how to find the parts. A reader refuses a newer one.
inline constexpr uint32_t kContainerVersion = 1;

/// What the schema can say. A newer one may be read if its required features
/// are known. A file has the least version, from 4 on, that says all of it.
inline constexpr uint32_t kProgramVersion = 9;

/// Names the golden file tests/golden/program-<version>.smp.
inline constexpr char kFormatVersion[] = "1.9";

/// The first one, which is read as every later one is.
inline constexpr char kFirstFormatVersion[] = "1.1";

} // namespace smp

#endif // SMP_SERIALIZATION_VERSION_H
