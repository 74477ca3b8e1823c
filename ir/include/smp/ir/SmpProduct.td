// SPDX-License-Identifier: Apache-2.0
// Products whose right operand is packed as their kernel reads it.

#ifndef SMP_IR_PRODUCT_TD
#define SMP_IR_PRODUCT_TD

include "smp/ir/SmpBase.td"

def Smp_PackOp : Smp_TensorOp<"pack"> {
  let role = "Compute";
  let summary = "Lays the right operand of a product out as its kernel reads it.";
  let description = [{
    Made by `smp-pack-products`; a front end never writes one. The input is
    [products, depth, columns]; the result holds as many products and rows of the
    depth, of columns and padding, in the type that products are summed in. Its
    layout is a matter between this kernel and the product's, of the same level;
    its size serves all levels of the target.
  }];
  let arguments = (ins Smp_FloatTensor:$input);
  let results = (outs Smp_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Smp_PackedMatmulOp : Smp_InferredOp<"packed_matmul", [], Smp_OwnCost> {
  let role = "Compute";
  let summary = "Row-major products by packed right operands.";
  let description = [{
    Made by `smp-pack-products`. lhs is [batch..., rows, depth], the result
    [batch..., rows, columns]; the packed operand holds one product per batch
    element, or, `shared`, one for all. An element is the sequence of fused multiply-adds along the depth.
  }];
  let arguments = (ins Smp_FloatTensor:$lhs, Smp_FloatTensor:$packed, I64Attr:$columns,
    UnitAttr:$shared);
  let results = (outs Smp_FloatTensor:$result);
}

def Smp_PackedConvOp : Smp_InferredOp<"packed_conv", [], Smp_OwnCost> {
  let role = "Compute";
  let summary = "Convolution of channels-last input by a packed filter.";
  let description = [{
    Made by `smp-pack-products` from `smp.conv`. Input and result are [batch,
    spatial..., features]. The packed filter holds one product per group, its
    depth the window's positions (row-major) by the group's input features.
  }];
  let arguments = (ins Smp_FloatTensor:$input, Smp_FloatTensor:$packed,
    I64Attr:$features, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Smp_FloatTensor:$result);
}

def Smp_DepthwiseConvOp : Smp_InferredOp<"depthwise_conv", [], Smp_OwnCost> {
  let role = "Compute";
  let summary = "Convolution of each channel by its own filter, channels last.";
  let description = [{
    Made by `smp-pack-products` from `smp.conv` with one input and one output
    feature per group. Input and result are [batch, spatial..., features], the
    filter is [window..., features].
  }];
  let arguments = (ins Smp_FloatTensor:$input, Smp_FloatTensor:$filter,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    DenseI64ArrayAttr:$dilations);
  let results = (outs Smp_FloatTensor:$result);
}

#endif // SMP_IR_PRODUCT_TD
