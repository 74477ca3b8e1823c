// SPDX-License-Identifier: Apache-2.0
// Ops that formats have, or are composed in, alike.

#ifndef SMP_TOOLS_EXPORTER_COMMON_H
#define SMP_TOOLS_EXPORTER_COMMON_H

#include "Call.h"

namespace smp::exporter {

/// Those that need nothing else to be said: shapes, and what is composed of
/// Words.
void addCommon(Table &table);

/// Of a broadcast: its operand's shape with the result's rank, 1 along new
/// dimensions. Gives "" or what is wrong.
std::string alignToResult(Call &call, Shape &aligned);

/// A tensor in which each element is its own index along a dimension.
std::string count(Call &call, const TensorType &type, int64_t dimension);

/// x / y of integers: 0 where y is 0, and -x where it is -1, which nobody
/// divides by.
std::string divideIntegers(Call &call);
/// Of integers x - (x / y) y, which is 0 where y is.
std::string remainderOfIntegers(Call &call);

/// dot_general as `node`, [batch, rows, depth] by [batch, depth, columns] with
/// each dimension of a batch apart. `keepsRows`: without a batch the rows may
/// stay apart, too.
std::string dotGeneral(Call &call, const char *node, bool keepsRows);

/// The fused ops, as their definitions say them.
std::string silu(Call &call);
std::string rmsNorm(Call &call);
/// With the features along any axis.
std::string batchNorm(Call &call);

} // namespace smp::exporter

#endif // SMP_TOOLS_EXPORTER_COMMON_H
