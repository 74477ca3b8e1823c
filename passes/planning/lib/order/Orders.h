// SPDX-License-Identifier: Apache-2.0
// Linear orders of groups whose prefixes are cheap to cut off.

#ifndef SMP_PASSES_PLANNING_LIB_ORDER_ORDERS_H
#define SMP_PASSES_PLANNING_LIB_ORDER_ORDERS_H

#include "../problem/Contraction.h"

namespace smp::passes {

using Order = std::vector<uint32_t>;

/// Orders of the groups that leave little open between neighbours.
std::vector<Order> frontierOrders(const Contraction &problem);
/// Such orders in which each group follows those whose tensors it takes; none
/// when groups need each other.
std::vector<Order> topologicalOrders(const Contraction &problem);

/// From `start`, always the neighbour next that leaves the cheapest nets open,
/// or the fewest. O(groups * nets that are open).
enum class Frontier { Cheapest, Fewest };
Order leastFrontier(const Contraction &problem, uint32_t start, Frontier what);

/// Depth first along the tensors, or against them, each choice drawn by the
/// seed. Groups that need each other come in any order.
enum class Direction { Forward, Backward };
Order drawnOrder(const Contraction &problem, uint64_t seed,
                 Direction direction);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_ORDER_ORDERS_H
