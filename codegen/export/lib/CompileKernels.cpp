// SPDX-License-Identifier: Apache-2.0
#include "CompileKernels.h"
#include "mlir/IR/Threading.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/MapVector.h"
#include <mutex>

using namespace mlir;

namespace smp::codegen {

using Groups = SmallVector<const PlannedGroup *>;

/// Groups that are compiled together: of one strategy, so that a target may
/// compile some kinds of loops in another way than others, and few, so that
/// threads are busy to the end; but all with a composite of one type, which
/// share code, which come first as they are the most. The split is part of the
/// output.
static std::vector<Groups> split(ArrayRef<const PlannedGroup *> groups) {
  constexpr size_t kFew = 4;
  llvm::MapVector<ir::Strategy, std::vector<Groups>> alike;
  llvm::MapVector<std::pair<OperationName, Type>, Groups> composites;
  for (const PlannedGroup *planned : groups) {
    ir::GroupOp group = planned->group;
    auto found = group.getBody().getOps<ir::DecomposeOpInterface>();
    if (!found.empty()) {
      Operation *op = *found.begin();
      composites[{op->getName(), ir::elementOf(op->getOperand(0))}].push_back(
          planned);
      continue;
    }
    std::vector<Groups> &parts = alike[group.getStrategy()];
    if (parts.empty() || parts.back().size() == kFew)
      parts.emplace_back();
    parts.back().push_back(planned);
  }
  std::vector<Groups> all;
  for (auto &[kind, groups] : composites)
    all.push_back(std::move(groups));
  for (auto &[strategy, parts] : alike)
    llvm::move(parts, std::back_inserter(all));
  return all;
}

namespace {

/// Some groups for one level of their target, compiled together.
struct Task {
  StringRef level;
  Groups groups;
  ObjectCode object;
};

/// An image to be made machine code of.
struct Assembly {
  const Assembler *assembler;
  uint32_t image;
  StringRef architecture;
  AssembledCode code;
};

class KernelCompiler {
public:
  KernelCompiler(ModuleOp module, const ExportOptions &options,
                 std::vector<Kernel> &kernels,
                 std::vector<std::vector<std::byte>> &images,
                 std::vector<ImageInfo> &infos)
      : module(module), options(options), kernels(kernels), images(images),
        infos(infos) {}

  LogicalResult run(const KernelTable &table) {
    for (const PlannedGroup &group : table.groups())
      groupsOf[group.target].push_back(&group);
    if (failed(findAssemblers()))
      return failure();
    for (auto &[target, groups] : groupsOf)
      addTasks(*target, groups);
    if (failed(compile()))
      return failure();
    for (auto &[target, tasks] : tasksOf)
      if (failed(link(*target, tasks)))
        return failure();
    if (failed(assemble()))
      return failure();
    if (llvm::all_of(infos, [](const ImageInfo &info) {
          return info.kind == ImageKind::Elf;
        }))
      infos.clear();
    return success();
  }

private:
  /// Before the work, whether what is asked for can be done.
  LogicalResult findAssemblers() {
    if (!options.assembler)
      return success();
    for (auto &[target, groups] : groupsOf) {
      auto found = target->findAssembler(module.getLoc(), *options.assembler);
      if (failed(found))
        return failure();
      if (*found)
        assemblers[target] = std::move(*found);
    }
    if (!assemblers.empty())
      return success();
    return module.emitError()
           << "images are to be assembled, and no partition has kernels for a "
              "target whose images can be, as 'cuda'; leave that out";
  }

  void addTasks(const Target &target, ArrayRef<const PlannedGroup *> groups) {
    std::vector<Task> &tasks = tasksOf[&target];
    for (StringRef level : target.levels())
      if (options.levels.empty() ||
          llvm::is_contained(options.levels, level.str()))
        for (Groups &part : split(groups))
          tasks.push_back({level, std::move(part), {}});
    target.loadDialects(module.getContext());
  }

  LogicalResult compile() {
    std::vector<std::pair<const Target *, Task *>> all;
    for (auto &[target, tasks] : tasksOf)
      for (Task &task : tasks)
        all.push_back({target, &task});
    return forEach(all, [&](auto &each) -> LogicalResult {
      auto [target, task] = each;
      std::vector<KernelSource> sources;
      for (const PlannedGroup *group : task->groups)
        sources.push_back(sourceOf(*group, task->level));
      auto object = target->compile(module.getLoc(), sources, task->level);
      if (failed(object))
        return failure();
      task->object = std::move(*object);
      return success();
    });
  }

