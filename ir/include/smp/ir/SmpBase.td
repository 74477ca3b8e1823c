// SPDX-License-Identifier: Apache-2.0
// The smp dialect: its types, attributes and the base class of its ops.

#ifndef SMP_IR_BASE_TD
#define SMP_IR_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Smp_Dialect : Dialect {
  let name = "smp";
  let cppNamespace = "::smp::ir";
  let summary = "Model graphs: what a program computes and where.";
  let description = [{
    Tensors are values of ranked, statically shaped `tensor` type. Weights are
    module symbols (`smp.variable`), graphs are `smp.entry` functions. An op
    that a person or a pass has placed carries `smp.placement`; an op's name in
    the source model is its location (`NameLoc`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Smp_UInt : AnyTypeOf<[UI8, UI16, UI32, UI64], "unsigned integer">;
def Smp_SInt : AnyTypeOf<[I8, I16, I32, I64], "signed integer">;
def Smp_Int : AnyTypeOf<[Smp_SInt, Smp_UInt], "integer">;
def Smp_Float : AnyTypeOf<[F64, F32, BF16, F16], "float">;
def Smp_Number : AnyTypeOf<[Smp_Float, Smp_Int], "number">;
def Smp_Element : AnyTypeOf<[Smp_Number, I1], "number or i1">;

// Integers without a sign in their type (iN) are two's complement and signed.
class Smp_TensorOf<Type element> : StaticShapeTensorOf<[element]>;
def Smp_Tensor : Smp_TensorOf<Smp_Element>;
def Smp_FloatTensor : Smp_TensorOf<Smp_Float>;
def Smp_IntTensor : Smp_TensorOf<Smp_Int>;
def Smp_NumberTensor : Smp_TensorOf<Smp_Number>;
def Smp_BoolTensor : Smp_TensorOf<I1>;
def Smp_BitsTensor : Smp_TensorOf<AnyTypeOf<[Smp_Int, I1]>>;
def Smp_IndexTensor : Smp_TensorOf<AnyTypeOf<[I32, I64]>>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Smp_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::smp::ir";
  let genSpecializedAttr = 0;
}
class Smp_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Smp_Dialect, info, mnemonic> {
  // `#smp.mode<train>`; an op's format writes the word alone: custom<Word>.
  let assemblyFormat = "`<` $value `>`";
}

def Smp_Origin : Smp_Enum<"Origin", "who decided a placement", [
  I32EnumAttrCase<"User", 0, "user">,
  I32EnumAttrCase<"Propagated", 1, "propagated">,
  I32EnumAttrCase<"Solver", 2, "solver">
]>;

def Smp_VariableKind : Smp_Enum<"VariableKind", "what a variable is for", [
  I32EnumAttrCase<"Parameter", 0, "parameter">,
  I32EnumAttrCase<"Optimizer", 1, "optimizer">,
  I32EnumAttrCase<"State", 2, "state">,
  I32EnumAttrCase<"Random", 3, "random">,
  I32EnumAttrCase<"Constant", 4, "constant">,
  I32EnumAttrCase<"Accumulator", 5, "accumulator">
]>;
def Smp_VariableKindAttr : Smp_EnumAttr<Smp_VariableKind, "kind">;

def Smp_Mode : Smp_Enum<"Mode", "what an entry is run for", [
  I32EnumAttrCase<"Train", 1, "train">,
  I32EnumAttrCase<"Eval", 2, "eval">,
  I32EnumAttrCase<"Predict", 3, "predict">,
  I32EnumAttrCase<"Global", 4, "global">
]>;
def Smp_ModeAttr : Smp_EnumAttr<Smp_Mode, "mode">;

def Smp_Unit : Smp_Enum<"Unit", "which part of a step an op belongs to", [
  I32EnumAttrCase<"Forward", 0, "forward">,
  I32EnumAttrCase<"BackwardInput", 1, "backward_input">,
  I32EnumAttrCase<"BackwardWeight", 2, "backward_weight">,
  I32EnumAttrCase<"Update", 3, "update">,
  I32EnumAttrCase<"Prepare", 4, "prepare">
]>;
def Smp_UnitAttr : Smp_EnumAttr<Smp_Unit, "unit">;

def Smp_ReduceKind : Smp_Enum<"ReduceKind", "how elements are combined", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Prod", 1, "prod">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"SumSquares", 4, "sum_squares">
]>;
def Smp_ReduceKindAttr : Smp_EnumAttr<Smp_ReduceKind, "reduce">;

def Smp_ScatterKind : Smp_Enum<"ScatterKind",
    "how an update meets the element it falls on", [
  I32EnumAttrCase<"Replace", 0, "replace">,
  I32EnumAttrCase<"Sum", 1, "sum">,
  I32EnumAttrCase<"Prod", 2, "prod">,
  I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">
]>;
def Smp_ScatterKindAttr : Smp_EnumAttr<Smp_ScatterKind, "scatter_kind">;

def Smp_Direction : Smp_Enum<"Direction", "a comparison", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
  I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
  I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">
]>;
def Smp_DirectionAttr : Smp_EnumAttr<Smp_Direction, "direction">;

