// SPDX-License-Identifier: Apache-2.0
// Partitions as bounds see them.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_HOLDER_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_HOLDER_H

#include "../problem/Contraction.h"

namespace smp::passes {

/// Some partitions that are alike, as far as bounds go: memory and what is at
/// the other ends of links are left out, and each is as good as the best of
/// them. What a set of groups costs there is at most what it costs in truth.
struct Holder {
  enum class Has : uint8_t { Maybe, Always, Never };

  std::vector<uint32_t> partitions;
  std::vector<int64_t> costs;    ///< By group.
  std::vector<int64_t> netCosts; ///< By net, if it is cut.
  std::vector<Has> has;          ///< By group.

  uint32_t count() const { return uint32_t(partitions.size()); }
};

/// A few holders for all partitions. Partitions with pins are by themselves
/// where there are few of them, else pins are left out.
std::vector<Holder> holdersOf(const Contraction &problem);

/// Makes one of groups that need not be apart where bounds are concerned: one
/// that is joined to another by so dear a net that whatever partition has that
/// one is no worse off with both.
Contraction joinPendants(Contraction problem);

/// Makes one of groups that no placement with a bottleneck of at most
/// `bottleneck` divides, as cutting the nets between them costs more.
Contraction joinUncut(Contraction problem, int64_t bottleneck);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_HOLDER_H
