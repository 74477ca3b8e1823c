// SPDX-License-Identifier: Apache-2.0
#include "PlacementFile.h"
#include "BuildProblem.h"
#include "smp/ir/Names.h"
#include "smp/passes/placement/PlacementText.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

static constexpr int64_t kVersion = 2;
static constexpr uint64_t kMostBytes = 1 << 30;

/// As JSON can have it.
static std::string lineNameOf(Operation *op) {
  StringRef name = getOriginName(op);
  if (!name.empty())
    return llvm::json::fixUTF8(name);
  if (auto read = dyn_cast<ReadOp>(op))
    return llvm::json::fixUTF8(read.getVariable());
  return ("unnamed " + op->getName().getStringRef()).str();
}

NamedOps opsWithLines(EntryOp entry) {
  NamedOps ops;
  for (Operation &op : entry.getBody().front().without_terminator()) {
    if (!isItem(&op))
      continue;
    ops[StringAttr::get(op.getContext(), lineNameOf(&op))].push_back(&op);
  }
  return ops;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeLines(llvm::json::OStream &json, ModuleOp module) {
  json.object([&] {
    for (auto entry : module.getOps<EntryOp>())
      json.attributeObject(entry.getSymName(), [&] {
        for (auto &[name, ops] : opsWithLines(entry)) {
          auto partitionOf = [](Operation *op) {
            return getPlacement(op).getPartition();
          };
          const int64_t first = partitionOf(ops.front());
          if (llvm::all_of(
                  ops, [&](Operation *op) { return partitionOf(op) == first; }))
            json.attribute(name.getValue(), first);
          else
            json.attribute(name.getValue(), llvm::json::Array(llvm::map_range(
                                                ops, partitionOf)));
        }
      });
  });
}

std::string takePlacementText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", kVersion);
    json.attribute("partitions", getNumPartitions(module));
    if (auto problem = module->getAttrOfType<StringAttr>(kProblemAttr))
      json.attribute("problem", problem.getValue());
    for (StringRef part : {"placement", "decided"}) {
      json.attributeBegin(part);
      writeLines(json, module);
      json.attributeEnd();
    }
  });
  os << "\n";
  module->removeAttr(kProblemAttr);
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// A placement file has lists in objects in an object in an object; LLVM's
/// reader recurses for as many as there are.
constexpr int kDeepest = 16;

bool isNestedDeeply(StringRef text) {
  int depth = 0, deepest = 0;
  for (char c : text) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    deepest = std::max(deepest, depth);
  }
  return deepest > kDeepest;
}

class Reader {
public:
  Reader(ModuleOp module, StringRef path) : module(module), path(path) {}

  FailureOr<PlacementFile> read() {
    uint64_t bytes = 0;
    if (!llvm::sys::fs::file_size(path, bytes) && bytes > kMostBytes)
      return error() << "is larger than " << kMostBytes << " bytes";
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return error() << "cannot be read: " << buffer.getError().message();
    if (isNestedDeeply((*buffer)->getBuffer()))
      return error() << "is nested deeper than " << kDeepest << " levels";
    llvm::Expected<llvm::json::Value> parsed =
        llvm::json::parse((*buffer)->getBuffer());
    if (!parsed)
      return error() << "is no JSON: " << llvm::toString(parsed.takeError());
    llvm::json::Object *root = parsed->getAsObject();
    if (!root || root->getInteger("version") != kVersion)
      return error() << "is no placement of version " << kVersion
                     << "; write it again";
    if (root->getInteger("partitions") != partitions)
      return error()
             << "is not for " << partitions
             << " partitions; write it again, or compile for as many as it has";
    PlacementFile file;
    file.problem = root->getString("problem").value_or("");
    if (failed(
            readEntries(root->get("placement"), "placement", file.placement)) ||
        failed(readEntries(root->get("decided"), "decided", file.decided)))
      return failure();
    return file;
  }

private:
  InFlightDiagnostic error() {
    return module.emitError() << "placement file '" << path << "' ";
  }

  LogicalResult
  readEntries(const llvm::json::Value *from, StringRef part,
              std::map<std::string, EntryLines, std::less<>> &to) {
    const llvm::json::Object *entries = from ? from->getAsObject() : nullptr;
    if (!entries)
      return error() << "has no object '" << part << "'";
    for (auto &[entry, value] : *entries) {
      const llvm::json::Object *lines = value.getAsObject();
      if (!lines)
        return error() << "has no object of entry '" << StringRef(entry)
                       << "' in '" << part << "'";
      for (auto &[name, line] : *lines)
        if (failed(readLine(name, line, to[entry.str()][name.str()])))
          return failure();
    }
    return success();
  }

  LogicalResult readLine(StringRef name, const llvm::json::Value &line,
                         LinePartitions &to) {
    auto add = [&](const llvm::json::Value &number) {
      std::optional<int64_t> partition = number.getAsInteger();
      if (!partition || *partition < 0 || *partition >= partitions)
        return LogicalResult(error()
                             << "gives '" << name << "' "
                             << llvm::formatv("{0}", number).str()
                             << "; a partition is 0.." << partitions - 1);
      to.push_back(*partition);
      return success();
    };
    const llvm::json::Array *several = line.getAsArray();
    if (!several)
      return add(line);
    if (several->size() < 2)
      return error() << "gives '" << name
                     << "' a list of less than 2; it is one for each of its "
                        "ops, or one number for all";
    for (const llvm::json::Value &each : *several)
      if (failed(add(each)))
        return failure();
    return success();
  }

  ModuleOp module;
  StringRef path;
  const int64_t partitions = getNumPartitions(module);
};

} // namespace

FailureOr<PlacementFile> readPlacementFile(ModuleOp module, StringRef path) {
  return Reader(module, path).read();
}

} // namespace smp::passes
