// SPDX-License-Identifier: Apache-2.0
// An entry's graph, as the page's script draws it.

#ifndef SMP_TOOLS_PAGE_GRAPHDATA_H
#define SMP_TOOLS_PAGE_GRAPHDATA_H

#include "ScopeLayout.h"
#include <nlohmann/json.hpp>

namespace smp::page {

/// {"scopes": each with its boxes and wires, "ops", "values": of the graph}.
StatusOr<nlohmann::json> graphData(const Entry &entry, ScopeLayouter &layouter);

} // namespace smp::page

#endif // SMP_TOOLS_PAGE_GRAPHDATA_H
