// SPDX-License-Identifier: Apache-2.0
// A placement in a JSON file, by the names of ops, for people to read and edit:
//
//   {"version": 2, "partitions": 2, "problem": "8f14e45fceea167a",
//    "placement": {"train": {"encoder/0": 0, "encoder/1": [0, 1]}},
//    "decided":   {"train": {"encoder/0": 0, "encoder/1": [0, 1]}}}
//
// A name has one partition, or one for each of its ops. Lines of `placement`
// that are not as in `decided` are a person's.

#ifndef SMP_PASSES_PLACEMENT_LIB_PLACEMENTFILE_H
#define SMP_PASSES_PLACEMENT_LIB_PLACEMENTFILE_H

#include "smp/ir/Smp.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace smp::passes {

/// One partition for all ops of a name, or one for each.
using LinePartitions = llvm::SmallVector<int64_t, 1>;
/// By name.
using EntryLines = std::map<std::string, LinePartitions, std::less<>>;

struct PlacementFile {
  std::string problem; ///< A digest of what the placement answers.
  /// By entry.
  std::map<std::string, EntryLines, std::less<>> placement, decided;
};

/// The ops of each entry that have a line, by name, in the order of the entry:
/// a part of what another op did has that one's name.
using NamedOps =
    llvm::MapVector<mlir::StringAttr, llvm::SmallVector<mlir::Operation *, 1>>;
NamedOps opsWithLines(ir::EntryOp entry);

/// On a module: the digest of the question that its placement answers
/// (StringAttr).
inline constexpr llvm::StringLiteral kProblemAttr = "smp.problem";

/// Reads a file for as many partitions as the module is for, whatever names it
/// has. On failure an error has been emitted.
mlir::FailureOr<PlacementFile> readPlacementFile(mlir::ModuleOp module,
                                                 llvm::StringRef path);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_PLACEMENTFILE_H
