// SPDX-License-Identifier: Apache-2.0
// What a plan says of other placements, against all placements.

#include "smp/passes/placement/Plan.h"
#include "SeededTest.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Target.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/placement/Explain.h"
#include "smp/passes/placement/Passes.h"
#include <functional>
#include <gtest/gtest.h>
#include <map>

using namespace mlir;
using namespace smp::ir;
using namespace smp::passes;

namespace {

/// An entry of products with variables and of elementwise ops, so that kernels
/// have several ops; a part of it may be backward work. Users pin some ops.
class RandomEntry {
public:
  RandomEntry(MLIRContext &context, std::mt19937 &random)
      : random(random), b(&context) {}

  OwningOpRef<ModuleOp> build(bool isTrained) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
    (*module)->setAttr(kPartitionsAttr, b.getI64IntegerAttr(2 + pick(2)));
    b.setInsertionPointToStart(module->getBody());
    type = RankedTensorType::get({kSize, kSize},
                                 pick(2) ? b.getF32Type() : b.getF64Type());
    for (StringRef name : {"v0", "v1", "v2"})
      VariableOp::create(b, b.getUnknownLoc(), name, VariableKind::Parameter,
                         SplatAttr::get(b.getContext(), APFloat(0.0)), type);
    auto named = [&](StringRef text) {
      return b.getArrayAttr(b.getDictionaryAttr(
          b.getNamedAttr(kNameAttr, b.getStringAttr(text))));
    };
    auto entry = EntryOp::create(b, b.getUnknownLoc(), "e",
                                 b.getFunctionType({type}, {type}), named("x"),
                                 named("y"), Mode::Predict);
    if (isTrained)
      entry->setAttr(kMicrobatchesAttr, b.getI64IntegerAttr(4));
    values.assign(
        1, b.createBlock(&entry.getBody(), {}, {type}, {b.getUnknownLoc()})
               ->getArgument(0));
    const unsigned count = 3 + pick(4);
    for (unsigned i = 0; i < count; ++i)
      addOp(isTrained && i >= count / 2);
    ReturnOp::create(b, b.getUnknownLoc(), values.back());
    return module;
  }

private:
  static constexpr int64_t kSize = 96;

  unsigned pick(unsigned below) { return unsigned(random() % below); }
  /// Rather a late one: longer kernels.
  Value anyValue() {
    return pick(3) ? values.back() : values[pick(unsigned(values.size()))];
  }

  Value makeOp() {
    Location loc = b.getUnknownLoc();
    switch (pick(4)) {
    case 0: {
      Value operand = anyValue();
      Value weight =
          ReadOp::create(b, loc, type, "v" + std::to_string(pick(3)));
      return DotGeneralOp::create(b, loc, type, operand, weight,
                                  ArrayRef<int64_t>(), ArrayRef<int64_t>(),
                                  ArrayRef<int64_t>{1}, ArrayRef<int64_t>{0});
    }
    case 1:
      return ExpOp::create(b, loc, anyValue());
    case 2:
      return AddOp::create(b, loc, anyValue(), anyValue());
    default:
      return ReluOp::create(b, loc, anyValue());
    }
  }

  void addOp(bool isBackward) {
    values.push_back(makeOp());
    Operation *op = values.back().getDefiningOp();
    if (isBackward) {
      op->setAttr(kUnitAttr,
                  smp::ir::UnitAttr::get(b.getContext(), Unit::BackwardInput));
      op->setAttr(kOriginAttr, b.getI64IntegerAttr(pick(2)));
    } else if (pick(2)) {
      op->setAttr(kOriginAttr, b.getI64IntegerAttr(pick(2)));
    }
    if (pick(6) == 0)
      setPlacement(op, 0, Origin::User);
  }

  std::mt19937 &random;
  OpBuilder b;
  RankedTensorType type;
  std::vector<Value> values;
};

/// The ops of a module that only the solver binds, reads with their variable's
/// users, and all their placements.
class Placements {
public:
  explicit Placements(ModuleOp module)
      : module(module), partitions(getNumPartitions(module)), users(module) {
    module.walk([&](Operation *op) {
      if (isa_and_nonnull<EntryOp>(op->getParentOp()) && !isa<ReturnOp>(op) &&
          !getPlacement(op))
        free.push_back(op);
    });
  }

