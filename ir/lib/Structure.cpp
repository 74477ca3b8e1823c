// SPDX-License-Identifier: Apache-2.0
// Variables, entries, stages and what refers to them.

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace smp::ir;

//===----------------------------------------------------------------------===//
// Functions: entry and stage
//===----------------------------------------------------------------------===//

template <typename FunctionOp>
static ParseResult parseFunction(OpAsmParser &parser, OperationState &state) {
  auto makeType = [](Builder &builder, ArrayRef<Type> inputs,
                     ArrayRef<Type> results,
                     function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  const SMLoc where = parser.getCurrentLocation();
  if (function_interface_impl::parseFunctionOp(
          parser, state, /*allowVariadic=*/false,
          FunctionOp::getFunctionTypeAttrName(state.name), makeType,
          FunctionOp::getArgAttrsAttrName(state.name),
          FunctionOp::getResAttrsAttrName(state.name)))
    return failure();
  // Attributes of other kinds would be dropped.
  return FunctionOp::verifyInherentAttrs(
      state.name, state.attributes, [&] { return parser.emitError(where); });
}

/// Prints all attributes but `elided`, one that has its default value.
template <typename FunctionOp>
static void printFunction(FunctionOp op, OpAsmPrinter &printer,
                          StringRef elided) {
  printer << ' ';
  printer.printSymbolName(op.getSymName());
  function_interface_impl::printFunctionSignature(
      printer, op, op.getArgumentTypes(), /*isVariadic=*/false,
      op.getResultTypes());
  function_interface_impl::printFunctionAttributes(
      printer, op,
      {op.getFunctionTypeAttrName(), op.getArgAttrsAttrName(),
       op.getResAttrsAttrName(), elided});
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
}

ParseResult EntryOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseFunction<EntryOp>(parser, state);
}
void EntryOp::print(OpAsmPrinter &printer) {
  bool isDefault = getMode() == Mode::Predict;
  printFunction(*this, printer, isDefault ? getModeAttrName().getValue() : "");
}

ParseResult StageOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseFunction<StageOp>(parser, state);
}
void StageOp::print(OpAsmPrinter &printer) {
  bool isDefault = getUnit() == Unit::Forward;
  printFunction(*this, printer, isDefault ? getUnitAttrName().getValue() : "");
}

/// Checks the name and batch axis of one argument or result, and that the name
/// is not taken.
static LogicalResult verifySignatureItem(EntryOp entry, StringRef what,
                                         unsigned index, Type type,
                                         DictionaryAttr attributes,
                                         llvm::StringSet<> &names) {
  auto where = [&] {
    return entry.emitOpError() << what << " " << index << " ";
  };
  auto name =
      attributes ? attributes.getAs<StringAttr>(kNameAttr) : StringAttr();
  if (!name || name.empty())
    return where() << "has no name; give it {" << kNameAttr << " = \"...\"}";
  if (!names.insert(name.getValue()).second)
    return where() << "has the name '" << name.getValue()
                   << "' of another; names must differ";
  if (Attribute join = attributes.get(kJoinAttr)) {
    if (!isa<JoinAttr>(join) || what == "argument")
      return where() << "has " << kJoinAttr << " " << join
                     << "; write #smp.join<sum>, on a result";
    if (cast<JoinAttr>(join).getKind() == JoinKind::Concat &&
        !attributes.contains(kBatchAxisAttr))
      return where() << "has " << kJoinAttr << " " << join << " but no "
                     << kBatchAxisAttr << " to be joined along";
  }
  if (Attribute batch = attributes.get(kBatchAxisAttr)) {
    const int64_t rank = cast<RankedTensorType>(type).getRank();
    auto axis = dyn_cast<IntegerAttr>(batch);
    if (!axis || !axis.getType().isSignlessInteger(64) || axis.getInt() < 0 ||
        axis.getInt() >= rank)
      return where() << "has " << kBatchAxisAttr << " " << batch
                     << "; it must be an i64 in 0.." << rank - 1;
  }
  return success();
}

