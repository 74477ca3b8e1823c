// SPDX-License-Identifier: Apache-2.0
#include "OnnxTables.h"

namespace smp::onnx {

static std::string dotGeneral(Call &call) {
  call.computeIn(widened(call.dtype()));
  return exporter::dotGeneral(call, "MatMul", /*keepsRows=*/true);
}

void addContraction(Table &table) {
  table.insert({{"dot_general", dotGeneral}});
}

} // namespace smp::onnx
