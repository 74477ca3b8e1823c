// SPDX-License-Identifier: Apache-2.0
// In which scopes the ops of a graph are.

#ifndef SMP_TOOLS_PAGE_SCOPENAMES_H
#define SMP_TOOLS_PAGE_SCOPENAMES_H

#include "smp/model/Graph.h"

namespace smp::page {

/// By op: the scopes around it, outermost first: what it is for (where the
/// graph has more than forward work), and the parts of its name, or of the op's
/// that it is a part of. What updates variables is with the variable whose name
/// its own ends with, and with those that alone read it or that it alone reads.
std::vector<std::vector<std::string>> scopeNames(const Graph &graph);

/// The last part of a name.
std::string lastPart(const std::string &name);

} // namespace smp::page

#endif // SMP_TOOLS_PAGE_SCOPENAMES_H