  /// Does work on several threads, and says how much is done.
  template <typename Range, typename Work>
  LogicalResult forEach(Range &all, const Work &work) {
    std::mutex mutex;
    size_t done = 0;
    return failableParallelForEach(module.getContext(), all,
                                   [&](auto &each) -> LogicalResult {
                                     if (failed(work(each)))
                                       return failure();
                                     std::lock_guard<std::mutex> lock(mutex);
                                     if (options.progress)
                                       options.progress(++done, all.size());
                                     return success();
                                   });
  }

  LogicalResult link(const Target &target, std::vector<Task> &tasks) {
    std::vector<ObjectCode> objects;
    for (Task &task : tasks)
      objects.push_back(std::move(task.object));
    FailureOr<LinkedImages> linked = target.link(module.getLoc(), objects);
    if (failed(linked))
      return failure();
    for (size_t i = 0; i < tasks.size(); ++i)
      addVariants(target, tasks[i], objects[i],
                  uint32_t(images.size()) + linked->imageOf[i]);
    if (auto assembler = assemblers.find(&target);
        assembler != assemblers.end())
      for (size_t i = 0; i < linked->images.size(); ++i)
        for (StringRef architecture : assembler->second->architectures())
          assemblies.push_back({assembler->second.get(),
                                uint32_t(images.size() + i),
                                architecture,
                                {}});
    llvm::move(linked->images, std::back_inserter(images));
    ImageInfo info;
    info.kind =
        target.imageForm() == ImageForm::Ptx ? ImageKind::Ptx : ImageKind::Elf;
    infos.resize(images.size(), info);
    return success();
  }

  /// Makes machine code of images that are linked, and puts it behind them.
  LogicalResult assemble() {
    if (failed(forEach(assemblies, [&](Assembly &each) -> LogicalResult {
          auto made = each.assembler->assemble(
              module.getLoc(), images[each.image], each.architecture);
          if (failed(made))
            return failure();
          each.code = std::move(*made);
          return success();
        })))
      return failure();
    for (Assembly &each : assemblies) {
      for (const auto &[symbol, bytes] : each.code.spills)
        emitRemark(placeOf(symbol))
            << "kernel '" << symbol << "' spills " << bytes
            << " bytes per thread on " << each.architecture
            << ": it has more values at a time than registers";
      images.push_back(std::move(each.code.bytes));
      infos.push_back({ImageKind::Cubin, each.image, each.architecture.str()});
    }
    return success();
  }

  /// The group whose code has the symbol.
  Location placeOf(StringRef symbol) {
    for (auto &[target, tasks] : tasksOf)
      for (const Task &task : tasks)
        for (const PlannedGroup *group : task.groups)
          if (llvm::is_contained(sourceOf(*group, task.level).symbols, symbol))
            return ir::GroupOp(group->group).getLoc();
    return module.getLoc();
  }

  void addVariants(const Target &target, const Task &task,
                   const ObjectCode &object, uint32_t image) {
    auto launch = object.launches.begin();
    for (const PlannedGroup *group : task.groups)
      for (auto [i, symbol] :
           llvm::enumerate(sourceOf(*group, task.level).symbols)) {
        KernelVariant variant{
            target.architecture().str(), task.level.str(), image, symbol, {},
            launch->scratchBytes};
        llvm::copy(launch->grid, variant.grid);
        variant.blocks = launch->blocks;
        kernels[group->firstKernel + i].variants.push_back(std::move(variant));
        ++launch;
      }
  }

  ModuleOp module;
  const ExportOptions &options;
  std::vector<Kernel> &kernels;
  std::vector<std::vector<std::byte>> &images;
  std::vector<ImageInfo> &infos;
  // By target, in the order of their first groups.
  llvm::MapVector<const Target *, std::vector<const PlannedGroup *>> groupsOf;
  llvm::MapVector<const Target *, std::vector<Task>> tasksOf;
  llvm::DenseMap<const Target *, std::unique_ptr<Assembler>> assemblers;
  std::vector<Assembly> assemblies;
};

} // namespace

LogicalResult compileKernels(ModuleOp module, const KernelTable &table,
                             const ExportOptions &options,
                             std::vector<Kernel> &kernels,
                             std::vector<std::vector<std::byte>> &images,
                             std::vector<ImageInfo> &infos) {
  return KernelCompiler(module, options, kernels, images, infos).run(table);
}

} // namespace smp::codegen
