// SPDX-License-Identifier: Apache-2.0
#include "FollowFile.h"
#include <set>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

//===----------------------------------------------------------------------===//
// Which line is whose
//===----------------------------------------------------------------------===//

FailureOr<FollowedFile> FollowedFile::open(ModuleOp module, StringRef path) {
  FailureOr<PlacementFile> file = readPlacementFile(module, path);
  if (failed(file))
    return failure();
  FollowedFile followed(module, path, std::move(*file));
  if (failed(followed.match()))
    return failure();
  return followed;
}

LogicalResult FollowedFile::match() {
  size_t lines = 0;
  for (const auto &[entry, of] : file.placement) {
    lines += of.size();
    if (!SymbolTable::lookupSymbolIn(module, entry))
      for (const auto &[name, line] : of)
        unknown.push_back(name);
  }
  for (auto entry : module.getOps<EntryOp>())
    matchEntry(entry);
  if (partitionOf.empty() && !missing.empty() && different.empty() && lines > 0)
    return module.emitError()
           << "placement file '" << path
           << "' is of another model: none of its " << lines
           << " lines is of an op of this one, which has '" << missing.front()
           << "' in entry '" << entryOfMissing << "'";
  warn("has names that the model lacks", unknown);
  warn("lacks names of the model, whose ops are placed without it", missing);
  warn("has lists for another number of ops, which are placed without it",
       different);
  return success();
}

void FollowedFile::matchEntry(EntryOp entry) {
  const std::string symbol = entry.getSymName().str();
  const EntryLines &lines = file.placement[symbol],
                   &decided = file.decided[symbol];
  const NamedOps named = opsWithLines(entry);
  std::set<std::string, std::less<>> known;
  for (const auto &[key, ops] : named) {
    const std::string name = key.str();
    known.insert(name);
    auto line = lines.find(name);
    if (line == lines.end()) {
      if (missing.empty())
        entryOfMissing = symbol;
      missing.push_back(name);
      continue;
    }
    const LinePartitions &partitions = line->second;
    if (partitions.size() != 1 && partitions.size() != ops.size()) {
      different.push_back(name);
      continue;
    }
    auto was = decided.find(name);
    for (auto [index, op] : llvm::enumerate(ops)) {
      auto of = [&](const LinePartitions &each) {
        return each[each.size() == 1 ? 0 : index];
      };
      partitionOf[op] = of(partitions);
      const bool isComparable =
          was != decided.end() &&
          (was->second.size() == 1 || was->second.size() == ops.size());
      if (was == decided.end() ||
          (isComparable ? of(was->second) != of(partitions)
                        : was->second != partitions))
        edited.push_back(op);
    }
  }
  for (const auto &[name, line] : lines)
    if (!known.contains(name))
      unknown.push_back(name);
}

void FollowedFile::warn(StringRef what, ArrayRef<std::string> names) {
  constexpr size_t kMostNamed = 8;
  if (names.empty())
    return;
  InFlightDiagnostic warning = module.emitWarning()
                               << "placement file '" << path << "' " << what
                               << ": ";
  llvm::interleaveComma(
      names.take_front(kMostNamed), warning,
      [&](const std::string &name) { warning << "'" << name << "'"; });
  if (names.size() > kMostNamed)
    warning << " and " << names.size() - kMostNamed << " others";
}

//===----------------------------------------------------------------------===//
// What follows from it
//===----------------------------------------------------------------------===//

LogicalResult FollowedFile::pinEdited() {
  for (Operation *op : edited) {
    const int64_t partition = partitionOf.lookup(op);
    if (PlacementAttr pin = getPlacement(op);
        pin && pin.getPartition() != partition)
      return op->emitError()
             << describe(op) << " is on partition " << pin.getPartition()
             << " because of a pin, but placement file '" << path
             << "' was edited to have it on " << partition
             << "; change one of the two";
    setPlacement(op, partition, Origin::User);
  }
  return success();
}

void FollowedFile::place(Origin origin) const {
  for (const auto &[op, partition] : partitionOf)
    if (!getPlacement(op))
      setPlacement(op, partition, origin);
}

std::vector<uint32_t>
FollowedFile::startFor(const ModuleProblem &question) const {
  std::vector<uint32_t> start;
  for (ArrayRef<Operation *> ops : question.ops) {
    auto of = [&](Operation *op) {
      auto found = partitionOf.find(op);
      return found == partitionOf.end() ? -1 : found->second;
    };
    const int64_t first = of(ops.front());
    if (first < 0 ||
        llvm::any_of(ops, [&](Operation *op) { return of(op) != first; }))
      return {};
    start.push_back(uint32_t(first));
  }
  return start;
}

} // namespace smp::passes
