// SPDX-License-Identifier: Apache-2.0
// Ops whose elements are chosen by data.

#ifndef SMP_IR_INDEXING_TD
#define SMP_IR_INDEXING_TD

include "smp/ir/SmpBase.td"

def Smp_GatherOp : Smp_InferredOp<"gather", [Smp_Differentiable]> {
  let role = "Compute";
  let summary = "Takes slices along an axis by index.";
  let description = [{
    result[a..., i..., b...] = input[a..., indices[i...], b...] where a are the
    dimensions before `axis`. An index outside 0..size-1 fails the step with an
    error that names the op, the index and the bound.
    ```mlir
    %0 = smp.gather %table, %ids {axis = 0 : i64}
       : (tensor<1000x16xf32>, tensor<8xi64>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Smp_Tensor:$input, Smp_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Smp_Tensor:$result);
}

def Smp_GatherElementsOp : Smp_InferredOp<"gather_elements", [Smp_Differentiable]> {
  let role = "Compute";
  let summary = "result[.., i, ..] = input[.., indices[.., i, ..], ..] along an axis.";
  let description = "Fails the step on an index outside 0..size-1, as `smp.gather` does.";
  let arguments = (ins Smp_Tensor:$input, Smp_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Smp_Tensor:$result);
}

def Smp_GatherNdOp : Smp_InferredOp<"gather_nd", [Smp_Differentiable]> {
  let role = "Compute";
  let summary = "Takes slices by index tuples.";
  let description = [{
    The last dimension of `indices` is a tuple into the input's dimensions after
    the first `batch_dims`, which both share. Fails the step on an index outside
    0..size-1.
  }];
  let arguments = (ins Smp_Tensor:$input, Smp_IndexTensor:$indices, I64Attr:$batch_dims);
  let results = (outs Smp_Tensor:$result);
}

def Smp_ScatterElementsOp : Smp_TensorOp<"scatter_elements",
    [Smp_Differentiable, AllTypesMatch<["input", "result"]>, AllElementTypesMatch<["input", "updates"]>,
     AllShapesMatch<["indices", "updates"]>]> {
  let role = "Compute";
  let summary = "The input with result[.., indices[.., i, ..], ..] combined with updates[.., i, ..].";
  let description = [{
    Updates are applied in row-major order. Sums and products are rounded after
    each, those of 16-bit floats to f32 until all are in; max and min are those
    of `smp.max` and `smp.min`. Fails the step on an index outside 0..size-1.
  }];
  let arguments = (ins Smp_Tensor:$input, Smp_IndexTensor:$indices, Smp_Tensor:$updates,
    I64Attr:$axis, Smp_ScatterKindAttr:$kind);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Smp_ScatterNdOp : Smp_TensorOp<"scatter_nd",
    [Smp_Differentiable, AllTypesMatch<["input", "result"]>, AllElementTypesMatch<["input", "updates"]>]> {
  let role = "Compute";
  let summary = "The input with slices combined with updates at index tuples.";
  let description = [{
    Updates are applied in row-major order of the tuples, as by
    `smp.scatter_elements`. Fails the step on an index outside 0..size-1.
  }];
  let arguments = (ins Smp_Tensor:$input, Smp_IndexTensor:$indices, Smp_Tensor:$updates,
    Smp_ScatterKindAttr:$kind);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Smp_TopKOp : Smp_InferredOp<"top_k", [Smp_Differentiable]> {
  let role = "Compute";
  let summary = "The k greatest (or least) elements along an axis in order, with their indices.";
  let description = [{
    Stable: of equal elements, which zeros of both signs are, the one of lower
    index comes first. NaNs count as greatest.
  }];
  let arguments = (ins Smp_NumberTensor:$input, I64Attr:$axis, I64Attr:$k, BoolAttr:$largest);
  let results = (outs Smp_NumberTensor:$values, Smp_TensorOf<I64>:$indices);
}

#endif // SMP_IR_INDEXING_TD