LogicalResult EntryOp::verify() {
  llvm::StringSet<> inputs, outputs;
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (failed(verifySignatureItem(*this, "argument", i, type,
                                   getArgAttrDict(i), inputs)))
      return failure();
  for (auto [i, type] : llvm::enumerate(getResultTypes()))
    if (failed(verifySignatureItem(*this, "result", i, type,
                                   getResultAttrDict(i), outputs)))
      return failure();
  llvm::StringSet<> assigned;
  WalkResult walk = getBody().walk([&](AssignOp assign) {
    if (assigned.insert(assign.getVariable()).second)
      return WalkResult::advance();
    assign.emitOpError() << "is a second assignment to '"
                         << assign.getVariable()
                         << "'; an entry assigns a variable at most once";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult ReturnOp::verify() {
  TypeRange expected;
  if (auto function = dyn_cast<FunctionOpInterface>((*this)->getParentOp()))
    expected = function.getResultTypes();
  else
    expected = (*this)->getParentOp()->getResultTypes();
  if (getValues().getTypes() == expected)
    return success();
  return emitOpError() << "returns (" << getValues().getTypes() << ") but "
                       << (*this)->getParentOp()->getName()
                       << " is declared with (" << expected << ")";
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LogicalResult VariableOp::verify() {
  if (!isa<StoredAttr, SplatAttr, NormalAttr, UniformAttr>(getInitializer()))
    return emitOpError() << "has the initializer " << getInitializer()
                         << "; use #smp.stored, #smp.splat, #smp.normal or "
                            "#smp.uniform";
  if (isa<NormalAttr, UniformAttr>(getInitializer()) &&
      !isa<FloatType>(getTensorType().getElementType()))
    return emitOpError() << "draws random values of type " << getTensorType()
                         << "; only floats can be";
  if (auto normal = dyn_cast<NormalAttr>(getInitializer());
      normal && !(normal.getStddev().convertToDouble() >= 0))
    return emitOpError() << "has the deviation "
                         << normal.getStddev().convertToDouble()
                         << "; it must be 0 or more";
  if (auto uniform = dyn_cast<UniformAttr>(getInitializer());
      uniform && !(uniform.getHigh().convertToDouble() >=
                   uniform.getLow().convertToDouble()))
    return emitOpError() << "draws from " << uniform.getLow().convertToDouble()
                         << " to " << uniform.getHigh().convertToDouble()
                         << "; the second must not be below the first";
  return success();
}

/// The op that `symbol` names in the module around `user`, when it is an OpTy.
template <typename OpTy>
static FailureOr<OpTy> resolve(Operation *user, FlatSymbolRefAttr symbol,
                               SymbolTableCollection &symbols, StringRef what) {
  auto op = symbols.lookupNearestSymbolFrom<OpTy>(user, symbol);
  if (op)
    return op;
  return user->emitOpError()
         << "names " << symbol << ", which is no " << what << " of the module";
}

static LogicalResult verifyVariableType(Operation *user, VariableOp variable,
                                        Type type) {
  if (type == variable.getType())
    return success();
  InFlightDiagnostic error = user->emitOpError()
                             << "has type " << type << " but variable '"
                             << variable.getSymName() << "' is "
                             << variable.getType();
  error.attachNote(variable.getLoc()) << "declared here";
  return error;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto variable =
      resolve<VariableOp>(*this, getVariableAttr(), symbols, "variable");
  if (failed(variable))
    return failure();
  return verifyVariableType(*this, *variable, getValue().getType());
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto variable =
      resolve<VariableOp>(*this, getVariableAttr(), symbols, "variable");
  if (failed(variable))
    return failure();
  if (variable->getKind() == VariableKind::Constant)
    return emitOpError() << "assigns '" << getVariable()
                         << "', which is of kind constant";
  return verifyVariableType(*this, *variable, getValue().getType());
}

LogicalResult GradientOp::verify() {
  auto loss = tensorOf(getLoss());
  if (!isa<FloatType>(loss.getElementType()) || loss.getNumElements() != 1)
    return emitOpError() << "has a loss of type " << loss
                         << "; a loss is one float: reduce it, or differentiate"
                            " what was made an integer";
  if (getValues().getTypes() != getGradients().getTypes())
    return emitOpError() << "gives (" << getGradients().getTypes()
                         << ") for values of types (" << getValues().getTypes()
                         << "); a gradient has the type of its value";
  for (auto [i, value] : llvm::enumerate(getValues()))
    if (!isa<FloatType>(getElementTypeOrSelf(value.getType())))
      return emitOpError() << "has value " << i << " of type "
                           << value.getType() << "; only floats have gradients";
  return success();
}

LogicalResult MicrobatchOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getShape() == ArrayRef<int64_t>{1})
    return success();
  return emitOpError() << "gives a " << type << "; it must be tensor<1xi64>";
}

//===----------------------------------------------------------------------===//
// Stages and groups
//===----------------------------------------------------------------------===//

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto stage = resolve<StageOp>(*this, getStageAttr(), symbols, "stage");
  if (failed(stage))
    return failure();
  if (getInputs().getTypes() != TypeRange(stage->getArgumentTypes()) ||
      getOutputs().getTypes() != TypeRange(stage->getResultTypes()))
    return emitOpError() << "does not fit stage '" << getStage() << "' of type "
                         << stage->getFunctionType();
  return success();
}

LogicalResult PreparedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto stage = resolve<StageOp>(*this, getStageAttr(), symbols, "stage");
  if (failed(stage))
    return failure();
  if (stage->getUnit() != Unit::Prepare)
    return emitOpError() << "takes a result of '" << getStage()
                         << "', which is no prepare stage";
  auto results = stage->getResultTypes();
  if (getIndex() >= results.size() ||
      results[getIndex()] != getValue().getType())
    return emitOpError() << "takes result " << int64_t(getIndex()) << " of '"
                         << getStage() << "' as " << getValue().getType()
                         << "; it has (" << results << ")";
  return success();
}
