// SPDX-License-Identifier: Apache-2.0
// From outlined stages to a program: the only meeting of MLIR and
// serialization.

#ifndef SMP_CODEGEN_EXPORT_EXPORT_H
#define SMP_CODEGEN_EXPORT_EXPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "smp/ir/WeightStore.h"
#include "smp/model/ScheduleTable.h"
#include "smp/model/TrainingSchedule.h"
#include "smp/passes/CostModel.h"
#include "smp/serialization/PartitionLayout.h"

namespace smp::codegen {

struct ExportOptions {
  /// Levels to compile kernels for, of whichever target; empty: all.
  std::vector<std::string> levels;
  /// The command that assembles images for devices that would otherwise do it
  /// when they load them: for `cuda`, ptxas, which makes cubins. Empty: the one
  /// on the PATH. Not given: nothing is assembled.
  std::optional<std::string> assembler;
  /// Keeps weights in a file of this name beside the program; empty: inside.
  std::string weightsFile;
  /// The order of work in entries with a fixed number of microbatches.
  PipelineChoice pipeline = {};
  /// The order of those entries that it has, in place of the pipeline's.
  ScheduleTable table = {};
  /// In how many rounds a better order of the pipeline's stages is searched, in
  /// which no partition needs more than the limit; 0: none is.
  uint32_t searchRounds = 0;
  int64_t memoryLimit = 0; ///< Bytes; 0: any number.
  /// Called as kernels are compiled, from any thread, one call at a time.
  std::function<void(size_t done, size_t total)> progress;
};

/// What a program takes.
struct ProgramPlan {
  std::vector<PartitionMemory> partitions;
  /// A step of each entry, of one microbatch where it runs any number, by
  /// weights (passes::EntryWeights).
  double stepSeconds = 0;
};

/// What the program takes that exportProgram() makes of the module, without
/// compiling kernels. `model` predicts what stages take. On failure a located
/// error has been emitted.
mlir::FailureOr<ProgramPlan> planProgram(mlir::ModuleOp module,
                                         const ir::WeightStore &weights,
                                         const passes::CostModel &model,
                                         const ExportOptions &options);

/// A program and the bytes that its spans refer to.
struct ExportedProgram {
  Program program;
  std::vector<std::vector<std::byte>> images;
  std::vector<std::byte> constants, weights;
};

/// Compiles the kernels of every stage and lays the program out. `module` holds
/// entries of runs and transfers, and stages of groups whose results have
/// places (smp-materialize-results, smp-plan-memory); `graphs` has what each
/// entry said before it was lowered; `weights` the bytes of stored variables;
/// `model` predicts what stages take. On failure a located error has been
/// emitted.
mlir::FailureOr<ExportedProgram>
exportProgram(mlir::ModuleOp module, std::map<std::string, Graph> graphs,
              const ir::WeightStore &weights, const passes::CostModel &model,
              const ExportOptions &options);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_EXPORT_H
