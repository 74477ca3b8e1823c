// SPDX-License-Identifier: Apache-2.0
// The rules that OpTable.cpp names, by file of ops/.

#ifndef SMP_IMPORT_LIB_OPS_OPS_H
#define SMP_IMPORT_LIB_OPS_OPS_H

#include "../Node.h"

namespace smp::frontend {

//===-- Elementwise.cpp ---------------------------------------------------===//
template <typename OpT>
void importUnary(Node &node) {
  node.set(node.emit.unary<OpT>(node[0]));
}
template <typename OpT>
void importBinary(Node &node) {
  node.set(node.emit.binary<OpT>(node[0], node[1]));
}
template <typename OpT>
void importVariadic(Node &node) {
  Value result = node[0];
  for (int64_t i = 1; i < node.numInputs(); ++i)
    result = node.emit.binary<OpT>(result, node[i]);
  node.set(result);
}
template <ir::Direction direction>
void importCompare(Node &node) {
  node.set(node.emit.compare(direction, node[0], node[1]));
}
void importReciprocal(Node &node);
void importPow(Node &node);
void importMod(Node &node);
void importBitShift(Node &node);
void importMean(Node &node);
void importClipAttributes(Node &node);
void importClip(Node &node);
void importWhere(Node &node);
void importIsInf(Node &node);
void importCast(Node &node);
void importCastLike(Node &node);
void importBitCast(Node &node);
void importLeakyRelu(Node &node);
void importPRelu(Node &node);
void importThresholdedRelu(Node &node);
void importElu(Node &node);
void importCelu(Node &node);
void importSelu(Node &node);
void importHardSigmoid(Node &node);
void importHardSwish(Node &node);
void importSoftsign(Node &node);
void importMish(Node &node);
void importSwish(Node &node);
void importSwiGlu(Node &node);
void importGelu(Node &node);
void importShrink(Node &node);

//===-- Reduce.cpp --------------------------------------------------------===//
void importReduceSum(Node &node);
void importReduceMean(Node &node);
void importReduceProd(Node &node);
void importReduceMax(Node &node);
void importReduceMin(Node &node);
void importReduceL1(Node &node);
void importReduceL2(Node &node);
void importReduceSumSquare(Node &node);
void importReduceLogSum(Node &node);
void importReduceLogSumExp(Node &node);
void importArgMax(Node &node);
void importArgMin(Node &node);
void importSoftmaxFlattened(Node &node);
void importSoftmax(Node &node);
void importLogSoftmaxFlattened(Node &node);
void importLogSoftmax(Node &node);
void importHardmaxFlattened(Node &node);
void importHardmax(Node &node);
void importCumSum(Node &node);
void importCumProd(Node &node);

//===-- Literals.cpp ------------------------------------------------------===//
void importConstant(Node &node);
void importConstantOfShape(Node &node);
void importRange(Node &node);
void importEyeLike(Node &node);
void importShape(Node &node);
void importSize(Node &node);

//===-- Shape.cpp ---------------------------------------------------------===//
void importIdentity(Node &node);
void importDropout(Node &node);
void importReshape(Node &node);
void importFlatten(Node &node);
void importSqueeze(Node &node);
void importUnsqueeze(Node &node);
void importTranspose(Node &node);
void importExpand(Node &node);
void importTile(Node &node);
void importDepthToSpace(Node &node);
void importSpaceToDepth(Node &node);

//===-- Slicing.cpp -------------------------------------------------------===//
void importConcat(Node &node);
void importSplit(Node &node);
void importSliceAttributes(Node &node);
void importSlice(Node &node);
void importPadAttributes(Node &node);
void importPad(Node &node);
void importTrilu(Node &node);
void importReverseSequence(Node &node);
void importCenterCropPad(Node &node);
void importCompress(Node &node);

//===-- Conv.cpp ----------------------------------------------------------===//
void importConv(Node &node);
void importConvTranspose(Node &node);
void importCausalConv(Node &node);
void importCol2Im(Node &node);

//===-- DeformConv.cpp ----------------------------------------------------===//
void importDeformConv(Node &node);

//===-- Pool.cpp ----------------------------------------------------------===//
void importMaxPool(Node &node);
void importAveragePool(Node &node);
void importLpPool(Node &node);
void importGlobalAveragePool(Node &node);
void importGlobalMaxPool(Node &node);
void importGlobalLpPool(Node &node);

//===-- Norm.cpp ----------------------------------------------------------===//
void importBatchNorm(Node &node);
void importInstanceNorm(Node &node);
void importLayerNorm(Node &node);
void importRmsNorm(Node &node);
void importGroupNorm(Node &node);
void importLrn(Node &node);
void importMeanVarianceNorm(Node &node);
void importLpNorm(Node &node);

//===-- Attention.cpp -----------------------------------------------------===//
void importAttention(Node &node);
void importRotaryEmbedding(Node &node);

//===-- LinearAttention.cpp -----------------------------------------------===//
void importLinearAttention(Node &node);

//===-- MatMul.cpp --------------------------------------------------------===//
void importMatMul(Node &node);
void importGemm(Node &node);
void importEinsum(Node &node);

//===-- Indexing.cpp ------------------------------------------------------===//
void importGather(Node &node);
void importGatherElements(Node &node);
void importGatherNd(Node &node);
void importScatterElements(Node &node);
void importScatterNd(Node &node);
void importTensorScatter(Node &node);
void importOneHot(Node &node);
void importTopKAttribute(Node &node);
void importTopK(Node &node);
void importNonZero(Node &node);

//===-- Loss.cpp ----------------------------------------------------------===//
void importNllLoss(Node &node);
void importSoftmaxCrossEntropy(Node &node);

//===-- Quantize.cpp ------------------------------------------------------===//
void importQuantizeLinear(Node &node);
void importDequantizeLinear(Node &node);
void importDynamicQuantizeLinear(Node &node);
void importMatMulInteger(Node &node);
void importConvInteger(Node &node);
void importQLinearMatMul(Node &node);
void importQLinearConv(Node &node);

//===-- Resize.cpp --------------------------------------------------------===//
void importUpsample(Node &node);
void importResize(Node &node);

//===-- Recurrent.cpp -----------------------------------------------------===//
void importRnn(Node &node);
void importGru(Node &node);
void importLstm(Node &node);

//===-- Control.cpp -------------------------------------------------------===//
void importIf(Node &node);
void importLoop(Node &node);
void importScan(Node &node);

//===-- Signal.cpp --------------------------------------------------------===//
void importHannWindow(Node &node);
void importHammingWindow(Node &node);
void importBlackmanWindow(Node &node);
void importDft(Node &node);
void importStft(Node &node);
void importMelWeights(Node &node);

//===-- Sampling.cpp ------------------------------------------------------===//
void importGridSample(Node &node);
void importAffineGrid(Node &node);
void importRoiAlign(Node &node);
void importMaxUnpool(Node &node);

//===-- Linear.cpp --------------------------------------------------------===//
void importDet(Node &node);

//===-- Sequence.cpp ------------------------------------------------------===//
void importSequenceConstruct(Node &node);
void importSequenceEmpty(Node &node);
void importSequenceInsert(Node &node);
void importSequenceErase(Node &node);
void importSequenceAt(Node &node);
void importSequenceLength(Node &node);
void importConcatFromSequence(Node &node);
void importSplitToSequence(Node &node);
void importSequenceMap(Node &node);
void importOptional(Node &node);
void importOptionalHasElement(Node &node);

//===-- Training.cpp ------------------------------------------------------===//
void importAdagrad(Node &node);
void importAdam(Node &node);
void importMomentum(Node &node);
void importGradient(Node &node);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_OPS_OPS_H
