// SPDX-License-Identifier: Apache-2.0
// Graphs that are made by hand, to be exported.

#ifndef SMP_TESTS_UNIT_TOOLS_EXPORTER_EXPORTGRAPHS_H
#define SMP_TESTS_UNIT_TOOLS_EXPORTER_EXPORTGRAPHS_H

#include "smp/tools/ExportedModel.h"
#include <map>

namespace smp::test {

using AttributeMap = std::map<std::string, Attribute>;

/// Builds a graph, op by op. Variables have bytes 0, 1, 2 ...
class GraphMaker {
public:
  uint32_t input(const std::string &name, TensorType type);
  /// Adds an op of one result and gives that.
  uint32_t op(const std::string &mnemonic, std::vector<uint32_t> operands,
              TensorType result, AttributeMap attributes = {},
              const std::string &name = {});
  uint32_t read(const std::string &variable, TensorType type);
  void output(const std::string &name, uint32_t value);
  /// The entry `predict`.
  ExportedModel finish() const;
  Graph &graph() { return made; }

private:
  Graph made;
  std::vector<std::string> inputs, outputs;
};

/// f32 of the shape.
inline TensorType floats(Shape shape) { return {DType::F32, std::move(shape)}; }

} // namespace smp::test

#endif // SMP_TESTS_UNIT_TOOLS_EXPORTER_EXPORTGRAPHS_H