  /// Calls `visit` with the module placed in every sound way.
  void forAll(const std::function<void()> &visit, size_t from = 0) {
    if (from == free.size()) {
      if (isSound())
        visit();
      return;
    }
    for (int64_t p = 0; p < partitions; ++p) {
      setPlacement(free[from], p, Origin::Solver);
      forAll(visit, from + 1);
    }
  }

  /// Some sound placement that the solver may choose, if a few draws find one.
  bool draw(std::mt19937 &random) {
    for (int i = 0; i < 200; ++i) {
      for (Operation *op : free)
        setPlacement(op, int64_t(random() % unsigned(partitions)),
                     Origin::Solver);
      if (isSound() && keepsOrigins())
        return true;
    }
    return false;
  }

  void clear() {
    for (Operation *op : free)
      op->removeAttr(kPlacementAttr);
  }

private:
  /// Whether ops that share a variable share a partition.
  bool isSound() const {
    for (const auto &[variable, ops] : users.users())
      for (Operation *op : ops)
        if (getPlacement(op).getPartition() !=
            getPlacement(ops.front()).getPartition())
          return false;
    return true;
  }

  /// Whether what derives from an op is where the op is.
  bool keepsOrigins() {
    std::map<int64_t, int64_t> partitionOf;
    bool isKept = true;
    module.walk([&](Operation *op) {
      if (auto origin = op->getAttrOfType<IntegerAttr>(kOriginAttr)) {
        int64_t partition = getPlacement(op).getPartition();
        isKept &=
            partitionOf.try_emplace(origin.getInt(), partition).first->second ==
            partition;
      }
    });
    return isKept;
  }

  ModuleOp module;
  int64_t partitions;
  VariableUsers users;
  std::vector<Operation *> free;
};

struct Figures {
  double seconds = 0;
  int64_t bytes = 0;
};

Figures figuresOf(ModuleOp module) {
  Figures most;
  for (const PartitionLoad &load :
       predictLoads(module, RooflineModel(targetOf(module, 0)), {})) {
    most.seconds = std::max(most.seconds, load.seconds());
    most.bytes = std::max(most.bytes, load.bytes());
  }
  return most;
}

class PlanBound : public smp::SeededTest {
protected:
  PlanBound() { context.loadDialect<SmpDialect>(); }

  /// Of the module placed by the solver.
  double solve(ModuleOp module, int64_t memoryLimit, bool contiguous) {
    OwningOpRef<ModuleOp> placed = module.clone();
    PassManager manager(&context);
    PlacementRequest request;
    request.memoryLimit = memoryLimit;
    request.contiguous = contiguous;
    const RooflineModel model(targetOf(*placed, 0));
    buildPlacementPipeline(manager, request, model);
    EXPECT_TRUE(succeeded(manager.run(*placed)));
    Plan plan = describePlan(*placed, model);
    EXPECT_LE(plan.bound.value(), plan.bottleneck);
    bounds.push_back(*plan.bound);
    return plan.bottleneck;
  }

  MLIRContext context;
  std::vector<double> bounds;
};

TEST_F(PlanBound, IsNotAboveAnyPlacement) {
  unsigned tight = 0, limited = 0;
  for (unsigned round = 0; round < 150 && !HasFailure(); ++round) {
    OwningOpRef<ModuleOp> module =
        RandomEntry(context, random).build(/*isTrained=*/round % 2);
    Placements placements(*module);
    int64_t limit = 0;
    if (placements.draw(random)) {
      limit = figuresOf(*module).bytes;
      ++limited;
    }
    double best = 1e30, bestWithin = 1e30;
    placements.forAll([&] {
      Figures figures = figuresOf(*module);
      best = std::min(best, figures.seconds);
      if (figures.bytes <= limit)
        bestWithin = std::min(bestWithin, figures.seconds);
    });
    if (best == 1e30)
      continue; // Pins that contradict each other.
    placements.clear();
    bounds.clear();
    for (bool contiguous : {false, true}) {
      EXPECT_GE(solve(*module, 0, contiguous), best * (1 - 1e-9));
      if (limit) {
        EXPECT_GE(solve(*module, limit, contiguous), bestWithin * (1 - 1e-9));
      }
    }
    for (double bound : bounds) {
      EXPECT_LE(bound, best * (1 + 1e-9));
      tight += bound > best * (1 - 1e-9);
    }
  }
  EXPECT_GT(limited, 75u);
  EXPECT_GT(tight, 150u);
}

