// SPDX-License-Identifier: Apache-2.0
// Random small modules under memory limits: one is refused only if the memory
// plan of no placement keeps it. All placements are evaluated to know that.

#include "RandomModule.h"
#include "ReadyToPlace.h"
#include "Seed.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/codegen/export/Export.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/catalog/AllPasses.h"
#include "smp/passes/placement/LoweredModel.h"
#include "smp/passes/placement/PlaceWithinLimit.h"
#include "smp/passes/training/Recompute.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <gtest/gtest.h>
#include <limits>

using namespace smp;

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// A module that is ready to be placed, and what its placements need.
class Question {
public:
  Question(mlir::ModuleOp module, int64_t partitions) : module(module) {
    request.partitions = partitions;
    isReady = test::makeReadyToPlace(module);
    module->setAttr(ir::kPartitionsAttr,
                    mlir::Builder(module).getI64IntegerAttr(partitions));
  }

  bool isReady = false;

  /// The least number of bytes that the largest partition of any placement
  /// needs with nothing computed again, by all placements.
  int64_t leastOfAll() {
    mlir::OwningOpRef<mlir::ModuleOp> copy = passes::numberedCopy(module);
    if (failed(compile::lowerNumberedCopy(*copy)))
      return kNever;
    auto plans = passes::ModelPlans::of(std::move(copy), costs,
                                        compile::temporariesOf, {});
    if (!plans)
      return kNever;
    mlir::OwningOpRef<mlir::ModuleOp> placed = module.clone();
    const auto together = opsThatStayTogether(*placed);
    std::vector<int64_t> partitionOf(together.size());
    int64_t least = kNever;
    for (;;) {
      place(*placed, together, partitionOf);
      ++placements;
      const auto figures = plans->evaluate(*placed);
      if (figures && figures->mostBytes() < least) {
        least = figures->mostBytes();
        leastPlaced.clear();
        llvm::raw_string_ostream(leastPlaced) << *placed;
      }
      size_t i = 0;
      while (i < partitionOf.size() && ++partitionOf[i] == request.partitions)
        partitionOf[i++] = 0;
      if (i == partitionOf.size())
        return least;
    }
  }

  /// The bytes of the largest partition of the program, where the limit is
  /// accepted.
  std::optional<int64_t> bytesWithin(int64_t limit) {
    said.clear();
    mlir::ScopedDiagnosticHandler keep(
        module.getContext(), [&](mlir::Diagnostic &diagnostic) {
          said += diagnostic.str() + "\n";
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            said += "  " + note.str() + "\n";
          return mlir::success();
        });
    mlir::OwningOpRef<mlir::ModuleOp> placed = module.clone();
    request.memoryLimit = limit;
    if (failed(passes::placeWithinLimit(
            *placed, request, costs,
            {compile::lowerNumberedCopy,
             [&](mlir::ModuleOp marked) { return bytesOf(marked); },
             compile::temporariesOf})))
      return std::nullopt;
    const auto bytes = bytesOf(*placed);
    EXPECT_TRUE(succeeded(bytes)) << said;
    return succeeded(bytes) ? *std::max_element(bytes->begin(), bytes->end())
                            : kNever;
  }

  std::string leastPlaced; ///< A placement that needs least.
  std::string said;        ///< By the last question, notes included.
  size_t placements = 0;

private:
  using Classes = std::vector<std::vector<mlir::Operation *>>;

  /// What shares a variable, and what derives from an op with it.
  static Classes opsThatStayTogether(mlir::ModuleOp module) {
    const passes::VariableUsers users(module);
    llvm::EquivalenceClasses<mlir::Operation *> classes;
    std::vector<mlir::Operation *> ops;
    std::map<int64_t, mlir::Operation *> firstOf;
    for (auto entry : module.getOps<ir::EntryOp>())
      for (mlir::Operation &op : entry.getBody().front().without_terminator()) {
        if (isCopied(&op))
          continue;
        ops.push_back(&op);
        classes.insert(&op);
        if (auto origin = op.getAttrOfType<mlir::IntegerAttr>(ir::kOriginAttr))
          classes.unionSets(
              &op, firstOf.try_emplace(origin.getInt(), &op).first->second);
      }
    for (const auto &[variable, all] : users.users())
      for (mlir::Operation *op : all)
        classes.unionSets(op, all.front());
    std::map<mlir::Operation *, size_t> numberOf;
    Classes result;
    for (mlir::Operation *op : ops) {
      const auto [number, isNew] =
          numberOf.try_emplace(classes.getLeaderValue(op), result.size());
      if (isNew)
        result.emplace_back();
      result[number->second].push_back(op);
    }
    return result;
  }

