// SPDX-License-Identifier: Apache-2.0
// The whole ladder as one call, for smp-compile and for applications.

#ifndef SMP_COMPILE_COMPILE_H
#define SMP_COMPILE_COMPILE_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "smp/base/Status.h"
#include "smp/codegen/export/Export.h"
#include "smp/compile/CostChoice.h"
#include "smp/ir/Enums.h"
#include "smp/passes/pipeline/Taps.h"
#include "smp/passes/placement/PlacementRequest.h"

namespace smp::compile {

/// Everything that compiling may meet: the smp dialect, the dialects that
/// kernels are lowered through, and their translation to LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

/// Lowers a passes::numberedCopy() to what groups are formed of: to where
/// placements begin to matter. On failure an error has been emitted.
mlir::LogicalResult lowerNumberedCopy(mlir::ModuleOp copy);

/// Bytes of each tensor that the launches of a group hand to each other, on the
/// target of the stage that it is in; none where that has no kernel for it.
std::vector<int64_t> temporariesOf(ir::GroupOp group);

/// From a placed model to groups: every pass between the partitioner and the
/// stages.
void buildLoweringPipeline(mlir::OpPassManager &passes);

/// From a placed model to stages whose results have places: all that is done
/// before kernels are generated and the program is written.
void buildLadder(mlir::OpPassManager &passes);

/// Makes all passes, and the ladder's parts as named pipelines, known to
/// smp-opt.
void registerPasses();

struct CompileOptions {
  /// What partitions are compiled for: the name of one target for all, or one
  /// for each; empty: what the module says (`smp.targets`), else the first that
  /// is registered, which is cpu.
  std::vector<std::string> targets;
  passes::PlacementRequest placement;
  /// Decides how many devices work, the pipeline and what is placed where
  /// together (passes/placement/PlanAuto.h); the pipeline of `exporting` is not
  /// looked at.
  bool plansAll = false;
  /// What kernels and links take; not given: what the target says.
  std::optional<CostChoice> costs;
  codegen::ExportOptions exporting;
  /// How many microbatches a step has; 0: what each entry says, else 1.
  int64_t microbatches = 0;
  /// How many rows a step has, as many microbatches as it needs for them; 0:
  /// what follows from `microbatches`, which must be 0 where this is not.
  int64_t rows = 0;
  /// Whether a parameter that gets no gradient is a warning, and the gradient
  /// zero; else it is an error.
  bool allowUnused = false;
  /// Which values may be watched while a step runs; null: none, and the program
  /// is the same as if nobody had asked.
  passes::TapChooser isWatched;
  /// Gets the plan as text once ops are placed, with what becomes of each
  /// output; null: nobody asks.
  llvm::raw_ostream *plan = nullptr;
  /// Says there too why the plan is as it is (passes/placement/Explain.h).
  bool explainsPlan = false;
  /// Where the input of a pass that fails on our own IR is left; empty:
  /// nowhere.
  std::string reproducer;
};

/// Sets what a configuration says of compiling: the placement, the pipeline and
/// how many microbatches are active in it.
void configure(const Config &config, CompileOptions &options);

/// Compiles a module: places it, lowers it, generates its kernels. Consumes the
/// module's contents. On failure a located error has been emitted to the
/// context's handlers. The same input gives the same bytes.
mlir::FailureOr<codegen::ExportedProgram>
compile(mlir::ModuleOp module, const ir::WeightStore &weights,
        const CompileOptions &options);

/// A model for microbatches of so many rows. Module and weights are borrowed.
struct SizedModel {
  mlir::ModuleOp module;
  const ir::WeightStore &weights;
  int64_t rows = 0;
};

/// Compiles one of several, which are one model for microbatches of different
/// sizes: that of the plan which is taken of those of all (passes/placement/
/// PlanAuto.h), for which `options.plansAll` must be set. It is an error where
/// a module has other rows than is said, where inputs differ in more than rows,
/// where steps differ in rows, and where an output cannot be joined. Warnings
/// are those of the first model. Consumes the modules' contents.
mlir::FailureOr<codegen::ExportedProgram>
compile(llvm::ArrayRef<SizedModel> models, const CompileOptions &options);

/// Makes a model that returns its loss, in its only entry, one that is trained:
/// the entry is called `train` and has that mode, `loss` names its output, and
/// `optimizer` is JSON text or a file: the fields of smp::Optimizer, as
/// {"kind": "adamw", "learning_rate": 1e-3}. What they say is checked when the
/// module is compiled.
Status trainModule(mlir::ModuleOp module, const std::string &loss,
                   const std::string &optimizer);

/// What a person says becomes of the values that microbatches give to an
/// output: their sum, mean or stack.
struct OutputJoin {
  std::string output;
  ir::JoinKind kind = ir::JoinKind::Stack;
};

/// Sets the joins of a module's outputs before it is compiled, which proves
/// what is not said. Each is of an output that an entry has.
Status sayJoins(mlir::ModuleOp module, llvm::ArrayRef<OutputJoin> joins);

/// The bytes of the module's stored variables, from the safetensors files that
/// their initializers name, relative to `folder`. Files stay mapped as long as
/// the store lives. Adds their paths to `paths`.
StatusOr<ir::WeightStore> loadStoredWeights(mlir::ModuleOp module,
                                            llvm::StringRef folder,
                                            std::vector<std::string> &paths);

/// Writes the program to `path` and, when options kept the weights beside it,
/// the weights next to it.
Status writeExported(const codegen::ExportedProgram &exported,
                     const std::string &path);

} // namespace smp::compile

#endif // SMP_COMPILE_COMPILE_H