def Smp_PadMode : Smp_Enum<"PadMode", "what a padded element holds", [
  I32EnumAttrCase<"Constant", 0, "constant">,
  I32EnumAttrCase<"Edge", 1, "edge">,
  I32EnumAttrCase<"Reflect", 2, "reflect">,
  I32EnumAttrCase<"Wrap", 3, "wrap">
]>;
def Smp_PadModeAttr : Smp_EnumAttr<Smp_PadMode, "pad_mode">;

def Smp_Layout : Smp_Enum<"Layout", "where the feature dimension is", [
  I32EnumAttrCase<"ChannelsFirst", 0, "channels_first">,
  I32EnumAttrCase<"ChannelsLast", 1, "channels_last">
]>;
def Smp_LayoutAttr : Smp_EnumAttr<Smp_Layout, "layout">;

def Smp_Strategy : Smp_Enum<"Strategy", "how the kernel of a group is made", [
  I32EnumAttrCase<"Loop", 0, "loop">,
  I32EnumAttrCase<"Row", 1, "row">,
  I32EnumAttrCase<"Product", 2, "product">,
  I32EnumAttrCase<"Depthwise", 3, "depthwise">,
  I32EnumAttrCase<"Pack", 4, "pack">,
  I32EnumAttrCase<"Concat", 5, "concat">,
  I32EnumAttrCase<"Pad", 6, "pad">,
  I32EnumAttrCase<"Scan", 7, "scan">,
  I32EnumAttrCase<"Scatter", 8, "scatter">,
  I32EnumAttrCase<"Sort", 9, "sort">,
  I32EnumAttrCase<"Whole", 10, "whole">
]>;
def Smp_StrategyAttr : Smp_EnumAttr<Smp_Strategy, "strategy">;

def Smp_JoinKind : Smp_Enum<"JoinKind",
    "what becomes of the values that microbatches give to an output", [
  I32EnumAttrCase<"Each", 0, "each">,
  I32EnumAttrCase<"Concat", 1, "concat">,
  I32EnumAttrCase<"Same", 2, "same">,
  I32EnumAttrCase<"Sum", 3, "sum">,
  I32EnumAttrCase<"Mean", 4, "mean">,
  I32EnumAttrCase<"Stack", 5, "stack">,
  I32EnumAttrCase<"Mixed", 6, "mixed">
]>;

def Smp_TapKind : Smp_Enum<"TapKind", "how much of a value is watched", [
  I32EnumAttrCase<"Statistics", 1, "statistics">,
  I32EnumAttrCase<"Whole", 2, "whole">
]>;
def Smp_TapKindAttr : Smp_EnumAttr<Smp_TapKind, "tap">;

