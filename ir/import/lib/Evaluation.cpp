// SPDX-License-Identifier: Apache-2.0
#include "Evaluation.h"
#include "Emitter.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/ModelTypes.h"
#include "smp/model/Reference.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// Of an operand.
static constexpr int64_t kMostElements = 64 * 1024;

int64_t countElements(RankedTensorType type, int64_t factor) {
  int64_t count = 1;
  for (int64_t size : type.getShape())
    count *= factor && size && size % factor == 0 ? size / factor : size;
  return count;
}

std::optional<std::vector<HostTensor>> constantOperands(Operation *op,
                                                        int64_t factor) {
  std::vector<HostTensor> operands;
  for (Value operand : op->getOperands()) {
    DenseElementsAttr elements = constantOf(operand);
    if (!elements || countElements(typeOf(operand), factor) > kMostElements)
      return std::nullopt;
    operands.push_back(toHost(elements));
  }
  return operands;
}

std::optional<std::vector<HostTensor>>
evaluate(Operation *op, const std::vector<HostTensor> &operands,
         const std::vector<TensorType> &types) {
  std::vector<const HostTensor *> borrowed;
  for (const HostTensor &operand : operands)
    borrowed.push_back(&operand);
  auto exported = exportOp(op);
  if (failed(exported))
    return std::nullopt;
  Evaluation evaluation = evaluateOp(*exported, borrowed, types);
  if (!evaluation.ok())
    return std::nullopt;
  return std::move(evaluation.results);
}

std::vector<TensorType> resultTypes(Operation *op) {
  std::vector<TensorType> types;
  for (Type type : op->getResultTypes())
    types.push_back(toModel(cast<RankedTensorType>(type)));
  return types;
}

} // namespace smp::frontend
