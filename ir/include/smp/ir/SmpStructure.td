// SPDX-License-Identifier: Apache-2.0
// Variables, entries and what passes cut entries into: stages and groups.

#ifndef SMP_IR_STRUCTURE_TD
#define SMP_IR_STRUCTURE_TD

include "smp/ir/SmpBase.td"
include "mlir/IR/RegionKindInterface.td"

def Smp_VariableOp : Smp_Op<"variable", [Symbol]> {
  let role = "Declaration";
  let summary = "Declares named storage that outlives a step.";
  let description = [{
    Written by front ends; entries refer to it with `smp.read` and
    `smp.assign`. All entries of a module share its variables. A variable of
    kind `constant` holds data too large for an attribute and is never assigned.
    ```mlir
    smp.variable @weight parameter : tensor<4x4xf32> = #smp.splat<0.0>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Smp_VariableKindAttr:$kind,
    AnyAttr:$initializer, TypeAttrOf<Smp_Tensor>:$type);
  let assemblyFormat = "$sym_name custom<Word>($kind) `:` $type `=` $initializer attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getType());
    }
  }];
}

class Smp_FunctionOp<string mnemonic, list<Trait> traits = []>
    : Smp_Op<mnemonic, !listconcat([IsolatedFromAbove, Symbol,
        FunctionOpInterface, HasParent<"::mlir::ModuleOp">], traits)> {
  let role = "Declaration";
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Smp_EntryOp : Smp_FunctionOp<"entry"> {
  let summary = "A named graph of a program: what one step computes.";
  let description = [{
    Arguments and results carry `smp.name`, which users address them by. Tensor
    values are pure: a `smp.read` gives the value at the start of the step. The
    batch is the microbatch; inputs with `smp.batch_axis` are split along it.
    ```mlir
    smp.entry @predict(%x: tensor<1x4xf32> {smp.name = "x"})
        -> (tensor<1x4xf32> {smp.name = "y"}) {
      %0 = smp.relu %x : tensor<1x4xf32>
      smp.return %0 : tensor<1x4xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    DefaultValuedAttr<Smp_ModeAttr, "::smp::ir::Mode::Predict">:$mode);
  let hasVerifier = 1;
}

def Smp_StageOp : Smp_FunctionOp<"stage"> {
  let summary = "What one partition runs between two transfers.";
  let description = [{
    Made by `smp-outline-stages`; a front end never writes one. A stage of unit
    `prepare` runs at load and again after a variable that it reads is assigned.
    Its results are what other stages of its partition take with `smp.prepared`.
    ```mlir
    smp.stage @predict_0(%x: tensor<4xf32>) -> tensor<4xf32>
        attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
      %0 = smp.relu %x : tensor<4xf32>
      smp.return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    I64Attr:$partition,
    DefaultValuedAttr<Smp_UnitAttr, "::smp::ir::Unit::Forward">:$unit);
}

def Smp_ReturnOp : Smp_Op<"return", [Pure, Terminator, ReturnLike,
    ParentOneOf<["EntryOp", "StageOp", "GroupOp"]>]> {
  let role = "Control";
  let summary = "Ends an entry, a stage or a group with its results.";
  let arguments = (ins Variadic<Smp_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Smp_ReadOp : Smp_Op<"read", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let role = "Source";
  let summary = "The value of a variable at the start of the step.";
  let description = [{
    ```mlir
    %w = smp.read @weight : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Smp_Tensor:$value);
  let assemblyFormat = "$variable `:` type($value) attr-dict";
}

def Smp_AssignOp : Smp_Op<"assign", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemWrite]>]> {
  let role = "Write";
  let summary = "Gives a variable a new value at the end of the step.";
  let description = [{
    At most one per variable and function; reads of the same step see the old
    value.
    ```mlir
    smp.assign @weight, %w : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, Smp_Tensor:$value);
  let assemblyFormat = "$variable `,` $value `:` type($value) attr-dict";
}

def Smp_TapOp : Smp_Op<"tap", [MemoryEffects<[MemWrite]>]> {
  let role = "Control";
  let summary = "Shows a value, or statistics of it, to who watches the step.";
  let description = [{
    Inserted by `smp-insert-taps` into twins of entries; `smp-lower-taps` makes
    it a result of the entry. Passes in between decide as if it were not there
    (`smp/ir/Taps.h`).
    ```mlir
    smp.tap statistics gradient "gradient/w", %0 : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Smp_TapKindAttr:$kind, Smp_TapRoleAttr:$tap_role,
    StrAttr:$name, Smp_Tensor:$value);
  let assemblyFormat = "custom<Word>($kind) custom<Word>($tap_role) $name `,` $value `:` type($value) attr-dict";
}

def Smp_GradientOp : Smp_Op<"gradient", [Pure]> {
  let role = "Request";
  let summary = "The derivatives of a loss with respect to some values.";
  let description = [{
    Written by front ends, and by `smp-differentiate` for an entry with
    `smp.loss`; that pass replaces it by the ops that compute it. The loss is
    one float. Result i is its derivative with respect to value i: the loss
    changes by so much as that value changes, wherever it is used. A read stands
    for all reads of its variable. The loss may depend on other gradients.
    ```mlir
    %dw, %db = smp.gradient %loss of %w, %b
       : (tensor<f32>, tensor<4x4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Smp_Tensor:$loss, Variadic<Smp_Tensor>:$values);
  let results = (outs Variadic<Smp_Tensor>:$gradients);
  let assemblyFormat = "$loss `of` $values attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Smp_AccumulateOp : Smp_Op<"accumulate", [Pure, SameOperandsAndResultType]> {
  let role = "Request";
  let summary = "The sum of a value over the microbatches of a step, or the mean.";
  let description = [{
    The operand is that of each microbatch; the result is there once per step,
    after the last microbatch. Sums are formed in the order of microbatches.
    What is computed from the result is computed once per step too, and may use
    nothing of a microbatch but through `smp.accumulate`.
    ```mlir
    %0 = smp.accumulate %gradient {mean} : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Smp_FloatTensor:$input, UnitAttr:$mean);
  let results = (outs Smp_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Smp_MicrobatchOp : Smp_Op<"microbatch", [Pure]> {
  let role = "Request";
  let summary = "The number of the microbatch in the step, from 0.";
  let description = [{
    ```mlir
    %0 = smp.microbatch : tensor<1xi64>
    ```
  }];
  let results = (outs Smp_TensorOf<I64>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Smp_TransferOp : Smp_Op<"transfer", [Pure, SameOperandsAndResultType]> {
  let role = "Control";
  let summary = "Moves a tensor to another partition.";
  let description = [{
    Inserted by `smp-insert-transfers`; a front end never writes one. The
    result is the same tensor, resident on `to`.
    ```mlir
    %1 = smp.transfer %0 to 1 : tensor<4xf32>
    ```
  }];
  let arguments = (ins Smp_Tensor:$input, I64Attr:$partition);
  let results = (outs Smp_Tensor:$result);
  let assemblyFormat = "$input `to` $partition attr-dict `:` type($input)";
}

def Smp_RunOp : Smp_Op<"run", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let role = "Control";
  let summary = "Runs a stage.";
  let description = [{
    After `smp-outline-stages` an entry holds nothing but runs, transfers and
    its return, in an order that respects their data.
    ```mlir
    %0 = smp.run @predict_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$stage, Variadic<Smp_Tensor>:$inputs);
  let results = (outs Variadic<Smp_Tensor>:$outputs);
  let assemblyFormat = "$stage `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
}

def Smp_PreparedOp : Smp_Op<"prepared", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let role = "Source";
  let summary = "A result of a prepare stage, kept for the session's life.";
  let description = [{
    ```mlir
    %w = smp.prepared @prepare_0[2] : tensor<4x4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$stage, I64Attr:$index);
  let results = (outs Smp_Tensor:$value);
  let assemblyFormat = "$stage `[` $index `]` attr-dict `:` type($value)";
}

def Smp_GroupOp : Smp_Op<"group", [Pure, IsolatedFromAbove,
    SingleBlock]> {
  let role = "Compute";
  let summary = "Ops that become one kernel.";
  let description = [{
    Made by `smp-form-groups`. The strategy is how its kernel is made. The body
    takes the group's operands as block arguments.
    ```mlir
    %0 = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %1 = smp.exp %a : tensor<4xf32>
      smp.return %1 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Smp_StrategyAttr:$strategy, Variadic<Smp_Tensor>:$inputs);
  let results = (outs Variadic<Smp_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Word>($strategy) `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $body";
  let hasVerifier = 1;
}

#endif // SMP_IR_STRUCTURE_TD
