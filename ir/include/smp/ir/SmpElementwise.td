// SPDX-License-Identifier: Apache-2.0
// Ops that compute each result element from the operands' elements beside it.

#ifndef SMP_IR_ELEMENTWISE_TD
#define SMP_IR_ELEMENTWISE_TD

include "smp/ir/SmpBase.td"

class Smp_UnaryOp<string mnemonic, Type type, string text, list<Trait> traits = []>
    : Smp_TensorOp<mnemonic, !listconcat([Smp_Elementwise,
        SameOperandsAndResultType], traits)> {
  let summary = text;
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}
class Smp_MathOp<string mnemonic, string text>
    : Smp_UnaryOp<mnemonic, Smp_FloatTensor, text, [Smp_Differentiable]>;

def Smp_AbsOp : Smp_UnaryOp<"abs", Smp_NumberTensor, "|x|; the least signed integer stays itself.", [Smp_Differentiable]> { let hasFolder = 1; }
def Smp_NegOp : Smp_UnaryOp<"neg", Smp_NumberTensor, "-x, wrapping for integers.", [Smp_Differentiable]> { let hasFolder = 1; }
def Smp_SignOp : Smp_UnaryOp<"sign", Smp_NumberTensor, "-1 or 1 of the same sign; zeros and NaN stay.", [Smp_Differentiable]>;
def Smp_NotOp : Smp_UnaryOp<"not", Smp_BitsTensor, "Every bit flipped."> { let hasFolder = 1; }
def Smp_ExpOp : Smp_MathOp<"exp", "e to the x.">;
def Smp_LogOp : Smp_MathOp<"log", "The natural logarithm; NaN below zero.">;
def Smp_Log1pOp : Smp_MathOp<"log1p", "log(1 + x), exact near zero.">;
def Smp_Expm1Op : Smp_MathOp<"expm1", "exp(x) - 1, exact near zero.">;
def Smp_SqrtOp : Smp_MathOp<"sqrt", "The square root, correctly rounded; NaN below zero.">;
def Smp_RsqrtOp : Smp_MathOp<"rsqrt", "1 / sqrt(x), each step correctly rounded.">;
def Smp_TanhOp : Smp_MathOp<"tanh", "The hyperbolic tangent.">;
def Smp_ErfOp : Smp_MathOp<"erf", "The error function.">;
def Smp_SinOp : Smp_MathOp<"sin", "The sine of x radians.">;
def Smp_CosOp : Smp_MathOp<"cos", "The cosine of x radians.">;
def Smp_TanOp : Smp_MathOp<"tan", "The tangent of x radians.">;
def Smp_AsinOp : Smp_MathOp<"asin", "The inverse sine; NaN outside [-1, 1].">;
def Smp_AcosOp : Smp_MathOp<"acos", "The inverse cosine; NaN outside [-1, 1].">;
def Smp_AtanOp : Smp_MathOp<"atan", "The inverse tangent.">;
def Smp_SinhOp : Smp_MathOp<"sinh", "The hyperbolic sine.">;
def Smp_CoshOp : Smp_MathOp<"cosh", "The hyperbolic cosine.">;
def Smp_AsinhOp : Smp_MathOp<"asinh", "The inverse hyperbolic sine.">;
def Smp_AcoshOp : Smp_MathOp<"acosh", "The inverse hyperbolic cosine; NaN below 1.">;
def Smp_AtanhOp : Smp_MathOp<"atanh", "The inverse hyperbolic tangent; NaN outside [-1, 1].">;
def Smp_FloorOp : Smp_MathOp<"floor", "The next integer at or below x.">;
def Smp_CeilOp : Smp_MathOp<"ceil", "The next integer at or above x.">;
def Smp_RoundOp : Smp_MathOp<"round", "The nearest integer, ties to even.">;

class Smp_TestOp<string mnemonic, string text>
    : Smp_InferredOp<mnemonic, [Smp_Elementwise]> {
  let summary = text;
  let arguments = (ins Smp_FloatTensor:$input);
  let results = (outs Smp_BoolTensor:$result);
}
def Smp_IsNanOp : Smp_TestOp<"is_nan", "Whether x is a NaN.">;
def Smp_IsInfOp : Smp_TestOp<"is_inf", "Whether x is an infinity.">;

