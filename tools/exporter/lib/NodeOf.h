// SPDX-License-Identifier: Apache-2.0
// Ops that are one node of the same operands.

#ifndef SMP_TOOLS_EXPORTER_NODEOF_H
#define SMP_TOOLS_EXPORTER_NODEOF_H

#include "Call.h"
#include <algorithm>

namespace smp::exporter {

template <size_t N>
struct NodeName { // A text as a template's argument.
  char text[N];
  constexpr NodeName(const char (&from)[N]) { std::copy_n(from, N, text); }
};

/// The node of that name, of the same operands.
template <NodeName kNode>
std::string same(Call &call) {
  call.give(kNode.text, call.operands());
  return {};
}

/// One name of bools, another one of integers.
template <NodeName kNode, NodeName kBitwise>
std::string bits(Call &call) {
  return call.dtype() == DType::Bool ? same<kNode>(call) : same<kBitwise>(call);
}

} // namespace smp::exporter

#endif // SMP_TOOLS_EXPORTER_NODEOF_H
