// SPDX-License-Identifier: Apache-2.0
// Ops that make or move elements without arithmetic.

#ifndef SMP_IR_SHAPE_TD
#define SMP_IR_SHAPE_TD

include "smp/ir/SmpBase.td"

def Smp_ConstantOp : Smp_TensorOp<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let role = "Source";
  let summary = "A tensor known at compile time.";
  let description = [{
    For small data: weights are variables, large fixed data a variable of kind
    `constant`. May be duplicated freely.
    ```mlir
    %0 = smp.constant dense<1.0> : tensor<4xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def Smp_IotaOp : Smp_TensorOp<"iota"> {
  let role = "Virtual";
  let summary = "Each element is its own index along one dimension.";
  let arguments = (ins I64Attr:$dimension);
  let results = (outs Smp_NumberTensor:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Smp_RandomOp : Smp_TensorOp<"random"> {
  let role = "Compute";
  let summary = "Floats drawn uniformly from [0, 1).";
  let description = [{
    Element i is word i mod 4 of Philox4x32-10 with `seed` as key and the counter
    (i / 4, microbatch, step, site), 32 bits each, times 2^-32 after its low 8
    bits are cleared. `site` tells draws of one model apart. So a draw depends on
    nothing but these numbers: not on where it runs, nor on what else does.
    ```mlir
    %0 = smp.random %step, %microbatch {seed = 7 : i64, site = 0 : i64}
       : (tensor<i64>, tensor<1xi64>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Smp_TensorOf<I64>:$step, Smp_TensorOf<I64>:$microbatch,
    I64Attr:$seed, I64Attr:$site);
  let results = (outs Smp_TensorOf<F32>:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Smp_ReshapeOp : Smp_TensorOp<"reshape", [Smp_Differentiable, AllElementTypesMatch<["input", "result"]>]> {
  let role = "Alias";
  let summary = "The same elements in row-major order under another shape.";
  let arguments = (ins Smp_Tensor:$input);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Smp_TransposeOp : Smp_InferredOp<"transpose", [Smp_Differentiable]> {
  let role = "Movement";
  let summary = "Reorders dimensions: result dimension i is input dimension permutation[i].";
  let arguments = (ins Smp_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Smp_Tensor:$result);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Smp_BroadcastOp : Smp_TensorOp<"broadcast", [Smp_Differentiable, AllElementTypesMatch<["input", "result"]>]> {
  let role = "Virtual";
  let summary = "Repeats a tensor along new or unit dimensions.";
  let description = [{
    Input dimension i becomes result dimension `dimensions[i]` (ascending); its
    size is the result's, or 1.
    ```mlir
    %0 = smp.broadcast %bias {dimensions = array<i64: 1>} : tensor<4xf32> to tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Smp_Tensor:$input, DenseI64ArrayAttr:$dimensions);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Smp_SliceOp : Smp_InferredOp<"slice", [Smp_Differentiable]> {
  let role = "Movement";
  let summary = "Elements start, start + stride, ... below limit, per dimension.";
  let description = "0 <= start <= limit <= size and stride >= 1, per dimension.";
  let arguments = (ins Smp_Tensor:$input, DenseI64ArrayAttr:$starts,
    DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs Smp_Tensor:$result);
  let hasFolder = 1;
}

def Smp_ReverseOp : Smp_TensorOp<"reverse", [Smp_Differentiable, SameOperandsAndResultType]> {
  let role = "Compute";
  let summary = "Reverses the order along some dimensions.";
  let arguments = (ins Smp_Tensor:$input, DenseI64ArrayAttr:$dimensions);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Smp_PadOp : Smp_InferredOp<"pad", [Smp_Differentiable]> {
  let role = "Compute";
  let summary = "Adds elements before, after and between those of a tensor.";
  let description = [{
    `value` (rank 0) fills when mode is `constant`; the other modes copy from
    the input and take no interior padding. A negative `low` or `high` removes
    elements.
  }];
  let arguments = (ins Smp_Tensor:$input, Smp_Tensor:$value,
    DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior,
    DefaultValuedAttr<Smp_PadModeAttr, "::smp::ir::PadMode::Constant">:$mode);
  let results = (outs Smp_Tensor:$result);
  let hasFolder = 1;
}

def Smp_ConcatOp : Smp_InferredOp<"concat", [Smp_Differentiable]> {
  let role = "Compute";
  let summary = "Joins tensors along one dimension.";
  let arguments = (ins Variadic<Smp_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Smp_Tensor:$result);
  let hasFolder = 1;
}

#endif // SMP_IR_SHAPE_TD
