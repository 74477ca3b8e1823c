// SPDX-License-Identifier: Apache-2.0
// Random placements of random graphs: the stages compute what the entry did.

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/Placement.h"
#include "smp/passes/catalog/AllPasses.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace smp::ir;

namespace {

/// What a value is computed from, whatever stages and transfers lie between.
class Meaning {
public:
  explicit Meaning(ModuleOp module) : symbols(module) {}

  /// One hash per result of the entry.
  std::vector<size_t> ofResults(EntryOp entry) {
    Block &body = entry.getBody().front();
    std::vector<size_t> arguments;
    for (size_t i = 0; i < body.getNumArguments(); ++i)
      arguments.push_back(1000 + i);
    return ofBlock(body, arguments);
  }

  size_t numRuns = 0;

private:
  std::vector<size_t> ofBlock(Block &block,
                              const std::vector<size_t> &arguments) {
    llvm::DenseMap<Value, size_t> known;
    for (auto [argument, meaning] : llvm::zip(block.getArguments(), arguments))
      known[argument] = meaning;
    auto operandsOf = [&](Operation &op) {
      std::vector<size_t> operands;
      for (Value operand : op.getOperands())
        operands.push_back(known.at(operand));
      return operands;
    };
    for (Operation &op : block.without_terminator()) {
      std::vector<size_t> operands = operandsOf(op);
      if (isa<TransferOp>(op)) {
        known[op.getResult(0)] = operands[0];
      } else if (auto run = dyn_cast<RunOp>(op)) {
        ++numRuns;
        auto stage = symbols.lookup<StageOp>(run.getStage());
        checkStage(stage);
        std::vector<size_t> results =
            ofBlock(stage.getBody().front(), operands);
        for (auto [result, meaning] : llvm::zip(run.getOutputs(), results))
          known[result] = meaning;
      } else {
        size_t hash = hashOf(op);
        for (size_t operand : operands)
          hash = llvm::hash_combine(hash, operand);
        for (Value result : op.getResults())
          known[result] = hash;
      }
    }
    return operandsOf(*block.getTerminator());
  }

  /// The op and its own attributes, without its placement.
  static size_t hashOf(Operation &op) {
    return llvm::hash_combine(op.getName().getStringRef(), op.hashProperties());
  }

  static void checkStage(StageOp stage) {
    for (Operation &op : stage.getBody().front().without_terminator()) {
      EXPECT_FALSE(isa<TransferOp>(op));
      EXPECT_EQ(getPlacement(&op).getPartition(),
                int64_t(stage.getPartition()));
    }
  }

  SymbolTable symbols;
};

class RandomEntry {
public:
  RandomEntry(MLIRContext &context, unsigned seed)
      : random(seed), b(&context) {}

  OwningOpRef<ModuleOp> build() {
    partitions = 1 + pick(4);
    OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
    (*module)->setAttr(kPartitionsAttr, b.getI64IntegerAttr(partitions));
    b.setInsertionPointToStart(module->getBody());
    type = RankedTensorType::get({4}, b.getF32Type());
    for (StringRef name : {"v0", "v1", "v2"})
      VariableOp::create(b, b.getUnknownLoc(), name, VariableKind::Parameter,
                         SplatAttr::get(b.getContext(), APFloat(0.0)), type);
    auto name = [&](StringRef text) -> Attribute {
      return b.getDictionaryAttr(
          b.getNamedAttr(kNameAttr, b.getStringAttr(text)));
    };
    unsigned results = 1 + pick(3);
    SmallVector<Attribute> resultNames;
    for (unsigned i = 0; i < results; ++i)
      resultNames.push_back(name("r" + std::to_string(i)));
    auto entry = EntryOp::create(
        b, b.getUnknownLoc(), "e",
        b.getFunctionType({type, type}, SmallVector<Type>(results, type)),
        b.getArrayAttr({name("x"), name("y")}), b.getArrayAttr(resultNames),
        Mode::Predict);
    Block *body = b.createBlock(&entry.getBody(), {}, {type, type},
                                {b.getUnknownLoc(), b.getUnknownLoc()});
    llvm::append_range(values, body->getArguments());
    for (unsigned i = 0, count = 1 + pick(25); i < count; ++i)
      values.push_back(makeOp());
    SmallVector<Value> returned;
    for (unsigned i = 0; i < results; ++i)
      returned.push_back(anyValue());
    ReturnOp::create(b, b.getUnknownLoc(), returned);
    return module;
  }

private:
  unsigned pick(unsigned below) { return unsigned(random() % below); }
  Value anyValue() { return values[pick(unsigned(values.size()))]; }

  Value makeOp() {
    Location loc = b.getUnknownLoc();
    Value made;
    unsigned variable = pick(3);
    switch (pick(5)) {
    case 0:
      made = ConstantOp::create(b, loc,
                                DenseElementsAttr::get(type, float(pick(100))));
      break;
    case 1: // Its users are all where the variable is, or on all partitions.
      made = ReadOp::create(b, loc, type, "v" + std::to_string(variable));
      break;
    case 2:
      made = ExpOp::create(b, loc, anyValue());
      break;
    default:
      made = AddOp::create(b, loc, anyValue(), anyValue());
    }
    int64_t partition = pick(6) == 0 ? PlacementAttr::kAll : pick(partitions);
    setPlacement(made.getDefiningOp(), partition,
                 pick(2) ? Origin::User : Origin::Solver);
    return made;
  }

  std::mt19937 random;
  OpBuilder b;
  RankedTensorType type;
  unsigned partitions = 1;
  SmallVector<Value> values;
};

TEST(Staging, KeepsTheMeaningOfRandomGraphs) {
  unsigned seed = std::random_device{}();
  if (const char *given = std::getenv("SMP_TEST_SEED"))
    seed = unsigned(std::stoul(given));
  MLIRContext context;
  context.loadDialect<SmpDialect>();
  size_t numRuns = 0;
  for (unsigned round = 0; round < 150 && !testing::Test::HasFailure();
       ++round) {
    SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed + round));
    OwningOpRef<ModuleOp> module = RandomEntry(context, seed + round).build();
    ASSERT_TRUE(succeeded(verify(*module)));
    auto entry = *module->getOps<EntryOp>().begin();
    std::vector<size_t> before = Meaning(*module).ofResults(entry);
    PassManager manager(&context);
    smp::passes::buildStagePipeline(manager);
    ASSERT_TRUE(succeeded(manager.run(*module)));
    Meaning after(*module);
    EXPECT_EQ(after.ofResults(entry), before);
    numRuns += after.numRuns;
    for (Operation &op : entry.getBody().front())
      EXPECT_TRUE((isa<RunOp, TransferOp, ReturnOp>(op)));
  }
  EXPECT_GT(numRuns, 150u);
}

} // namespace
