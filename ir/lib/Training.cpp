// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Training.h"
#include "mlir/IR/Builders.h"
#include "smp/ir/Placement.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace smp::ir {

namespace {

/// Calls `visit(key, field)` for every field but the two kinds, so that reading
/// and writing cannot differ.
template <typename OptimizerType, typename Visitor>
void visitFields(OptimizerType &o, Visitor visit) {
  visit("learning_rate", o.learningRate);
  visit("momentum", o.momentum);
  visit("beta1", o.beta1);
  visit("beta2", o.beta2);
  visit("smoothing", o.smoothing);
  visit("epsilon", o.epsilon);
  visit("weight_decay", o.weightDecay);
  visit("decay", o.decay);
  visit("decay_min_rank", o.decayMinRank);
  visit("freeze", o.freeze);
  visit("clip_norm", o.clipNorm);
  visit("warmup_steps", o.warmupSteps);
  visit("total_steps", o.totalSteps);
  visit("min_learning_rate", o.minLearningRate);
  visit("step_length", o.stepLength);
  visit("step_factor", o.stepFactor);
}

Attribute attrOf(Builder &b, double value) { return b.getF64FloatAttr(value); }
Attribute attrOf(Builder &b, int64_t value) {
  return b.getI64IntegerAttr(value);
}
Attribute attrOf(Builder &b, const std::vector<std::string> &list) {
  SmallVector<StringRef> items(list.begin(), list.end());
  return b.getStrArrayAttr(items);
}

bool take(Attribute from, double &to) {
  if (auto number = dyn_cast<FloatAttr>(from))
    return to = number.getValueAsDouble(), true;
  if (auto whole = dyn_cast<IntegerAttr>(from))
    return to = double(whole.getInt()), true;
  return false;
}
bool take(Attribute from, int64_t &to) {
  if (auto number = dyn_cast<IntegerAttr>(from))
    return to = number.getInt(), true;
  return false;
}
bool take(Attribute from, std::vector<std::string> &to) {
  auto list = dyn_cast<ArrayAttr>(from);
  if (!list || !llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return false;
  to.clear();
  for (auto item : list.getAsRange<StringAttr>())
    to.push_back(item.str());
  return true;
}

StringRef wordFor(double) { return "a number"; }
StringRef wordFor(int64_t) { return "an integer"; }
StringRef wordFor(const std::vector<std::string> &) {
  return "an array of strings";
}

/// Takes the entries of a dictionary into an optimizer.
class Reader {
public:
  Reader(EntryOp entry, DictionaryAttr given) : entry(entry), given(given) {}

  FailureOr<Optimizer> read() {
    Optimizer result;
    readWord("kind", result.kind, optimizerKindOf, optimizerKinds());
    readWord("schedule", result.schedule, learningRateKindOf,
             learningRateKinds());
    visitFields(result, [&](StringRef key, auto &field) {
      if (Attribute value = get(key); value && !take(value, field))
        refuse(key) << " is " << value << "; it must be " << wordFor(field);
    });
    for (NamedAttribute item : given)
      if (!llvm::is_contained(known, item.getName().getValue()))
        refuse(item.getName()) << " is no field of an optimizer; those are "
                               << llvm::join(known, ", ");
    if (failed)
      return failure();
    if (auto problem = checkOptimizer(result))
      return entry.emitOpError() << kOptimizerAttr << ": " << *problem;
    return result;
  }

private:
  Attribute get(StringRef key) {
    known.push_back(key.str());
    return given.get(key);
  }
  template <typename Kind>
  void readWord(StringRef key, Kind &field,
                std::optional<Kind> (*parse)(std::string_view),
                std::span<const std::string_view> words) {
    Attribute value = get(key);
    if (!value)
      return;
    auto word = dyn_cast<StringAttr>(value);
    if (auto parsed = word ? parse(word.getValue()) : std::nullopt)
      field = *parsed;
    else
      refuse(key) << " is " << value << "; it must be one of "
                  << llvm::join(words, ", ");
  }
  InFlightDiagnostic refuse(StringRef key) {
    failed = true;
    return entry.emitOpError() << kOptimizerAttr << " " << key;
  }

  EntryOp entry;
  DictionaryAttr given;
  std::vector<std::string> known;
  bool failed = false;
};

} // namespace

DictionaryAttr toAttr(MLIRContext *context, const Optimizer &optimizer) {
  Builder b(context);
  const Optimizer standard;
  NamedAttrList list;
  list.set("kind", b.getStringAttr(StringRef(toString(optimizer.kind))));
  if (optimizer.schedule != standard.schedule)
    list.set("schedule",
             b.getStringAttr(StringRef(toString(optimizer.schedule))));
  llvm::StringMap<Attribute> defaults;
  visitFields(standard, [&](StringRef key, const auto &field) {
    defaults[key] = attrOf(b, field);
  });
  visitFields(optimizer, [&](StringRef key, const auto &field) {
    if (Attribute value = attrOf(b, field); value != defaults[key])
      list.set(key, value);
  });
  return list.getDictionary(context);
}

FailureOr<Optimizer> readOptimizer(EntryOp entry) {
  Attribute attribute = entry->getAttr(kOptimizerAttr);
  auto given = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!given)
    return entry.emitOpError() << kOptimizerAttr << " is " << attribute
                               << "; it must be a dictionary";
  return Reader(entry, given).read();
}

} // namespace smp::ir
