// SPDX-License-Identifier: Apache-2.0
#include "KernelTable.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Threading.h"
#include "smp/codegen/Collapse.h"
#include "smp/codegen/cpu/Image.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace mlir;

namespace smp::codegen {

/// All that decides a group's code: its text without names and placement.
static std::string signatureOf(ir::GroupOp group) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << ir::stringifyStrategy(group.getStrategy())
         << group->getOperandTypes() << group->getResultTypes();
  OpPrintingFlags flags;
  flags.useLocalScope().printGenericOpForm();
  AsmState state(group, flags);
  for (Operation &op : group.getBody().front()) {
    op.print(stream, state);
    stream << "\n";
  }
  return text;
}

KernelTable::KernelTable(MLIRContext *context)
    : copies(ModuleOp::create(UnknownLoc::get(context))) {}

/// A copy of the group, in its simplest shapes, in a function of its own.
ir::GroupOp KernelTable::isolate(ir::GroupOp group) {
  OpBuilder b = OpBuilder::atBlockEnd(copies->getBody());
  auto type =
      b.getFunctionType(group->getOperandTypes(), group->getResultTypes());
  auto function =
      ir::StageOp::create(b, group.getLoc(), "kernel", type, nullptr, nullptr,
                          /*partition=*/0, ir::Unit::Forward);
  SmallVector<Location> locations(group->getNumOperands(), group.getLoc());
  Block *body = b.createBlock(&function.getBody(), {}, group->getOperandTypes(),
                              locations);
  IRMapping mapping;
  mapping.map(group->getOperands(), body->getArguments());
  auto copy = cast<ir::GroupOp>(b.clone(*group, mapping));
  // Code does not depend on what an op derives from.
  copy.getBody().walk([](Operation *op) {
    op->removeAttr(ir::kUnitAttr);
    op->removeAttr(ir::kOriginAttr);
  });
  collapseGroup(copy);
  return copy;
}

uint32_t KernelTable::add(ir::GroupOp group) {
  ir::GroupOp copy = isolate(group);
  auto [found, isNew] =
      numbers.try_emplace(signatureOf(copy), uint32_t(groups.size()));
  if (isNew)
    groups.push_back(copy);
  else
    copy->getParentOp()->erase();
  return found->second;
}

/// For reports: the strategy, its heaviest op, and what it makes.
static std::string nameOf(ir::GroupOp group) {
  Operation *heaviest = nullptr;
  double most = -1;
  for (Operation &op : group.getBody().front())
    if (auto cost = dyn_cast<ir::CostOpInterface>(op);
        cost && cost.getFlops() > most) {
      most = cost.getFlops();
      heaviest = &op;
    }
  std::string name = ir::stringifyStrategy(group.getStrategy()).str();
  if (heaviest)
    name += "." + heaviest->getName().stripDialect().str();
  auto type = cast<RankedTensorType>(group->getResult(0).getType());
  return name + " " + smp::toString(ir::toModel(type));
}

namespace {
/// Some kernels for one level, compiled together.
struct Task {
  const cpu::Level *level;
  size_t begin, end; ///< Kernels.
  SmallVector<char, 0> object;
};
} // namespace

bool needsLaunch(ir::GroupOp group) {
  return group.getStrategy() == ir::Strategy::Scatter ||
         llvm::any_of(group->getResultTypes(), [](Type type) {
           return cast<RankedTensorType>(type).getNumElements() != 0;
         });
}

std::string symbolOf(size_t kernel, StringRef level) {
  return ("k" + Twine(kernel) + "_" + level).str();
}

std::vector<Kernel> KernelTable::describe() const {
  std::vector<Kernel> kernels;
  for (ir::GroupOp group : groups)
    kernels.push_back({nameOf(group),
                       group->getNumOperands() + group->getNumResults(),
                       {},
                       group->getNumResults()});
  return kernels;
}

LogicalResult KernelTable::compile(ModuleOp module,
                                   const ExportOptions &options,
                                   std::vector<Kernel> &kernels,
                                   std::vector<std::byte> &image) {
  // Small modules keep threads busy to the end; the split is part of the
  // output.
  constexpr size_t kKernelsPerModule = 4;
  std::vector<Task> tasks;
  for (const cpu::Level &level : cpu::levels())
    if (options.levels.empty() ||
        llvm::is_contained(options.levels, level.name.str()))
      for (size_t begin = 0; begin < groups.size(); begin += kKernelsPerModule)
        tasks.push_back({&level,
                         begin,
                         std::min(begin + kKernelsPerModule, groups.size()),
                         {}});
  std::mutex mutex;
  size_t done = 0;
  MLIRContext *context = module.getContext();
  cpu::loadLoweringDialects(context);
  auto compileTask = [&](Task &task) -> LogicalResult {
    OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
    SmallVector<cpu::LaunchShape> launches;
    for (size_t i = task.begin; i < task.end; ++i)
      launches.push_back(cpu::emitKernel(
          *code, groups[i], symbolOf(i, task.level->name), *task.level));
    if (failed(cpu::lowerKernels(*code)))
      return failure();
    auto object = cpu::compileObject(*code, *task.level);
    if (failed(object))
      return failure();
    task.object = std::move(*object);
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = task.begin; i < task.end; ++i) {
      const cpu::LaunchShape &launch = launches[i - task.begin];
      KernelVariant variant{"x86-64", task.level->name.str(),
                            0,        symbolOf(i, task.level->name),
                            {},       launch.scratchBytes};
      std::copy(std::begin(launch.grid), std::end(launch.grid), variant.grid);
      kernels[i].variants.push_back(std::move(variant));
    }
    if (options.progress)
      options.progress(++done, tasks.size());
    return success();
  };
  if (failed(failableParallelForEach(context, tasks, compileTask)))
    return failure();
  for (Kernel &kernel : kernels)
    llvm::sort(kernel.variants,
               [](auto &a, auto &b) { return a.level < b.level; });
  if (groups.empty())
    return success();
  std::vector<SmallVector<char, 0>> objects;
  for (Task &task : tasks)
    objects.push_back(std::move(task.object));
  std::string error;
  auto linked = cpu::linkImage(objects, error);
  if (!linked)
    return module.emitError() << "cannot link the kernels: " << error;
  image = std::move(*linked);
  return success();
}

} // namespace smp::codegen