def Smp_TapRole : Smp_Enum<"TapRole", "what a watched value is to its entry", [
  I32EnumAttrCase<"Value", 0, "value">,
  I32EnumAttrCase<"Input", 1, "input">,
  I32EnumAttrCase<"Parameter", 2, "parameter">,
  I32EnumAttrCase<"Gradient", 3, "gradient">,
  I32EnumAttrCase<"Slot", 4, "slot">,
  I32EnumAttrCase<"OutputGradient", 5, "output_gradient">
]>;
def Smp_TapRoleAttr : Smp_EnumAttr<Smp_TapRole, "tap_role">;

class Smp_Attr<string name, string attrMnemonic> : AttrDef<Smp_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Smp_PlacementAttr : Smp_Attr<"Placement", "placement"> {
  let summary = "The partition an op belongs to, and who decided that.";
  let description = [{
    `#smp.placement<0, user>`, or `#smp.placement<all, propagated>` for an op
    outside the distributed model, which runs on every device. A `user`
    placement is a constraint: no pass may change it. The other two origins are
    decisions, and say which step to blame for them.
  }];
  let parameters = (ins "int64_t":$partition, EnumParameter<Smp_Origin>:$origin);
  let assemblyFormat = "`<` custom<Partition>($partition) `,` $origin `>`";
  let extraClassDeclaration = [{
    /// The partition of an op that runs on every device.
    static constexpr int64_t kAll = -1;
    bool isAll() const { return getPartition() == kAll; }
    bool isUser() const { return getOrigin() == Origin::User; }
  }];
}

def Smp_JoinAttr : Smp_Attr<"Join", "join"> {
  let summary = "What becomes of the values that microbatches give to an output.";
  let description = [{
    On a result of an entry. `concat`: rows are joined along `smp.batch_axis`;
    `same`: all microbatches give the same; both are proved. `mixed`: what a row
    gives depends on other rows, so a step has one microbatch; the text says by
    which op. `sum`, `mean`, `stack`: said by a person. `each`: the entry is a
    step, and its author speaks of microbatches.
    ```mlir
    #smp.join<concat>
    #smp.join<mixed, "'scores' (smp.dot_general) pairs rows with rows">
    ```
  }];
  let parameters = (ins EnumParameter<Smp_JoinKind>:$kind,
    OptionalParameter<"::mlir::StringAttr">:$reason);
  let assemblyFormat = "`<` $kind (`,` $reason^)? `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "JoinKind":$kind), [{
    return $_get($_ctxt, kind, ::mlir::StringAttr());
  }]>];
}

