// SPDX-License-Identifier: Apache-2.0
// Costs as a file, which people may read: JSON.

#ifndef SMP_SERIALIZATION_COSTSFILE_H
#define SMP_SERIALIZATION_COSTSFILE_H

#include "smp/base/Status.h"
#include "smp/model/Costs.h"
#include <string_view>

namespace smp {

/// What a file of costs says that it is.
inline constexpr char kCostsFormat[] = "smp-costs";
inline constexpr uint32_t kCostsVersion = 1;
/// A longer file is refused: some 200,000 kernels.
inline constexpr size_t kMostCostsBytes = 64 << 20;

/// The text of a file. Numbers are as exact as they are in memory.
std::string formatCosts(const Costs &costs);

/// Reads such a text: whatever it is, costs that checkCosts() accepts, or an
/// error that says what is wrong and where.
StatusOr<Costs> parseCosts(std::string_view text);

/// The same of a file; an error names it, and what to do.
StatusOr<Costs> readCosts(const std::string &path);

} // namespace smp

#endif // SMP_SERIALIZATION_COSTSFILE_H
