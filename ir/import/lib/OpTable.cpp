// SPDX-License-Identifier: Apache-2.0
#include "OpTable.h"
#include "ops/Ops.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace smp::frontend {

using namespace smp::ir;

static constexpr int kAny = OpRow::kAny;
static constexpr const char *kTypes = "more element types";
static constexpr const char *kShapeOfData =
    "the shape of its result depends on data, which is not known while "
    "compiling";
static constexpr const char *kStrings = "strings are not supported";
static constexpr const char *kRandom =
    "it draws random numbers; give them as an input";

// clang-format off
// Operators of ONNX's own domain, in the order of their names.
static const OpRow kTable[] = {
    {"Abs", "6 13", 1, 1, kTypes, importUnary<AbsOp>},
    {"Acos", "7 22", 1, 1, kTypes, importUnary<AcosOp>},
    {"Acosh", "9 22", 1, 1, kTypes, importUnary<AcoshOp>},
    {"Add", "7 13 14", 2, 2, kTypes, importBinary<AddOp>},
    {"AffineGrid", "20", 2, 2, "", importAffineGrid},
    {"And", "7", 2, 2, "", importBinary<AndOp>},
    {"ArgMax", "1 11 12 13", 1, 1, "11: negative axes, 12: select_last_index", importArgMax},
    {"ArgMin", "1 11 12 13", 1, 1, "11: negative axes, 12: select_last_index", importArgMin},
    {"Asin", "7 22", 1, 1, kTypes, importUnary<AsinOp>},
    {"Asinh", "9 22", 1, 1, kTypes, importUnary<AsinhOp>},
    {"Atan", "7 22", 1, 1, kTypes, importUnary<AtanOp>},
    {"Atanh", "9 22", 1, 1, kTypes, importUnary<AtanhOp>},
    {"Attention", "23 24 25", 3, 7, "24: nonpad_kv_seqlen, 25: windows", importAttention},
    {"AveragePool", "7 10 11 19 22", 1, 1, "10: ceil_mode, 19: dilations", importAveragePool},
    {"BatchNormalization", "7 9 14 15", 5, 5, "9: no spatial, 14: training_mode, 15: types of statistics", importBatchNorm},
    {"Bernoulli", "15 22", 1, 1, kRandom, nullptr},
    {"BitCast", "26", 1, 1, "", importBitCast},
    {"BitShift", "11 28", 2, 2, "28: signed integers", importBitShift},
    {"BitwiseAnd", "18", 2, 2, "", importBinary<AndOp>},
    {"BitwiseNot", "18", 1, 1, "", importUnary<NotOp>},
    {"BitwiseOr", "18", 2, 2, "", importBinary<OrOp>},
    {"BitwiseXor", "18", 2, 2, "", importBinary<XorOp>},
    {"BlackmanWindow", "17", 1, 1, "", importBlackmanWindow},
    {"Cast", "6 9 13 19 21 23 24 25 28", 1, 1, kTypes, importCast},
    {"CastLike", "15 19 21 23 24 25", 2, 2, kTypes, importCastLike},
    {"CausalConvWithState", "27", 2, 4, "", importCausalConv},
    {"Ceil", "6 13", 1, 1, kTypes, importUnary<CeilOp>},
    {"Celu", "12 28", 1, 1, kTypes, importCelu},
    {"CenterCropPad", "18", 2, 2, "", importCenterCropPad},
    {"Clip", "6", 1, 1, "", importClipAttributes},
    {"Clip", "11 12 13", 1, 3, "bounds are inputs", importClip},
    {"Col2Im", "18", 3, 3, "", importCol2Im},
    {"Compress", "9 11 28", 2, 2, "11: negative axes", importCompress},
    {"Concat", "4 11 13", 1, kAny, "11: negative axes", importConcat},
    {"ConcatFromSequence", "11", 1, 1, "", importConcatFromSequence},
    {"Constant", "1 9 11 12 13 19 21 23 24 25", 0, 0, "12: numbers and lists of numbers", importConstant},
    {"ConstantOfShape", "9 20 21 23 24 25", 1, 1, kTypes, importConstantOfShape},
    {"Conv", "1 11 22", 2, 3, "11: defaults of strides and dilations", importConv},
    {"ConvInteger", "10", 2, 4, "", importConvInteger},
    {"ConvTranspose", "1 11 22", 2, 3, "11: defaults of strides and dilations", importConvTranspose},
    {"Cos", "7 22", 1, 1, kTypes, importUnary<CosOp>},
    {"Cosh", "9 22", 1, 1, kTypes, importUnary<CoshOp>},
    {"CumProd", "26", 2, 2, "", importCumProd},
    {"CumSum", "11 14", 2, 2, kTypes, importCumSum},
    {"DFT", "17", 1, 2, "", importDft},
    {"DFT", "20", 1, 3, "the axis is an input", importDft},
    {"DeformConv", "19 22", 3, 5, kTypes, importDeformConv},
    {"DepthToSpace", "1 11 13 28", 1, 1, "11: mode", importDepthToSpace},
    {"DequantizeLinear", "10 13 19 21 23 24 25 28", 2, 3, "13: per axis, 21: per block, 23: output_dtype", importDequantizeLinear},
    {"Det", "11 22", 1, 1, kTypes, importDet},
    {"Div", "7 13 14", 2, 2, kTypes, importBinary<DivOp>},
    {"Dropout", "7 10 12 13 22", 1, 3, "10: the mask is bool, 12: ratio and training_mode are inputs", importDropout},
    {"DynamicQuantizeLinear", "11", 1, 1, "", importDynamicQuantizeLinear},
    {"Einsum", "12 28", 1, kAny, kTypes, importEinsum},
    {"Elu", "6 22", 1, 1, kTypes, importElu},
    {"Equal", "7 11 13 19", 2, 2, kTypes, importCompare<Direction::EQ>},
    {"Erf", "9 13", 1, 1, kTypes, importUnary<ErfOp>},
    {"Exp", "6 13", 1, 1, kTypes, importUnary<ExpOp>},
    {"Expand", "8 13", 2, 2, kTypes, importExpand},
    {"EyeLike", "9 22", 1, 1, kTypes, importEyeLike},
    {"Flatten", "1 9 11 13 21 23 24 25", 1, 1, "11: negative axes", importFlatten},
    {"Floor", "6 13", 1, 1, kTypes, importUnary<FloorOp>},
    {"GRU", "7 14 22", 3, 6, "14: layout", importGru},
    {"Gather", "1 11 13", 2, 2, "11: negative axes and indices", importGather},
    {"GatherElements", "11 13", 2, 2, kTypes, importGatherElements},
    {"GatherND", "11 12 13", 2, 2, "12: batch_dims", importGatherNd},
    {"Gelu", "20", 1, 1, "", importGelu},
    {"Gemm", "7 9 11 13", 2, 3, "11: the third input may be left out", importGemm},
    {"GlobalAveragePool", "1 22", 1, 1, kTypes, importGlobalAveragePool},
    {"GlobalLpPool", "2 22", 1, 1, kTypes, importGlobalLpPool},
    {"GlobalMaxPool", "1 22", 1, 1, kTypes, importGlobalMaxPool},
    {"Greater", "7 9 13", 2, 2, kTypes, importCompare<Direction::GT>},
    {"GreaterOrEqual", "12 16", 2, 2, kTypes, importCompare<Direction::GE>},
    {"GridSample", "16 20 22", 2, 2, "20: any number of dimensions", importGridSample},
    {"GroupNormalization", "18 21", 3, 3, "21: scale and bias are per feature", importGroupNorm},
    {"HammingWindow", "17", 1, 1, "", importHammingWindow},
    {"HannWindow", "17", 1, 1, "", importHannWindow},
    {"HardSigmoid", "6 22", 1, 1, kTypes, importHardSigmoid},
    {"HardSwish", "14 22", 1, 1, kTypes, importHardSwish},
    {"Hardmax", "1 11", 1, 1, "along all dimensions from the axis on", importHardmaxFlattened},
    {"Hardmax", "13", 1, 1, "along one axis", importHardmax},
    {"Identity", "1 13 14 16 19 21 23 24 25", 1, 1, kTypes, importIdentity},
    {"If", "1 11 13 16 19 21 23 24 25", 1, 1, kTypes, importIf},
    {"ImageDecoder", "20", 1, 1, "decoding images is not supported", nullptr},
    {"InstanceNormalization", "6 22", 3, 3, kTypes, importInstanceNorm},
    {"IsInf", "10 20", 1, 1, kTypes, importIsInf},
    {"IsNaN", "9 13 20", 1, 1, kTypes, importUnary<IsNanOp>},
    {"LRN", "1 13", 1, 1, kTypes, importLrn},
    {"LSTM", "7 14 22", 3, 8, "14: layout", importLstm},
    {"LayerNormalization", "17", 2, 3, "", importLayerNorm},
    {"LeakyRelu", "6 16", 1, 1, kTypes, importLeakyRelu},
    {"Less", "7 9 13", 2, 2, kTypes, importCompare<Direction::LT>},
    {"LessOrEqual", "12 16", 2, 2, kTypes, importCompare<Direction::LE>},
    {"LinearAttention", "27", 3, 6, "", importLinearAttention},
    {"Log", "6 13", 1, 1, kTypes, importUnary<LogOp>},
    {"LogSoftmax", "1 11", 1, 1, "along all dimensions from the axis on", importLogSoftmaxFlattened},
    {"LogSoftmax", "13", 1, 1, "along one axis", importLogSoftmax},
    {"Loop", "1 11 13 16 19 21 23 24 25", 0, kAny, kTypes, importLoop},
    {"LpNormalization", "1 22", 1, 1, kTypes, importLpNorm},
    {"LpPool", "2 11 18 22", 1, 1, "18: ceil_mode and dilations", importLpPool},
    {"MatMul", "1 9 13", 2, 2, kTypes, importMatMul},
    {"MatMulInteger", "10", 2, 4, "", importMatMulInteger},
    {"Max", "6 8 12 13", 1, kAny, "8: broadcasting", importVariadic<MaxOp>},
    {"MaxPool", "1 8 10 11 12 22", 1, 1, "8: indices, 10: ceil_mode and dilations", importMaxPool},
    {"MaxRoiPool", "1 22", 2, 2, "regions of interest are not supported", nullptr},
    {"MaxUnpool", "9 11 22", 2, 3, kTypes, importMaxUnpool},
    {"Mean", "6 8 13", 1, kAny, "8: broadcasting", importMean},
    {"MeanVarianceNormalization", "9 13", 1, 1, kTypes, importMeanVarianceNorm},
    {"MelWeightMatrix", "17", 5, 5, "", importMelWeights},
    {"Min", "6 8 12 13", 1, kAny, "8: broadcasting", importVariadic<MinOp>},
    {"Mish", "18 22", 1, 1, kTypes, importMish},
    {"Mod", "10 13 28", 2, 2, "28: floats without fmod", importMod},
    {"Mul", "7 13 14", 2, 2, kTypes, importBinary<MulOp>},
    {"Multinomial", "7 22", 1, 1, kRandom, nullptr},
    {"Neg", "6 13", 1, 1, kTypes, importUnary<NegOp>},
    {"NegativeLogLikelihoodLoss", "12 13 22", 2, 3, "13: a target may be ignored", importNllLoss},
    {"NonMaxSuppression", "10 11", 2, 5, kShapeOfData, nullptr},
    {"NonZero", "9 13", 1, 1, kTypes, importNonZero},
    {"Not", "1", 1, 1, "", importUnary<NotOp>},
    {"OneHot", "9 11 28", 3, 3, "11: negative axes and indices", importOneHot},
    {"Optional", "15 28", 0, 1, kTypes, importOptional},
    {"OptionalGetElement", "15 18 28", 1, 1, kTypes, importIdentity},
    {"OptionalHasElement", "15 18 28", 0, 1, kTypes, importOptionalHasElement},
    {"Or", "7", 2, 2, "", importBinary<OrOp>},
    {"PRelu", "7 9 16", 2, 2, kTypes, importPRelu},
    {"Pad", "2", 1, 1, "", importPadAttributes},
    {"Pad", "11 13 18 19 21 23 24 25", 2, 4, "pads and value are inputs, 18: axes, 19: mode wrap", importPad},
    {"Pow", "7 12 13 15", 2, 2, "12: the exponent has a type of its own", importPow},
    {"QLinearConv", "10", 8, 9, "", importQLinearConv},
    {"QLinearMatMul", "10 21", 8, 8, kTypes, importQLinearMatMul},
    {"QuantizeLinear", "10 13 19 21 23 24 25 28", 2, 3, "13: per axis, 21: per block, 23: precision", importQuantizeLinear},
    {"RMSNormalization", "23", 2, 2, "", importRmsNorm},
    {"RNN", "7 14 22", 3, 6, "14: layout", importRnn},
    {"RandomNormal", "1 22", 0, 0, kRandom, nullptr},
    {"RandomNormalLike", "1 22", 1, 1, kRandom, nullptr},
    {"RandomUniform", "1 22", 0, 0, kRandom, nullptr},
    {"RandomUniformLike", "1 22", 1, 1, kRandom, nullptr},
    {"Range", "11 27", 3, 3, "27: floats of 16 bits", importRange},
    {"Reciprocal", "6 13", 1, 1, kTypes, importReciprocal},
    {"ReduceL1", "1 11 13", 1, 1, "11: negative axes", importReduceL1},
    {"ReduceL1", "18", 1, 2, "axes are an input", importReduceL1},
    {"ReduceL2", "1 11 13", 1, 1, "11: negative axes", importReduceL2},
    {"ReduceL2", "18", 1, 2, "axes are an input", importReduceL2},
    {"ReduceLogSum", "1 11 13", 1, 1, "11: negative axes", importReduceLogSum},
    {"ReduceLogSum", "18 28", 1, 2, "axes are an input", importReduceLogSum},
    {"ReduceLogSumExp", "1 11 13", 1, 1, "11: negative axes", importReduceLogSumExp},
    {"ReduceLogSumExp", "18 28", 1, 2, "axes are an input", importReduceLogSumExp},
    {"ReduceMax", "1 11 12 13", 1, 1, "11: negative axes", importReduceMax},
    {"ReduceMax", "18 20", 1, 2, "axes are an input, 20: bool", importReduceMax},
    {"ReduceMean", "1 11 13", 1, 1, "11: negative axes", importReduceMean},
    {"ReduceMean", "18", 1, 2, "axes are an input", importReduceMean},
    {"ReduceMin", "1 11 12 13", 1, 1, "11: negative axes", importReduceMin},
    {"ReduceMin", "18 20", 1, 2, "axes are an input, 20: bool", importReduceMin},
    {"ReduceProd", "1 11 13", 1, 1, "11: negative axes", importReduceProd},
    {"ReduceProd", "18", 1, 2, "axes are an input", importReduceProd},
    {"ReduceSum", "1 11", 1, 1, "11: negative axes", importReduceSum},
    {"ReduceSum", "13", 1, 2, "axes are an input", importReduceSum},
    {"ReduceSumSquare", "1 11 13", 1, 1, "11: negative axes", importReduceSumSquare},
    {"ReduceSumSquare", "18", 1, 2, "axes are an input", importReduceSumSquare},
    {"RegexFullMatch", "20", 1, 1, kStrings, nullptr},
    {"Relu", "6 13 14", 1, 1, kTypes, importUnary<ReluOp>},
    {"Reshape", "5 13 14 19 21 23 24 25", 2, 2, "14: allowzero", importReshape},
    {"Resize", "10", 2, 2, "", importUpsample},
    {"Resize", "11 13 18 19", 1, 4, "sizes and modes, 18: axes and antialias, 19: half_pixel_symmetric", importResize},
    {"ReverseSequence", "10 28", 2, 2, kTypes, importReverseSequence},
    {"RoiAlign", "10 16 22", 3, 3, "16: coordinate_transformation_mode", importRoiAlign},
    {"RotaryEmbedding", "23", 3, 4, "", importRotaryEmbedding},
    {"Round", "11 22", 1, 1, kTypes, importUnary<RoundOp>},
    {"STFT", "17", 2, 4, "", importStft},
    {"Scan", "8", 1, kAny, "its version in opset 8 has a batch; convert the model to opset 9 or newer", nullptr},
    {"Scan", "9 11 16 19 21 23 24 25", 1, kAny, "without a batch, 11: negative axes", importScan},
    {"Scatter", "9 11", 3, 3, "11: deprecated", importScatterElements},
    {"ScatterElements", "11 13 16 18", 3, 3, "16: reduction, 18: max and min", importScatterElements},
    {"ScatterND", "11 13 16 18", 3, 3, "16: reduction, 18: max and min", importScatterNd},
    {"Selu", "6 22", 1, 1, kTypes, importSelu},
    {"SequenceAt", "11", 2, 2, "", importSequenceAt},
    {"SequenceConstruct", "11", 1, kAny, "", importSequenceConstruct},
    {"SequenceEmpty", "11", 0, 0, "", importSequenceEmpty},
    {"SequenceErase", "11", 1, 2, "", importSequenceErase},
    {"SequenceInsert", "11", 2, 3, "", importSequenceInsert},
    {"SequenceLength", "11", 1, 1, "", importSequenceLength},
    {"SequenceMap", "17", 1, kAny, "", importSequenceMap},
    {"Shape", "1 13 15 19 21 23 24 25", 1, 1, "15: start and end", importShape},
    {"Shrink", "9", 1, 1, "", importShrink},
    {"Sigmoid", "6 13", 1, 1, kTypes, importUnary<SigmoidOp>},
    {"Sign", "9 13", 1, 1, kTypes, importUnary<SignOp>},
    {"Sin", "7 22", 1, 1, kTypes, importUnary<SinOp>},
    {"Sinh", "9 22", 1, 1, kTypes, importUnary<SinhOp>},
    {"Size", "1 13 19 21 23 24 25", 1, 1, kTypes, importSize},
    {"Slice", "1", 1, 1, "", importSliceAttributes},
    {"Slice", "10 11 13", 3, 5, "bounds are inputs, with steps", importSlice},
    {"Softmax", "1 11", 1, 1, "along all dimensions from the axis on", importSoftmaxFlattened},
    {"Softmax", "13", 1, 1, "along one axis", importSoftmax},
    {"SoftmaxCrossEntropyLoss", "12 13", 2, 3, kTypes, importSoftmaxCrossEntropy},
    {"Softplus", "1 22", 1, 1, kTypes, importUnary<SoftplusOp>},
    {"Softsign", "1 22", 1, 1, kTypes, importSoftsign},
    {"SpaceToDepth", "1 13 28", 1, 1, "28: mode", importSpaceToDepth},
    {"Split", "2 11", 1, 1, "11: negative axes", importSplit},
    {"Split", "13 18", 1, 2, "sizes are an input, 18: num_outputs", importSplit},
    {"SplitToSequence", "11 24", 1, 2, "", importSplitToSequence},
    {"Sqrt", "6 13", 1, 1, kTypes, importUnary<SqrtOp>},
    {"Squeeze", "1 11", 1, 1, "11: negative axes", importSqueeze},
    {"Squeeze", "13 21 23 24 25", 1, 2, "axes are an input", importSqueeze},
    {"StringConcat", "20", 2, 2, kStrings, nullptr},
    {"StringNormalizer", "10", 1, 1, kStrings, nullptr},
    {"StringSplit", "20", 1, 1, kStrings, nullptr},
    {"Sub", "7 13 14", 2, 2, kTypes, importBinary<SubOp>},
    {"Sum", "6 8 13", 1, kAny, "8: broadcasting", importVariadic<AddOp>},
    {"SwiGLU", "28", 2, 2, "", importSwiGlu},
    {"Swish", "24", 1, 1, "", importSwish},
    {"Tan", "7 22", 1, 1, kTypes, importUnary<TanOp>},
    {"Tanh", "6 13", 1, 1, kTypes, importUnary<TanhOp>},
    {"TensorScatter", "24", 2, 3, "", importTensorScatter},
    {"TfIdfVectorizer", "9", 1, 1, "counting n-grams is not supported", nullptr},
    {"ThresholdedRelu", "10 22", 1, 1, kTypes, importThresholdedRelu},
    {"Tile", "6 13", 2, 2, kTypes, importTile},
    {"TopK", "1", 1, 1, "", importTopKAttribute},
    {"TopK", "10 11 24", 2, 2, "k is an input, 11: largest and sorted", importTopK},
    {"Transpose", "1 13 21 23 24 25", 1, 1, kTypes, importTranspose},
    {"Trilu", "14", 1, 2, "", importTrilu},
    {"Unique", "11 28", 1, 1, kShapeOfData, nullptr},
    {"Unsqueeze", "1 11", 1, 1, "11: negative axes", importUnsqueeze},
    {"Unsqueeze", "13 21 23 24 25", 2, 2, "axes are an input", importUnsqueeze},
    {"Upsample", "7 9", 1, 2, "9: scales are an input", importUpsample},
    {"Upsample", "10", 1, 2, "it was removed with opset 10; use Resize", nullptr},
    {"Where", "9 16", 3, 3, kTypes, importWhere},
    {"Xor", "7", 2, 2, "", importBinary<XorOp>},
};