def Smp_TargetAttr : Smp_Attr<"Target", "target"> {
  let summary = "What a partition is compiled for, and what passes must know of it.";
  let description = [{
    On a module, `smp.targets` lists one per partition, or one for all. The name
    says who makes the kernels; the rest is plain data, for passes:

    * `whole`: composites that are not decomposed but become a kernel each.
    * `packed_bytes`: columns of a packed operand are padded to multiples of so
      many bytes; 0: products are not packed.
    * `fused`: the strategies whose groups other ops may join; absent: all.
    * `group_ops`: the most ops of a group; compiling a kernel takes more than
      linear time in them.
    * `mixes_widths`: whether elements of 64 bits and narrower ones may be reduced
      by one kernel without changing the order of its sums.
    * `loops_in_reductions`: whether kernels that reduce compute the loops that
      only they read, in every walk that needs them, instead of reading results.
    * How fast a device is, for the cost model: f32 operations and bytes of memory
      per second, nanoseconds that a launch takes, the bytes per second that it
      hands to other devices, and nanoseconds that this takes at least.

    ```mlir
    module attributes {smp.targets = [#smp.target<"cpu", packed_bytes = 128>]} {}
    ```
  }];
  let parameters = (ins StringRefParameter<"its name">:$name,
    OptionalParameter<"::mlir::ArrayAttr">:$whole,
    DefaultValuedParameter<"int64_t", "0">:$packed_bytes,
    OptionalParameter<"::mlir::ArrayAttr">:$fused,
    DefaultValuedParameter<"int64_t", "128">:$group_ops,
    DefaultValuedParameter<"bool", "false">:$mixes_widths,
    DefaultValuedParameter<"bool", "false">:$loops_in_reductions,
    DefaultValuedParameter<"int64_t", "1000000000">:$flops_per_second,
    DefaultValuedParameter<"int64_t", "1000000000">:$bytes_per_second,
    DefaultValuedParameter<"int64_t", "0">:$launch_ns,
    DefaultValuedParameter<"int64_t", "1000000000">:$transfer_bytes_per_second,
    DefaultValuedParameter<"int64_t", "0">:$transfer_ns);
  let assemblyFormat = "`<` $name (`,` struct($whole, $packed_bytes, $fused, $group_ops, $mixes_widths, $loops_in_reductions, $flops_per_second, $bytes_per_second, $launch_ns, $transfer_bytes_per_second, $transfer_ns)^)? `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$name), [{
    return $_get($_ctxt, name, ::mlir::ArrayAttr(), 0, ::mlir::ArrayAttr(), 128,
                 false, false, 1000000000, 1000000000, 0, 1000000000, 0);
  }]>];
  let extraClassDeclaration = [{
    /// Whether a group of that strategy may take further ops.
    bool fuses(Strategy strategy) const;
    /// Whether the composite becomes a kernel as it is.
    bool keepsWhole(::mlir::Operation *op) const;
  }];
}

def Smp_StoredAttr : Smp_Attr<"Stored", "stored"> {
  let summary = "An initial value held by the weight store beside the module.";
  let description = [{
    `#smp.stored<"model.safetensors">`: the tensor of the variable's name in
    that file, whose path is relative to the `.mlir` file. Weight bytes never
    enter attributes.
  }];
  let parameters = (ins StringRefParameter<"file name">:$file);
  let assemblyFormat = "`<` $file `>`";
}

def Smp_SplatAttr : Smp_Attr<"Splat", "splat"> {
  let summary = "An initial value with all elements equal.";
  let parameters = (ins APFloatParameter<"an f64">:$value);
  let assemblyFormat = "`<` custom<Double>($value) `>`";
}

def Smp_NormalAttr : Smp_Attr<"Normal", "normal"> {
  let summary = "An initial value drawn from a normal distribution.";
  let description = [{
    Element i is drawn by Philox4x32-10 with `seed` as key and i / 4 as counter,
    so it is the same on every device.
  }];
  let parameters = (ins APFloatParameter<"an f64">:$mean, APFloatParameter<"an f64">:$stddev, "uint64_t":$seed);
  let assemblyFormat = "`<` custom<Double>($mean) `,` custom<Double>($stddev) `,` $seed `>`";
}

def Smp_UniformAttr : Smp_Attr<"Uniform", "uniform"> {
  let summary = "An initial value drawn uniformly from [low, high).";
  let description = "Drawn as `#smp.normal` is.";
  let parameters = (ins APFloatParameter<"an f64">:$low, APFloatParameter<"an f64">:$high, "uint64_t":$seed);
  let assemblyFormat = "`<` custom<Double>($low) `,` custom<Double>($high) `,` $seed `>`";
}

//===----------------------------------------------------------------------===//
// Op interfaces
//===----------------------------------------------------------------------===//

def Smp_DecomposeOpInterface : OpInterface<"DecomposeOpInterface"> {
  let cppNamespace = "::smp::ir";
  let description = "A composite, which can say itself in primitive ops.";
  let methods = [InterfaceMethod<[{
      Builds the op's value from primitives (or simpler composites) before it.
      Returns one value per result, of the result's type.
    }], "::llvm::SmallVector<::mlir::Value>", "decompose",
    (ins "::mlir::OpBuilder &":$builder)>];
}

