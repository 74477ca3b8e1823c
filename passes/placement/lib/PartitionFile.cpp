// SPDX-License-Identifier: Apache-2.0
#include "PartitionFile.h"
#include "smp/base/AtomicFile.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
namespace {

constexpr int64_t kVersion = 1;
constexpr uint64_t kMostBytes = 1 << 30;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

llvm::json::Object toJson(Operation *op) {
  PlacementAttr placement = getPlacement(op);
  llvm::json::Object object;
  object["name"] = getSourceName(op);
  object["op"] = op->getName().getStringRef();
  if (placement.isAll())
    object["partition"] = "all";
  else
    object["partition"] = placement.getPartition();
  object["origin"] = stringifyOrigin(placement.getOrigin());
  return object;
}

llvm::json::Value toJson(ModuleOp module) {
  llvm::json::Object entries;
  for (auto entry : module.getOps<EntryOp>()) {
    llvm::json::Array ops;
    for (Operation &op : entry.getBody().front().without_terminator())
      ops.push_back(toJson(&op));
    entries[entry.getSymName()] = std::move(ops);
  }
  return llvm::json::Object{{"version", kVersion},
                            {"partitions", getNumPartitions(module)},
                            {"entries", std::move(entries)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

class Reader {
public:
  Reader(ModuleOp module, StringRef path) : module(module), path(path) {}

  LogicalResult read() {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return error() << "cannot be read: " << buffer.getError().message();
    if ((*buffer)->getBufferSize() > kMostBytes)
      return error() << "is larger than " << kMostBytes << " bytes";
    llvm::Expected<llvm::json::Value> parsed =
        llvm::json::parse((*buffer)->getBuffer());
    if (!parsed)
      return error() << "is no JSON: " << llvm::toString(parsed.takeError());
    llvm::json::Object *root = parsed->getAsObject();
    if (!root || root->getInteger("version") != kVersion)
      return error() << "is no partition of version " << kVersion;
    if (root->getInteger("partitions") != getNumPartitions(module))
      return error()
             << "is not for " << getNumPartitions(module)
             << " partitions; write it again, or compile for as many as "
                "it has";
    llvm::json::Object *entries = root->getObject("entries");
    if (!entries)
      return error() << "has no entries";
    for (auto entry : module.getOps<EntryOp>())
      if (failed(readEntry(entry, entries->getArray(entry.getSymName()))))
        return failure();
    return success();
  }

private:
  InFlightDiagnostic error() {
    return module.emitError() << "partition file '" << path << "' ";
  }

  LogicalResult readEntry(EntryOp entry, const llvm::json::Array *ops) {
    Block &body = entry.getBody().front();
    size_t count = body.getOperations().size() - 1;
    if (!ops || ops->size() != count)
      return error() << "is of another model: it has "
                     << (ops ? ops->size() : 0) << " ops in entry '"
                     << entry.getSymName() << "', the model has " << count;
    for (auto [op, value] : llvm::zip(body.without_terminator(), *ops))
      if (failed(readOp(&op, value.getAsObject())))
        return failure();
    return success();
  }

  LogicalResult readOp(Operation *op, const llvm::json::Object *object) {
    if (!object || object->getString("op") != op->getName().getStringRef() ||
        object->getString("name") != getSourceName(op))
      return (error() << "is of another model: it differs at " << describe(op))
                 .attachNote(op->getLoc())
             << "here";
    std::optional<int64_t> partition = object->getInteger("partition");
    if (object->getString("partition") == "all")
      partition = PlacementAttr::kAll;
    if (!partition || *partition < PlacementAttr::kAll ||
        *partition >= getNumPartitions(module))
      return error() << "gives " << describe(op) << " no partition in 0.."
                     << getNumPartitions(module) - 1;
    PlacementAttr pin = getPlacement(op);
    if (pin && pin.getPartition() != *partition)
      return op->emitError()
             << describe(op) << " is pinned to partition " << pin.getPartition()
             << " but partition file '" << path << "' has it on " << *partition
             << "; write the file again";
    if (!pin) {
      auto origin =
          symbolizeOrigin(object->getString("origin").value_or("propagated"));
      bool isSolver = origin == Origin::Solver;
      setPlacement(op, *partition,
                   isSolver ? Origin::Solver : Origin::Propagated);
    }
    return success();
  }

  ModuleOp module;
  StringRef path;
};

} // namespace

LogicalResult writePartitionFile(ModuleOp module, StringRef path) {
  Status written =
      writeFile(path.str(), llvm::formatv("{0:2}\n", toJson(module)).str());
  if (written.ok())
    return success();
  return module.emitError() << "partition file: " << written.message();
}

LogicalResult readPartitionFile(ModuleOp module, StringRef path) {
  return Reader(module, path).read();
}

} // namespace smp::passes
