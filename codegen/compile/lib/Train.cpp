// SPDX-License-Identifier: Apache-2.0
// Training a model that says only what it computes.

#include "smp/base/Lists.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Training.h"
#include "smp/serialization/MappedFile.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace smp::compile {

constexpr size_t kMostBytes = 1 << 20;
/// What opens something in JSON; bounds how deep the parser goes.
constexpr ptrdiff_t kMostBrackets = 1000;

static StatusOr<std::string> readText(const std::string &pathOrText) {
  if (StringRef(pathOrText).ltrim().starts_with("{"))
    return pathOrText;
  auto opened = MappedFile::open(pathOrText);
  if (!opened.ok())
    return Status(opened.status().code(),
                  opened.status().message() +
                      "; an optimizer is JSON, as {\"kind\": \"adamw\"}, or a "
                      "file of it");
  const MappedFile file = opened.take();
  if (file.bytes().size() > kMostBytes)
    return invalidArgument(
        "'" + pathOrText + "' has " + std::to_string(file.bytes().size()) +
        " bytes; an optimizer has at most " + std::to_string(kMostBytes));
  return std::string(reinterpret_cast<const char *>(file.bytes().data()),
                     file.bytes().size());
}

/// Null for what no field of an optimizer is.
static mlir::Attribute toAttribute(Builder &b, const llvm::json::Value &value) {
  if (auto whole = value.getAsInteger())
    return b.getI64IntegerAttr(*whole);
  if (auto number = value.getAsNumber())
    return b.getF64FloatAttr(*number);
  if (auto word = value.getAsString())
    return b.getStringAttr(*word);
  auto *list = value.getAsArray();
  if (!list)
    return {};
  SmallVector<mlir::Attribute> items;
  for (const llvm::json::Value &item : *list)
    if (auto word = item.getAsString())
      items.push_back(b.getStringAttr(*word));
    else
      return {};
  return b.getArrayAttr(items);
}

static StatusOr<DictionaryAttr> readJson(MLIRContext *context,
                                         const std::string &pathOrText) {
  SMP_ASSIGN_OR_RETURN(std::string text, readText(pathOrText));
  if (llvm::count_if(text, [](char c) { return c == '[' || c == '{'; }) >
      kMostBrackets)
    return invalidArgument("the optimizer's JSON has more than " +
                           std::to_string(kMostBrackets) + " brackets");
  auto parsed = llvm::json::parse(text);
  if (!parsed)
    return invalidArgument("the optimizer is no JSON: " +
                           llvm::toString(parsed.takeError()));
  auto *object = parsed->getAsObject();
  if (!object)
    return invalidArgument("the optimizer is JSON, but no object: write "
                           "{\"kind\": \"adamw\"}");
  Builder b(context);
  NamedAttrList fields;
  for (const auto &[key, value] : *object) {
    mlir::Attribute field = toAttribute(b, value);
    const llvm::StringRef name = key;
    if (!field || name.empty())
      return invalidArgument("the optimizer's '" + name.str() +
                             "' is neither a number, a word nor a list of "
                             "words");
    fields.set(name, field);
  }
  return fields.getDictionary(context);
}

static std::vector<std::string> outputNames(ir::EntryOp entry) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    names.push_back(
        entry.getResultAttrOfType<StringAttr>(i, ir::kNameAttr).str());
  return names;
}

Status trainModule(ModuleOp module, const std::string &loss,
                   const std::string &optimizer) {
  auto entries = llvm::to_vector(module.getOps<ir::EntryOp>());
  if (entries.size() != 1)
    return invalidArgument("the model has " + std::to_string(entries.size()) +
                           " entries; one that is to be trained has one, or "
                           "says itself how it is trained");
  ir::EntryOp entry = entries.front();
  if (entry->hasAttr(ir::kOptimizerAttr))
    return invalidArgument("entry '" + entry.getSymName().str() +
                           "' says itself how it is trained");
  const std::vector<std::string> outputs = outputNames(entry);
  if (!llvm::is_contained(outputs, loss))
    return invalidArgument(
        "the model has no output '" + loss +
        "' to be its loss; its outputs are: " + listNames(outputs));
  Operation *other = module.lookupSymbol("train");
  if (other && other != entry)
    return invalidArgument("the model has a variable 'train', which is what "
                           "its trained entry is called");
  SMP_ASSIGN_OR_RETURN(DictionaryAttr fields,
                       readJson(module.getContext(), optimizer));
  Builder b(module.getContext());
  entry.setSymName("train");
  entry.setMode(ir::Mode::Train);
  entry->setAttr(ir::kLossAttr, b.getStringAttr(loss));
  entry->setAttr(ir::kOptimizerAttr, fields);
  return Status();
}

} // namespace smp::compile