TEST_F(PlanBound, IsNoWorseWithMoreStages) {
  // With the first seeds limits divide kernels, and parts that are together
  // again decide which placement is better.
  for (uint32_t each : {558661261u, 4291241351u, seed}) {
    SCOPED_TRACE("seed " + std::to_string(each));
    random.seed(each);
    for (unsigned round = 0; round < 60 && !HasFailure(); ++round) {
      OwningOpRef<ModuleOp> module =
          RandomEntry(context, random).build(/*isTrained=*/round % 2);
      Placements placements(*module);
      if (!placements.draw(random))
        continue;
      int64_t limit = figuresOf(*module).bytes;
      placements.clear();
      for (int64_t bytes : {int64_t(0), limit})
        EXPECT_LE(solve(*module, bytes, /*contiguous=*/false),
                  solve(*module, bytes, /*contiguous=*/true) * (1 + 1e-9));
    }
  }
}

/// The module without the pins of ops of that name.
OwningOpRef<ModuleOp> withoutPin(ModuleOp module, const std::string &name) {
  OwningOpRef<ModuleOp> copy = module.clone();
  copy->walk([&](Operation *op) {
    if (PlacementAttr pin = getPlacement(op);
        pin && pin.isUser() && describe(op) == name)
      op->removeAttr(kPlacementAttr);
  });
  return copy;
}

TEST_F(PlanBound, IsExplainedByOtherPlans) {
  unsigned pins = 0, cheaper = 0, moves = 0, dearer = 0, limits = 0;
  for (unsigned round = 0; round < 80 && !HasFailure(); ++round) {
    OwningOpRef<ModuleOp> module =
        RandomEntry(context, random).build(/*isTrained=*/false);
    Placements placements(*module);
    if (!placements.draw(random))
      continue;
    PlacementRequest request{.contiguous = false};
    request.memoryLimit = round % 2 ? figuresOf(*module).bytes : 0;
    placements.clear();
    const RooflineModel model(targetOf(*module, 0));
    OwningOpRef<ModuleOp> placed = module->clone();
    PassManager manager(&context);
    buildPlacementPipeline(manager, request, model);
    ASSERT_TRUE(succeeded(manager.run(*placed)));
    const Explanation all = explainPlan(*placed, *module, model, request);
    const double now = describePlan(*placed, model).bottleneck;
    EXPECT_EQ(all.bottleneck, now);
    for (const Explanation::Pin &pin : all.pins) {
      if (!pin.bottleneck)
        continue;
      OwningOpRef<ModuleOp> other = withoutPin(*module, pin.name);
      EXPECT_NEAR(*pin.bottleneck,
                  solve(*other, request.memoryLimit, /*contiguous=*/false),
                  1e-9 * now);
      EXPECT_LE(*pin.bound, *pin.bottleneck);
      ++pins;
      cheaper += *pin.bottleneck < now * (1 - 1e-9);
    }
    // Nothing is left that one move makes better.
    for (const Explanation::Move &move : all.moves) {
      EXPECT_TRUE(move.isOverLimit || move.bottleneck >= now * (1 - 1e-9));
      ++moves;
      dearer += move.bottleneck > now * (1 + 1e-9);
    }
    ASSERT_EQ(all.bottleneckWithoutLimit.has_value(), request.memoryLimit > 0);
    if (all.bottleneckWithoutLimit) {
      EXPECT_NEAR(*all.bottleneckWithoutLimit,
                  solve(*module, 0, /*contiguous=*/false), 1e-9 * now);
      ++limits;
      if (all.doesLimitBind)
        EXPECT_LT(*all.bottleneckWithoutLimit, now);
      EXPECT_FALSE(all.isComputedAgain);
    }
  }
  EXPECT_GT(pins, 10u);
  EXPECT_GT(cheaper, 0u);
  EXPECT_GT(moves, 20u);
  EXPECT_GT(dearer, moves / 4);
  EXPECT_GT(limits, 10u);
}

} // namespace