  static bool isCopied(mlir::Operation *op) {
    return mlir::isa<ir::ConstantOp>(op) && passes::isCopied(op);
  }

  /// Where constants are, of which each partition has a copy, follows: where
  /// they are first used.
  static void place(mlir::ModuleOp module, const Classes &classes,
                    const std::vector<int64_t> &partitionOf) {
    for (size_t i = 0; i < classes.size(); ++i)
      for (mlir::Operation *op : classes[i])
        ir::setPlacement(op, partitionOf[i], ir::Origin::Solver);
    for (auto entry : module.getOps<ir::EntryOp>())
      for (mlir::Operation &op : llvm::reverse(entry.getBody().front()))
        if (isCopied(&op)) {
          mlir::Operation *first = nullptr;
          for (mlir::Operation *user : op.getUsers())
            if (ir::getPlacement(user) &&
                (!first || user->isBeforeInBlock(first)))
              first = user;
          ir::setPlacement(&op,
                           first ? ir::getPlacement(first).getPartition() : 0,
                           ir::Origin::Propagated);
        }
  }

  mlir::FailureOr<llvm::SmallVector<int64_t>>
  bytesOf(mlir::ModuleOp placed) const {
    mlir::OwningOpRef<mlir::ModuleOp> copy = placed.clone();
    passes::recompute(*copy);
    mlir::PassManager ladder(copy->getContext());
    compile::buildLadder(ladder);
    if (failed(ladder.run(*copy)))
      return mlir::failure();
    auto planned = codegen::planProgram(*copy, {}, costs, {});
    if (failed(planned))
      return mlir::failure();
    llvm::SmallVector<int64_t> bytes;
    for (const PartitionMemory &partition : planned->partitions)
      bytes.push_back(int64_t(partition.total()));
    return bytes;
  }

  mlir::ModuleOp module;
  passes::PlacementRequest request;
  const passes::RooflineModel costs{test::kCore};
};

struct Draws {
  const char *name;
  bool isTrained;
  unsigned modules, ops; ///< Of each at most, on two partitions.
};

class MemoryLimit : public testing::TestWithParam<Draws> {};

TEST_P(MemoryLimit, IsRefusedOnlyIfNoPlacementKeepsIt) {
  const Draws &draws = GetParam();
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  size_t placements = 0;
  unsigned refused = 0;
  for (unsigned i = 0; i < draws.modules && !HasFailure(); ++i) {
    const int64_t partitions = random() % 4 ? 2 : 3;
    const std::string text = test::randomModule(
        random, partitions == 2 ? draws.ops : draws.ops / 2 + 1,
        draws.isTrained);
    SCOPED_TRACE(text);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    if (draws.isTrained) {
      const Status trained =
          compile::trainModule(*module, "loss", R"({"kind": "sgd"})");
      ASSERT_TRUE(trained.ok()) << trained.message();
    }
    Question question(*module, partitions);
    ASSERT_TRUE(question.isReady);
    const int64_t least = question.leastOfAll();
    ASSERT_LT(least, kNever);
    placements += question.placements;
    for (int64_t limit : {least, least + 64, least + least / 50}) {
      const auto bytes = question.bytesWithin(limit);
      ASSERT_TRUE(bytes) << limit << " bytes are refused, but " << least
                         << " suffice for " << question.leastPlaced << "\n"
                         << question.said;
      EXPECT_LE(*bytes, limit);
    }
    const auto bytes = question.bytesWithin(least - 1);
    refused += !bytes;
    // What is computed again may need less.
    if (bytes)
      EXPECT_LT(*bytes, least);
    EXPECT_TRUE(draws.isTrained || !bytes) << least;
  }
  EXPECT_GT(refused, draws.modules / 4);
  std::printf("%u modules with %zu placements, %u limits refused\n",
              draws.modules, placements, refused);
}

INSTANTIATE_TEST_SUITE_P(All, MemoryLimit,
                         testing::Values(Draws{"Inference", false, 200, 7},
                                         Draws{"Trained", true, 100, 3}),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
