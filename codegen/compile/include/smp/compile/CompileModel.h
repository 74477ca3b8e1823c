// SPDX-License-Identifier: Apache-2.0
// Compiling in an application: a model that a GraphBuilder made becomes a
// program. No MLIR in this header.
//
//   auto model = std::move(g).finish();
//   auto program = smp::compile::compileModel(model.take());
//   auto shared = smp::SharedProgram::read(program->bytes());

#ifndef SMP_COMPILE_COMPILEMODEL_H
#define SMP_COMPILE_COMPILEMODEL_H

#include "smp/base/Status.h"
#include "smp/compile/CostChoice.h"
#include "smp/import/Model.h"
#include "smp/model/ScheduleTable.h"
#include "smp/passes/placement/PlacementRequest.h"
#include "smp/serialization/Program.h"
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace smp::compile {

struct ModelOptions {
  /// Not given: what smp::init() was told or, without that, one partition.
  std::optional<passes::PlacementRequest> placement;
  /// Decides how many of the partitions have work, how many parts of the model
  /// each has, the pipeline and what is computed again together, by simulated
  /// time, and which of several sizes microbatches have; then `pipeline` and
  /// `activeMicrobatches` are not looked at.
  bool plansAll = false;
  /// What kernels and links take, as it was measured; not given: what the
  /// targets say.
  std::optional<CostChoice> costs;
  /// What partitions are compiled for: the name of one target for all, or one
  /// for each; empty: cpu.
  std::vector<std::string> targets;
  /// Levels to compile kernels for, of whichever target; empty: all.
  std::vector<std::string> levels;
  /// The ptxas that makes cubins, beside the PTX, of kernels for `cuda`: a
  /// path, or empty for the one on the PATH. Not given: none are made.
  std::optional<std::string> cubins;
  /// Keeps weights in a file of this name beside the program; empty: inside.
  std::string weightsFile;
  /// The order of forward and backward work of entries that are trained. Not
  /// given: what smp::init() was told or, without that, Interleaved.
  std::optional<PipelineKind> pipeline;
  /// The most microbatches that are begun and not finished; 0: what smp::init()
  /// was told or, without that, what is usual for the pipeline.
  uint32_t activeMicrobatches = 0;
  /// The order of work of the entries that it has, in place of the pipeline's.
  ScheduleTable schedule = {};
  /// In how many rounds a better order than the pipeline's is searched, within
  /// the memory limit; 0: none is.
  uint32_t searchRounds = 0;
  /// Whether a parameter that gets no gradient has the gradient zero; else it
  /// is an error.
  bool allowUnused = false;
  /// Which values may be watched while a step runs, by name and what they are
  /// to their entry; null: none, and the program is the same as if nobody had
  /// asked.
  std::function<bool(std::string_view name, TapRole role)> capture;
  /// Gets the plan as text once ops are placed, and what is computed again so
  /// that a memory limit holds; null: nobody asks.
  std::string *plan = nullptr;
  /// Called as kernels are compiled, from any thread, one call at a time.
  std::function<void(size_t done, size_t total)> progress;
};

/// A program, in memory.
class CompiledModel {
public:
  /// As a Session reads them.
  std::span<const std::byte> bytes() const { return programBytes; }
  /// Those beside the program; empty when they are inside.
  std::span<const std::byte> weights() const { return weightBytes; }
  /// Writes the program to `path` and the weights beside it, if that is where
  /// they belong. Files appear complete or not at all.
  Status write(const std::string &path) const;

private:
  friend class ModelCompiler;
  std::vector<std::byte> programBytes, weightBytes;
  std::string weightsFile;
};

/// Places, lowers and compiles a model. The error names the op that is at
/// fault.
StatusOr<CompiledModel> compileModel(Model model,
                                     const ModelOptions &options = {});

/// Builds a model for microbatches of so many rows.
using ModelOfRows = std::function<StatusOr<Model>(int64_t rows)>;

/// Compiles the model for one of several sizes of its microbatches: the one of
/// the plan that is taken of those of all sizes, which `options.plansAll` must
/// ask for. `build` is called once for each size, and makes one model: with the
/// same inputs but for their rows, and steps of the same rows, so that entries
/// that fix their microbatches have as many as these are. The program's
/// signature has the size.
StatusOr<CompiledModel> compileModel(const ModelOfRows &build,
                                     std::span<const int64_t> sizes,
                                     const ModelOptions &options);

/// Writes the model as .mlir text, which smp-compile and smp-opt read, and the
/// weights that it was given beside it: m.mlir and m.safetensors.
Status writeModel(Model &model, const std::string &path);

} // namespace smp::compile

#endif // SMP_COMPILE_COMPILEMODEL_H
