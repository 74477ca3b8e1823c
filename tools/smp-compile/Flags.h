// SPDX-License-Identifier: Apache-2.0
// What the command line says.

#ifndef SMP_TOOLS_SMP_COMPILE_FLAGS_H
#define SMP_TOOLS_SMP_COMPILE_FLAGS_H

#include "smp/compile/Compile.h"
#include "smp/tools/ChoiceParser.h"
#include "smp/tools/LoadModel.h"

namespace smp::flags {

namespace cl = llvm::cl;

enum class PlanKind { AsSaid, Auto };

extern cl::OptionCategory category;
extern cl::opt<std::string> inputPath;
extern cl::opt<std::string> outputPath;
extern cl::opt<int64_t> partitions;
extern cl::opt<std::string> configPath;
extern cl::opt<bool> ignoreAnnotations;
extern cl::opt<int64_t> memoryLimit;
extern ImportFlags importFlags;
extern cl::list<std::string> joins;
extern cl::list<std::string> targets;
extern cl::list<std::string> levels;
extern cl::opt<std::string> cubin;
extern cl::opt<std::string> weightsFile;
extern cl::opt<std::string> trainLoss;
extern cl::opt<std::string> optimizer;
extern cl::opt<int64_t> microbatches;
extern cl::opt<int64_t> rows;
extern ChoiceOption<PipelineKind> pipeline;
extern cl::opt<bool> allowUnused;
extern cl::opt<int64_t> activeMicrobatches;
extern cl::opt<int64_t> searchRounds;
extern cl::opt<std::string> scheduleFile;
extern cl::opt<bool> captureAll;
extern cl::opt<std::string> captureConfig;
extern cl::opt<std::string> savePlacement;
extern cl::opt<std::string> loadPlacement;
extern cl::opt<std::string> costs;
extern cl::opt<std::string> costsOf;
extern cl::list<std::string> weights;
extern cl::opt<bool> printPlan;
extern ChoiceOption<PlanKind> planKind;
extern cl::opt<int64_t> planNumber;
extern cl::opt<bool> explain;

} // namespace smp::flags

#endif // SMP_TOOLS_SMP_COMPILE_FLAGS_H
