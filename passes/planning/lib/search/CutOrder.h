// SPDX-License-Identifier: Apache-2.0
// Cuts of orders into one run per partition.

#ifndef SMP_PASSES_PLANNING_LIB_SEARCH_CUTORDER_H
#define SMP_PASSES_PLANNING_LIB_SEARCH_CUTORDER_H

#include "../order/Orders.h"
#include <limits>

namespace smp::passes {

inline constexpr int64_t kNoBottleneck = std::numeric_limits<int64_t>::max();

/// The best cut of the order into at most one run per partition, at the
/// `mostCuts` cheapest places that there are about; empty when none fits pins,
/// allowed sets and limits with a bottleneck of at most `limit`. Where
/// partitions are of many kinds, they are taken in a fixed sequence.
/// O(cuts^2 * ways to have used partitions + cuts * ends of nets).
Placement cutOrder(const Contraction &problem, const Order &order,
                   size_t mostCuts, int64_t limit);

/// Of cuts of some of the orders, as many as a budget of steps allows, the
/// best; empty when there is none.
Placement cutOrders(const Contraction &problem,
                    const std::vector<Order> &orders);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_SEARCH_CUTORDER_H
