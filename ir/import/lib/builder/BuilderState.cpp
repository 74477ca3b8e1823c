// SPDX-License-Identifier: Apache-2.0
// Errors, entries, and names.

#include "BuilderState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Names.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

static std::unique_ptr<ModelParts> makeParts(StringRef name) {
  auto parts = std::make_unique<ModelParts>();
  parts->context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  MLIRContext *context = parts->context.get();
  context->loadDialect<SmpDialect>();
  parts->module =
      ModuleOp::create(NameLoc::get(StringAttr::get(context, name)));
  return parts;
}

BuilderState::BuilderState(GraphBuilder &owner, std::string name, uint64_t seed)
    : owner(owner), seed(seed), parts(makeParts(name)),
      context(parts->context.get()), builder(context), emit(builder) {
  emit.folds = false; // What a person writes is what is placed and run.
  builder.setListener(this);
  diagnostics.emplace(context, [this](Diagnostic &diagnostic) {
    onDiagnostic(diagnostic);
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void BuilderState::fail(const Twine &message) {
  if (status.ok())
    status = invalidArgument(
        (current.empty() ? message : current + ": " + message).str());
}

void BuilderState::onDiagnostic(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return;
  std::string message = diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    message += "; " + note.str();
  fail(message);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void BuilderState::needEntry() {
  if (entry)
    return;
  beginEntry("predict", EntryMode::Predict);
  begun = false;
}

void BuilderState::beginEntry(StringRef name, EntryMode mode) {
  if (!isUsable())
    return;
  current = ("entry '" + name + "'").str();
  if (!openStep.empty())
    return fail("is begun inside of step '" + openStep +
                "'; a step is one entry");
  endEntry();
  current = ("entry '" + name + "'").str();
  if (name.empty())
    return fail("needs a name");
  if (parts->module->lookupSymbol(name))
    return fail("has the name of another entry or variable");
  builder.setInsertionPointToEnd(parts->module->getBody());
  entry = EntryOp::create(builder, nameLoc(name), name,
                          builder.getFunctionType({}, {}), ArrayAttr(),
                          ArrayAttr(), Mode(int(mode)));
  builder.setInsertionPointToStart(&entry.getBody().emplaceBlock());
  begun = true;
}

void BuilderState::beginStep(StringRef name, EntryMode mode) {
  beginEntry(name, mode);
  openStep = name;
}

void BuilderState::endStep() {
  openStep.clear();
  if (isUsable())
    endEntry();
}

/// The attributes of an input or output.
static Attribute signatureItem(Builder &builder, StringRef name,
                               int64_t batchAxis,
                               std::optional<JoinBy> join = {}) {
  NamedAttrList attributes;
  attributes.set(kNameAttr, builder.getStringAttr(name));
  if (batchAxis != kNoBatchAxis)
    attributes.set(kBatchAxisAttr, builder.getI64IntegerAttr(batchAxis));
  if (join)
    attributes.set(kJoinAttr,
                   JoinAttr::get(builder.getContext(),
                                 *join == JoinBy::Sum    ? JoinKind::Sum
                                 : *join == JoinBy::Mean ? JoinKind::Mean
                                                         : JoinKind::Stack));
  return attributes.getDictionary(builder.getContext());
}

static SmallVector<Attribute> toVector(ArrayAttr attributes) {
  return attributes ? SmallVector<Attribute>(attributes.getValue())
                    : SmallVector<Attribute>();
}

bool BuilderState::checkBatchAxis(ArrayRef<int64_t> shape, int64_t axis) {
  if (axis == kNoBatchAxis || (axis >= 0 && axis < int64_t(shape.size())))
    return true;
  fail("has batch axis " + Twine(axis) + "; it must be a dimension of the " +
       Twine(shape.size()) + " that there are, or kNoBatchAxis");
  return false;
}

Tensor BuilderState::addInput(StringRef name, const TensorType &type,
                              int64_t batchAxis) {
  if (!isUsable())
    return {};
  needEntry();
  current = ("input '" + name + "'").str();
  auto bytes = checkedBytes(type);
  if (name.empty() || !inputNames.insert(name).second)
    fail(name.empty() ? "needs a name" : "has the name of another one");
  else if (!bytes || *bytes > kMaxElements)
    fail("cannot be a " + toString(type));
  if (!checkBatchAxis(type.shape, batchAxis) || !status.ok())
    return {};
  SmallVector<Type> types(entry.getArgumentTypes());
  types.push_back(toMlir(context, type));
  auto attributes = toVector(entry.getArgAttrsAttr());
  attributes.push_back(signatureItem(builder, name, batchAxis));
  entry.setFunctionType(builder.getFunctionType(types, {}));
  entry.setArgAttrsAttr(builder.getArrayAttr(attributes));
  return wrap(entry.getBody().addArgument(types.back(), nameLoc(name)));
}

void BuilderState::addOutput(StringRef name, const Tensor &x, int64_t batchAxis,
                             std::optional<JoinBy> join) {
  if (!isUsable())
    return;
  needEntry();
  current = ("output '" + name + "'").str();
  SmallVector<Value> values;
  if (!resolve(x, values))
    return;
  if (values.front() == unnamedLoss)
    nameLoss(name);
  if (name.empty() || !outputNames.insert(name).second)
    fail(name.empty() ? "needs a name" : "has the name of another one");
  else if (checkBatchAxis(x.shape(), batchAxis))
    outputs.push_back({name.str(), values.front(), batchAxis, join});
}

/// Ops outside of every model run on all partitions, when there is a model.
void BuilderState::placeOutside() {
  if (hasModel)
    for (Operation *op : outside)
      setPlacement(op, PlacementAttr::kAll, Origin::Propagated);
  outside.clear();
  hasModel = false;
}

void BuilderState::endEntry() {
  if (!entry)
    return;
  current = ("entry '" + entry.getSymName() + "'").str();
  auto hasEffect = [](Operation &op) { return isa<AssignOp>(op); };
  if (outputs.empty() && llvm::none_of(entry.getBody().front(), hasEffect))
    return fail("has no output and assigns no variable");
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (const Output &output : outputs) {
    values.push_back(output.value);
    types.push_back(output.value.getType());
    attributes.push_back(
        signatureItem(builder, output.name, output.batchAxis, output.join));
  }
  placeOutside();
  builder.setInsertionPointToEnd(&entry.getBody().front());
  ReturnOp::create(builder, builder.getUnknownLoc(), values);
  entry.setFunctionType(
      builder.getFunctionType(entry.getArgumentTypes(), types));
  entry.setResAttrsAttr(builder.getArrayAttr(attributes));
  outputs.clear();
  unnamedLoss = {};
  for (llvm::StringSet<> *names :
       {&opNames, &inputNames, &outputNames, &declared})
    names->clear();
  firstFree.clear();
  entry = {};
  drawn = {};
}

/// Not before all is built: a tensor may be asked for, and refused, after its
/// entry has ended.
static void eraseDeadOps(ModuleOp module) {
  for (auto entry : module.getOps<EntryOp>())
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(entry.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
}

StatusOr<Model> BuilderState::finish() {
  if (!parts)
    return failedPrecondition(
        "the graph builder is finished; make another one");
  if (status.ok())
    endEntry();
  if (status.ok() && parts->module->getOps<EntryOp>().empty()) {
    current.clear();
    fail("the model is empty; add an output");
  }
  if (status.ok()) {
    current = "model";
    eraseDeadOps(*parts->module);
    if (std::optional<Config> config = initializedConfig())
      (*parts->module)
          ->setAttr(kPartitionsAttr,
                    builder.getI64IntegerAttr(config->partitions));
    if (failed(mlir::verify(*parts->module)) && status.ok())
      fail("is not sound");
  }
  diagnostics.reset();
  std::unique_ptr<ModelParts> result = std::move(parts);
  if (!status.ok())
    return status;
  return Model(std::move(result));
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void BuilderState::pushScope(StringRef name) {
  scopeStarts.push_back(scope.size());
  current.clear();
  if (name.empty())
    return fail("a scope of names needs a name");
  scope += name.str() + "/";
}

void BuilderState::popScope() {
  scope.resize(scopeStarts.back());
  scopeStarts.pop_back();
}

void BuilderState::enterModel(StringRef name) {
  if (!entry || !begun) {
    current = name.empty() ? "model" : ("model '" + name + "'").str();
    fail("is called outside of a step; model() calls can only be made inside a "
         "function given to smp::step(), or after beginEntry()");
  }
  scopeStarts.push_back(scope.size());
  if (!name.empty())
    scope += name.str() + "/";
  ++modelDepth;
  hasModel = true;
}

void BuilderState::leaveModel() {
  --modelDepth;
  popScope();
}

std::string BuilderState::scoped(StringRef name) const {
  return scope + name.str();
}

/// "add", "add_1", ...: the first that is free.
std::string BuilderState::uniqueName(StringRef mnemonic) {
  std::string base = scoped(mnemonic);
  for (uint64_t &i = firstFree[base];; ++i) {
    std::string name = i ? base + "_" + std::to_string(i) : base;
    if (!opNames.contains(name))
      return name;
  }
}

void BuilderState::freeName(StringRef name) {
  opNames.erase(name);
  firstFree[name] = 0;
  auto [base, number] = name.rsplit('_');
  uint64_t freed = 0;
  if (auto first = firstFree.find(base);
      !number.getAsInteger(10, freed) && first != firstFree.end())
    first->second = std::min(first->second, freed);
}

Location BuilderState::nameLoc(StringRef name) {
  return NameLoc::get(builder.getStringAttr(name));
}

void BuilderState::rename(const Tensor &x, StringRef name) {
  if (!isUsable())
    return;
  std::string full = scoped(name);
  current = "name '" + full + "'";
  SmallVector<Value> values;
  if (!resolve(x, values))
    return;
  Operation *op = values.front().getDefiningOp();
  if (name.empty() || !op || op->getNumResults() != 1)
    return fail(name.empty() ? "is empty"
                             : "is for the result of an op that has one");
  if (!opNames.insert(full).second)
    return fail("is taken; names of ops differ in an entry");
  freeName(getSourceName(op));
  op->setLoc(nameLoc(full));
}

} // namespace smp::frontend
