// SPDX-License-Identifier: Apache-2.0
// ONNX models as text, for tests to compare.

#ifndef SMP_TESTS_UNIT_TOOLS_EXPORTER_ONNXTEXT_H
#define SMP_TESTS_UNIT_TOOLS_EXPORTER_ONNXTEXT_H

#include "Onnx.pb.h"
#include <string>

namespace smp::test {

/// A line each for inputs, initialisers, nodes and outputs:
///   input x: 1[2x3]
///   w: 1[4] = 16 bytes
///   y = Add(x, w) {axis=1}
///   output y: 1[2x3]
std::string textOf(const proto::onnx::Graph &graph);

} // namespace smp::test

#endif // SMP_TESTS_UNIT_TOOLS_EXPORTER_ONNXTEXT_H
