// SPDX-License-Identifier: Apache-2.0
// SavedModels as text, for tests to compare.

#ifndef SMP_TESTS_UNIT_TOOLS_EXPORTER_SAVEDMODELTEXT_H
#define SMP_TESTS_UNIT_TOOLS_EXPORTER_SAVEDMODELTEXT_H

#include "SavedModel.pb.h"
#include <string>

namespace smp::test {

/// A line each for inputs, nodes and outputs:
///   input x = x:0
///   y = AddV2(x, w) T=1
///   output y = y:0
std::string textOf(const proto::tensorflow::MetaGraph &graph);

} // namespace smp::test

#endif // SMP_TESTS_UNIT_TOOLS_EXPORTER_SAVEDMODELTEXT_H
