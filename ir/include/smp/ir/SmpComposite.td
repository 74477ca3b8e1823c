// SPDX-License-Identifier: Apache-2.0
// Ops that decompose into primitives. A backend with a better kernel takes one whole.

#ifndef SMP_IR_COMPOSITE_TD
#define SMP_IR_COMPOSITE_TD

include "smp/ir/SmpElementwise.td"
include "smp/ir/SmpContraction.td"

class Smp_ActivationOp<string mnemonic, Type type, string text, list<Trait> traits = []>
    : Smp_UnaryOp<mnemonic, type, text, !listconcat([Smp_Composite], traits)>;

def Smp_ReluOp : Smp_ActivationOp<"relu", Smp_NumberTensor, "max(x, +0); a NaN stays NaN.", [Smp_Differentiable]> { let hasFolder = 1; }
def Smp_SigmoidOp : Smp_ActivationOp<"sigmoid", Smp_FloatTensor, "1 / (1 + exp(-x)).", [Smp_Differentiable]>;
def Smp_SiluOp : Smp_ActivationOp<"silu", Smp_FloatTensor, "x * sigmoid(x).">;
def Smp_SoftplusOp : Smp_ActivationOp<"softplus", Smp_FloatTensor, "log(1 + exp(x)), without overflow.", [Smp_Differentiable]>;

def Smp_GeluOp : Smp_TensorOp<"gelu", [Smp_Elementwise, SameOperandsAndResultType, Smp_Composite, Smp_Differentiable]> {
  let summary = "x * Phi(x), Phi the normal distribution; or its tanh approximation.";
  let arguments = (ins Smp_FloatTensor:$input, UnitAttr:$approximate);
  let results = (outs Smp_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

class Smp_AxisOp<string mnemonic, string text>
    : Smp_TensorOp<mnemonic, [SameOperandsAndResultType, Smp_Composite, Smp_Differentiable]> {
  let role = "Compute";
  let summary = text;
  let arguments = (ins Smp_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Smp_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Smp_SoftmaxOp : Smp_AxisOp<"softmax", "exp(x - max) / sum(exp(x - max)) along an axis.">;
def Smp_LogSoftmaxOp : Smp_AxisOp<"log_softmax", "(x - max) - log(sum(exp(x - max))) along an axis.">;

def Smp_LayerNormOp : Smp_TensorOp<"layer_norm", [AllTypesMatch<["input", "result"]>, Smp_Composite]> {
  let role = "Compute";
  let summary = "(x - mean) / sqrt(variance + epsilon) * scale + bias over the dimensions from axis on.";
  let description = [{
    The variance is the mean of squared differences. `scale` and `bias` have the
    shape of the normalised dimensions.
    ```mlir
    %0 = smp.layer_norm %x, %scale, %bias {axis = 1 : i64, epsilon = 1.0e-5 : f64}
       : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Smp_FloatTensor:$input, Smp_FloatTensor:$scale,
    Smp_FloatTensor:$bias, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Smp_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Smp_RmsNormOp : Smp_TensorOp<"rms_norm", [AllTypesMatch<["input", "result"]>, Smp_Composite]> {
  let role = "Compute";
  let summary = "x / sqrt(mean(x * x) + epsilon) * scale over the dimensions from axis on.";
  let arguments = (ins Smp_FloatTensor:$input, Smp_FloatTensor:$scale,
    I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Smp_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Smp_BatchNormOp : Smp_TensorOp<"batch_norm", [AllTypesMatch<["input", "result"]>, Smp_Composite]> {
  let role = "Compute";
  let summary = "Normalises each feature with given statistics.";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * scale + bias, the four vectors along
    dimension `axis` of the input.
  }];
  let arguments = (ins Smp_FloatTensor:$input, Smp_FloatTensor:$scale,
    Smp_FloatTensor:$bias, Smp_FloatTensor:$mean, Smp_FloatTensor:$variance,
    I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Smp_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Smp_AvgPoolOp : Smp_InferredOp<"avg_pool", [Smp_Composite]> {
  let role = "Compute";
  let summary = "The mean under a sliding window.";
  let description = [{
    The sum under the window (`smp.reduce`), divided by the number of positions
    inside the input or, `count_padding`, by those inside the padded input.
  }];
  let arguments = !con((ins Smp_FloatTensor:$input, UnitAttr:$count_padding),
    Smp_WindowArguments);
  let results = (outs Smp_FloatTensor:$result);
}

def Smp_StopGradientOp : Smp_UnaryOp<"stop_gradient", Smp_Tensor, "x, which no gradient passes.", [Smp_Composite]> {
  let description = [{
    For `smp-differentiate` the result is a constant: nothing before it gets a
    gradient through it. It decomposes into its operand.
    ```mlir
    %0 = smp.stop_gradient %x : tensor<4xf32>
    ```
  }];
}

def Smp_StatisticsOp : Smp_InferredOp<"statistics", [Smp_Composite], Smp_OwnCost> {
  let role = "Compute";
  let summary = "Extremes, sums and spreads of the elements, block by block.";
  let description = [{
    A record for each 8192 elements in row-major order, the last for those that
    are left: smp/model/TensorStatistics.h says what its numbers are. What a NaN
    is among has NaNs but for the counts.
    ```mlir
    %0 = smp.statistics %x : (tensor<3x4096xf32>) -> tensor<2x10xf64>
    ```
  }];
  let arguments = (ins Smp_FloatTensor:$input);
  let results = (outs Smp_TensorOf<F64>:$result);
}

#endif // SMP_IR_COMPOSITE_TD
