// SPDX-License-Identifier: Apache-2.0
// What a placement file means for a module, which need not be the one that it
// was written for.

#ifndef SMP_PASSES_PLACEMENT_LIB_FOLLOWFILE_H
#define SMP_PASSES_PLACEMENT_LIB_FOLLOWFILE_H

#include "BuildProblem.h"
#include "PlacementFile.h"

namespace smp::passes {

class FollowedFile {
public:
  /// Warns of names that only one of the two has, and of lists for more or
  /// fewer ops than there are. On failure, at a file that cannot be read or has
  /// no name of the module, an error has been emitted.
  static mlir::FailureOr<FollowedFile> open(mlir::ModuleOp module,
                                            llvm::StringRef path);

  /// Pins the ops of lines that a person edited. Fails, with an error, where
  /// one is pinned elsewhere.
  llvm::LogicalResult pinEdited();
  bool hasEdited() const { return !edited.empty(); }
  /// Whether it was written for this problem.
  bool answers(llvm::StringRef problem) const {
    return file.problem == problem;
  }

  /// Places what has a line and no placement.
  void place(ir::Origin origin) const;
  /// A partition per item, where each has one line; else nothing.
  std::vector<uint32_t> startFor(const ModuleProblem &question) const;

private:
  FollowedFile(mlir::ModuleOp module, llvm::StringRef path, PlacementFile file)
      : module(module), path(path), file(std::move(file)) {}

  llvm::LogicalResult match();
  void matchEntry(ir::EntryOp entry);
  void warn(llvm::StringRef what, llvm::ArrayRef<std::string> names);

  mlir::ModuleOp module;
  std::string path;
  PlacementFile file;
  llvm::DenseMap<mlir::Operation *, int64_t> partitionOf; ///< By their lines.
  llvm::SmallVector<mlir::Operation *> edited;
  /// Names that only the file has, and only the module, and of lists for
  /// another number of ops.
  llvm::SmallVector<std::string> unknown, missing, different;
  std::string entryOfMissing; ///< Of the first.
};

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_FOLLOWFILE_H