static const OpRow kTrainingTable[] = {
    {"Adagrad", "1", 3, kAny, "", importAdagrad},
    {"Adam", "1", 3, kAny, "", importAdam},
    {"Gradient", "1", 1, kAny, "", importGradient},
    {"Momentum", "1", 3, kAny, "", importMomentum},
};
// clang-format on

llvm::ArrayRef<OpRow> opTable() { return kTable; }

int64_t opsetOf(const std::map<std::string, int64_t> &opsets,
                llvm::StringRef domain) {
  auto found = opsets.find(isOnnxDomain(domain) ? "" : domain.str());
  return found == opsets.end() ? 0 : found->second;
}

/// The version of a row that holds in `opset`; 0: none.
static int64_t versionIn(const OpRow &row, int64_t opset) {
  llvm::SmallVector<llvm::StringRef> versions;
  llvm::StringRef(row.versions).split(versions, ' ');
  int64_t best = 0, version;
  for (llvm::StringRef text : versions)
    if (!text.getAsInteger(10, version) && version <= opset)
      best = version;
  return best;
}

Rule findRule(llvm::StringRef domain, llvm::StringRef op, int64_t opset) {
  Rule rule;
  llvm::ArrayRef<OpRow> table;
  if (isOnnxDomain(domain))
    table = kTable;
  else if (domain == kTrainingDomain)
    table = kTrainingTable;
  for (const OpRow &row : table) {
    if (op != row.op)
      continue;
    int64_t version = versionIn(row, opset);
    if (version > rule.since)
      rule = {&row, version, 0};
    if (!version && !rule.row && !rule.firstVersion)
      llvm::StringRef(row.versions)
          .split(' ')
          .first.getAsInteger(10, rule.firstVersion);
  }
  return rule;
}

} // namespace smp::frontend