def Smp_GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let cppNamespace = "::smp::ir";
  let description = [{
    An op that knows how a loss changes with its operands, given how the loss
    changes with its results. Rules are in `ir/lib/gradients`.
  }];
  let methods = [InterfaceMethod<[{
      Builds the gradient of every operand that is wanted and gives it to
      `gradients`; an operand that is given none has the gradient zero. Fails,
      with a located error, where the op has no gradient.
    }], "::llvm::LogicalResult", "buildGradients",
    (ins "::smp::ir::GradientBuilder &":$gradients)>];
}

def Smp_CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::smp::ir";
  let description = [{
    How much work an op is, independent of the machine. An op without its own
    rule costs one operation per result element.
  }];
  let methods = [InterfaceMethod<
    "Arithmetic operations (a fused multiply-add counts two).",
    "double", "getFlops", (ins), [{}], [{
      return ::smp::ir::defaultFlops($_op);
    }]>];
}

def Smp_RoleOpInterface : OpInterface<"RoleOpInterface"> {
  let cppNamespace = "::smp::ir";
  let description = [{
    What an op is to those who place it, predict its cost and lower it. Ask
    `smp/ir/Role.h`.
  }];
  let methods = [InterfaceMethod<"The role of the op.", "::smp::ir::OpRole",
    "getRole">];
}

def Smp_AxesOpInterface : OpInterface<"AxesOpInterface"> {
  let cppNamespace = "::smp::ir";
  let description = [{
    Which dimensions of operands and results belong together, so that an op can
    work on a part of each: on some rows of a batch, on a shard. Rules are in
    `ir/lib/axes`; an elementwise op has one by its trait.
  }];
  let methods = [InterfaceMethod<
    "The axes of the op; a dimension may be on several.",
    "::smp::ir::OpAxes", "getAxes">];
}

//===----------------------------------------------------------------------===//
// Op bases
//===----------------------------------------------------------------------===//

// Every op says its role (OpRole); an op without one does not compile.
class Smp_Op<string mnemonic, list<Trait> traits = []>
    : Op<Smp_Dialect, mnemonic, !listconcat(
          [DeclareOpInterfaceMethods<Smp_RoleOpInterface>], traits)> {
  string role = ?;
  let extraClassDefinition = "::smp::ir::OpRole $cppClass::getRole() { return ::smp::ir::OpRole::" # role # "; }";
}

// One result element depends on the elements at the same index only.
def Smp_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::smp::ir::trait";
}

// A pure op over tensors. One that is not elementwise has a rule for its axes.
class Smp_TensorOp<string mnemonic, list<Trait> traits = [],
    Trait cost = DeclareOpInterfaceMethods<Smp_CostOpInterface>>
    : Smp_Op<mnemonic, !listconcat([Pure, cost,
        !if(!empty(!filter(t, traits, !eq(!cast<string>(t), "Smp_Elementwise"))),
            DeclareOpInterfaceMethods<Smp_AxesOpInterface>, Smp_AxesOpInterface)],
        traits)> {
  let role = !if(!empty(!filter(t, traits, !eq(!cast<string>(t), "Smp_Elementwise"))), ?, "Compute");
}

// A pure op whose result type follows from operands and attributes.
class Smp_InferredOp<string mnemonic, list<Trait> traits = [],
    Trait cost = DeclareOpInterfaceMethods<Smp_CostOpInterface>>
    : Smp_TensorOp<mnemonic, !listconcat(traits, [InferTypeOpAdaptor]), cost> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// For an op with a cost rule of its own.
defvar Smp_OwnCost = DeclareOpInterfaceMethods<Smp_CostOpInterface, ["getFlops"]>;

// An op with a gradient rule.
defvar Smp_Differentiable = DeclareOpInterfaceMethods<Smp_GradientOpInterface>;

// A composite: an op that decomposes into primitives.
defvar Smp_Composite = DeclareOpInterfaceMethods<Smp_DecomposeOpInterface>;

#endif // SMP_IR_BASE_TD
