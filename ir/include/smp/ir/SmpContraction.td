// SPDX-License-Identifier: Apache-2.0
// Products, convolutions, windows and reductions.

#ifndef SMP_IR_CONTRACTION_TD
#define SMP_IR_CONTRACTION_TD

include "smp/ir/SmpBase.td"

def Smp_DotGeneralOp : Smp_InferredOp<"dot_general", [Smp_Differentiable], Smp_OwnCost> {
  let role = "Compute";
  let summary = "Sums of products over contracting dimensions, per batch.";
  let description = [{
    Result dimensions: batch, free of lhs, free of rhs, each in operand order.
    An element is the sequence of fused multiply-adds over the contracting
    dimensions, in lhs_contract order, row-major, starting from +0.
    ```mlir
    %0 = smp.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>,
           lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
       : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Smp_NumberTensor:$lhs, Smp_NumberTensor:$rhs,
    DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch,
    DenseI64ArrayAttr:$lhs_contract, DenseI64ArrayAttr:$rhs_contract);
  let results = (outs Smp_NumberTensor:$result);
}

def Smp_ConvOp : Smp_InferredOp<"conv", [Smp_Differentiable], Smp_OwnCost> {
  let role = "Compute";
  let summary = "Convolution over any number of spatial dimensions.";
  let description = [{
    The filter is [output features, input features / groups, spatial...]. The
    input and the result are [batch, features, spatial...] or, `channels_last`,
    [batch, spatial..., features]. An element is the sequence of fused
    multiply-adds over filter positions inside the input (row-major), and at
    each of them over the group's input features, starting from +0.
    ```mlir
    %0 = smp.conv %x, %w {strides = array<i64: 2, 2>, low = array<i64: 3, 3>,
           high = array<i64: 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64}
       : (tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32>) -> tensor<1x64x112x112xf32>
    ```
  }];
  let arguments = (ins Smp_NumberTensor:$input, Smp_NumberTensor:$filter,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    DenseI64ArrayAttr:$dilations, I64Attr:$groups,
    DefaultValuedAttr<Smp_LayoutAttr, "::smp::ir::Layout::ChannelsFirst">:$layout);
  let results = (outs Smp_NumberTensor:$result);
}

// Attributes of ops that slide a window over the spatial dimensions.
defvar Smp_WindowArguments = (ins DenseI64ArrayAttr:$window,
  DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
  DenseI64ArrayAttr:$dilations,
  DefaultValuedAttr<Smp_LayoutAttr, "::smp::ir::Layout::ChannelsFirst">:$layout);

def Smp_WindowReduceOp : Smp_InferredOp<"window_reduce", [Smp_Differentiable], Smp_OwnCost> {
  let role = "Compute";
  let summary = "Combines the elements under a sliding window.";
  let description = [{
    Input and result are laid out as `smp.conv`'s. Positions outside the input
    do not take part; a window wholly outside gives the kind's neutral value.
    Elements are combined as `smp.reduce` combines them.
  }];
  let arguments = !con((ins Smp_NumberTensor:$input, Smp_ReduceKindAttr:$kind),
    Smp_WindowArguments);
  let results = (outs Smp_NumberTensor:$result);
}

def Smp_ReduceOp : Smp_InferredOp<"reduce", [Smp_Differentiable], Smp_OwnCost> {
  let role = "Compute";
  let summary = "Combines the elements along some dimensions, which vanish.";
  let description = [{
    An empty reduction gives the kind's neutral value. A NaN makes max and min
    NaN; -0 is less than +0. For i1, max is or, min is and.

    The order in which floats are added is the level's. No part of a sum
    overflows: it is infinite only where an element is, or where the sum itself
    is beyond the type's greatest number. A product of floats is taken in f64,
    row-major over the elements, and rounded once; what overflows or vanishes
    there stays infinite or zero. `sum_squares`, of floats, adds x * x by fused
    multiply-add (`smp.fma`).
    ```mlir
    %0 = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Smp_ReduceKindAttr:$kind, Smp_Tensor:$input, DenseI64ArrayAttr:$dimensions);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "custom<Word>($kind) $input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Smp_ArgReduceOp : Smp_InferredOp<"arg_reduce"> {
  let role = "Compute";
  let summary = "The index (i64) of the greatest or least element along an axis, which vanishes.";
  let description = [{
    `kind` is max or min. Of equal elements, which zeros of both signs are, the
    first, or the last when `select_last` is set. The first NaN wins over every
    number.
  }];
  let arguments = (ins Smp_ReduceKindAttr:$kind, Smp_NumberTensor:$input,
    I64Attr:$axis, UnitAttr:$select_last);
  let results = (outs Smp_TensorOf<I64>:$result);
  let assemblyFormat = "custom<Word>($kind) $input attr-dict `:` functional-type(operands, results)";
}

def Smp_ScanOp : Smp_TensorOp<"scan", [Smp_Differentiable, SameOperandsAndResultType]> {
  let role = "Compute";
  let summary = "Running combination along an axis, first to last.";
  let description = [{
    `exclusive`: an element does not take part in its own result. `reverse`:
    from the last to the first. Sums and products of floats are carried in f64,
    where they may overflow; each result is rounded once. For max and min, -0 is
    less than +0 and a NaN stays.
  }];
  let arguments = (ins Smp_ReduceKindAttr:$kind, Smp_NumberTensor:$input,
    I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Smp_NumberTensor:$result);
  let assemblyFormat = "custom<Word>($kind) $input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // SMP_IR_CONTRACTION_TD