class Smp_BinaryOp<string mnemonic, Type type, string text, list<Trait> traits = []>
    : Smp_TensorOp<mnemonic, !listconcat([Smp_Elementwise,
        SameOperandsAndResultType], traits)> {
  let summary = text;
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Smp_AddOp : Smp_BinaryOp<"add", Smp_NumberTensor, "x + y, wrapping for integers.", [Commutative, Smp_Differentiable]> { let hasFolder = 1; }
def Smp_SubOp : Smp_BinaryOp<"sub", Smp_NumberTensor, "x - y, wrapping for integers.", [Smp_Differentiable]> { let hasFolder = 1; }
def Smp_MulOp : Smp_BinaryOp<"mul", Smp_NumberTensor, "x * y, wrapping for integers.", [Commutative, Smp_Differentiable]> { let hasFolder = 1; }
def Smp_DivOp : Smp_BinaryOp<"div", Smp_NumberTensor, "x / y; integers truncate towards zero.", [Smp_Differentiable]> {
  let description = [{
    An integer divided by zero is 0, and the least signed integer divided by -1
    is itself: no division traps.
  }];
  let hasFolder = 1;
}
def Smp_RemOp : Smp_BinaryOp<"rem", Smp_NumberTensor, "The remainder of the truncating division; its sign is x's.", [Smp_Differentiable]> {
  let description = "An integer remainder by zero is 0. Floats: C's `fmod`.";
}
def Smp_PowOp : Smp_BinaryOp<"pow", Smp_NumberTensor, "x to the y; integers wrap, a negative integer power is 0 (or ±1 for x = ±1).", [Smp_Differentiable]> { let hasCanonicalizer = 1; }
def Smp_MaxOp : Smp_BinaryOp<"max", Smp_NumberTensor, "The larger; NaN if either is. -0 is less than +0.", [Commutative, Smp_Differentiable]>;
def Smp_MinOp : Smp_BinaryOp<"min", Smp_NumberTensor, "The smaller; NaN if either is. -0 is less than +0.", [Commutative, Smp_Differentiable]>;
def Smp_AndOp : Smp_BinaryOp<"and", Smp_BitsTensor, "Bitwise and.", [Commutative]>;
def Smp_OrOp : Smp_BinaryOp<"or", Smp_BitsTensor, "Bitwise or.", [Commutative]>;
def Smp_XorOp : Smp_BinaryOp<"xor", Smp_BitsTensor, "Bitwise exclusive or.", [Commutative]>;
def Smp_ShiftLeftOp : Smp_BinaryOp<"shift_left", Smp_IntTensor, "x shifted left by y bits; 0 when y is not in 0..bits-1.">;
def Smp_ShiftRightOp : Smp_BinaryOp<"shift_right", Smp_IntTensor, "x shifted right by y bits, arithmetic for signed; 0 (or -1 for a negative x) when y is not in 0..bits-1.">;

def Smp_CompareOp : Smp_InferredOp<"compare", [Smp_Elementwise,
    SameTypeOperands]> {
  let summary = "Whether x stands to y as the direction says.";
  let description = [{
    Every comparison with a NaN is false but `ne`.
    ```mlir
    %0 = smp.compare lt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Smp_DirectionAttr:$direction, Smp_Tensor:$lhs, Smp_Tensor:$rhs);
  let results = (outs Smp_BoolTensor:$result);
  let assemblyFormat = "custom<Word>($direction) operands attr-dict `:` functional-type(operands, results)";
}

def Smp_FmaOp : Smp_TensorOp<"fma", [Smp_Elementwise, SameOperandsAndResultType, Smp_Differentiable]> {
  let summary = "x * y + z, rounded once where the level has fused multiply-add.";
  let description = [{
    Level v2 has none: there it is a multiplication and an addition. What a
    person writes as two ops is never fused.
  }];
  let arguments = (ins Smp_FloatTensor:$lhs, Smp_FloatTensor:$rhs, Smp_FloatTensor:$addend);
  let results = (outs Smp_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $addend attr-dict `:` type($result)";
}

def Smp_SelectOp : Smp_TensorOp<"select", [Smp_Elementwise, Smp_Differentiable,
    AllTypesMatch<["on_true", "on_false", "result"]>, AllShapesMatch<["condition", "result"]>]> {
  let summary = "on_true where the condition holds, else on_false.";
  let arguments = (ins Smp_BoolTensor:$condition, Smp_Tensor:$on_true, Smp_Tensor:$on_false);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($result)";
}

def Smp_ConvertOp : Smp_TensorOp<"convert", [Smp_Elementwise, Smp_Differentiable, AllShapesMatch<["input", "result"]>]> {
  let summary = "The same number in another element type.";
  let description = [{
    Float to float rounds to nearest even. Float to integer truncates; a value
    out of range becomes the nearest bound, a NaN 0. Integer to a narrower
    integer keeps the low bits. To i1: whether it is not zero.
    ```mlir
    %0 = smp.convert %x : tensor<4xf32> to tensor<4xi32>
    ```
  }];
  let arguments = (ins Smp_Tensor:$input);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
}

def Smp_BitCastOp : Smp_TensorOp<"bit_cast", [Smp_Elementwise, AllShapesMatch<["input", "result"]>]> {
  let summary = "The same bits as another element type of the same width.";
  let description = [{
    A signalling NaN of a 16-bit float becomes a quiet one: kernels carry these
    types as f32.
    ```mlir
    %0 = smp.bit_cast %x : tensor<4xf32> to tensor<4xi32>
    ```
  }];
  let arguments = (ins Smp_NumberTensor:$input);
  let results = (outs Smp_NumberTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // SMP_IR_ELEMENTWISE_TD
