// SPDX-License-Identifier: Apache-2.0
// Evaluates what a GraphBuilder made, without compiling it.

#ifndef SMP_TESTS_IMPORT_BUILDERHELPERS_H
#define SMP_TESTS_IMPORT_BUILDERHELPERS_H

#include "smp/import/GraphBuilder.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/model/Philox.h"
#include "smp/model/Reference.h"
#include <gtest/gtest.h>

namespace smp::test {

using Tensors = std::map<std::string, HostTensor, std::less<>>;

inline HostTensor floats(Shape shape, std::vector<float> values) {
  HostTensor tensor = HostTensor::zeros({DType::F32, std::move(shape)});
  EXPECT_EQ(tensor.as<float>().size(), values.size());
  std::copy(values.begin(), values.end(), tensor.as<float>().begin());
  return tensor;
}

/// Normal, of deviation 1.
inline HostTensor randomFloats(Shape shape, uint64_t seed) {
  HostTensor tensor = HostTensor::zeros({DType::F32, std::move(shape)});
  fillNormal(tensor.bytes, DType::F32, 0, 1, seed);
  return tensor;
}

/// The first value of a variable.
inline HostTensor firstValue(ModelParts &parts, ir::VariableOp variable) {
  HostTensor tensor = HostTensor::zeros(ir::toModel(variable.getTensorType()));
  auto number = [](const llvm::APFloat &value) {
    return value.convertToDouble();
  };
  mlir::Attribute first = variable.getInitializer();
  DType dtype = tensor.type.dtype;
  if (auto splat = mlir::dyn_cast<ir::SplatAttr>(first))
    fillSplat(tensor.bytes, dtype, number(splat.getValue()));
  else if (auto normal = mlir::dyn_cast<ir::NormalAttr>(first))
    fillNormal(tensor.bytes, dtype, number(normal.getMean()),
               number(normal.getStddev()), normal.getSeed());
  else if (auto uniform = mlir::dyn_cast<ir::UniformAttr>(first))
    fillUniform(tensor.bytes, dtype, number(uniform.getLow()),
                number(uniform.getHigh()), uniform.getSeed());
  else if (auto weight = parts.weights.find(variable.getSymName().str()))
    tensor.bytes.assign(weight->bytes.begin(), weight->bytes.end());
  return tensor;
}

inline Tensors firstValues(ModelParts &parts) {
  Tensors values;
  for (auto variable : parts.module->getOps<ir::VariableOp>())
    values[variable.getSymName().str()] = firstValue(parts, variable);
  return values;
}

inline ir::EntryOp entryOf(ModelParts &parts, llvm::StringRef name) {
  return parts.module->lookupSymbol<ir::EntryOp>(name);
}

/// The results of one run of an entry; `variables` has what it reads.
inline Evaluation evaluateEntry(ModelParts &parts, llvm::StringRef name,
                                const std::vector<HostTensor> &inputs,
                                const Tensors &variables) {
  auto graph = ir::exportGraph(entryOf(parts, name));
  EXPECT_TRUE(succeeded(graph));
  return evaluate(*graph, inputs, [&](std::string_view variable) {
    auto found = variables.find(variable);
    return found == variables.end() ? nullptr : &found->second;
  });
}

inline Evaluation evaluateEntry(ModelParts &parts, llvm::StringRef name,
                                const std::vector<HostTensor> &inputs) {
  return evaluateEntry(parts, name, inputs, firstValues(parts));
}

} // namespace smp::test

#endif // SMP_TESTS_IMPORT_BUILDERHELPERS_H
