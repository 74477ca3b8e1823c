// SPDX-License-Identifier: Apache-2.0
#include "TensorFlowTables.h"

namespace smp::tensorflow {

/// The type of integers of TensorFlow's products that has the same low bits.
static DType ofProducts(DType type) {
  switch (type) {
  case DType::U32:
    return DType::I32;
  case DType::U64:
    return DType::I64;
  default:
    return exporter::withoutHalves(exporter::widened(type));
  }
}

static std::string dotGeneral(Call &call) {
  call.computeIn(ofProducts(call.dtype()));
  const bool hasBatch = !call.ints("lhs_batch").empty();
  return exporter::dotGeneral(call, hasBatch ? "BatchMatMulV2" : "MatMul",
                              /*keepsRows=*/false);
}

void addProduct(Table &table) { table.insert({{"dot_general", dotGeneral}}); }

} // namespace smp::tensorflow
