// SPDX-License-Identifier: Apache-2.0
// Drawn sets of pins on whole networks: all kept, or refused with as few names
// as there are pins that conflict.

#include "CharModel.h"
#include "ImportLight.h"
#include "ReadyToPlace.h"
#include "Seed.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/compile/Compile.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Placement.h"
#include "smp/passes/catalog/AllPasses.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace smp;

namespace {

/// Of each of six networks: a thousand together.
constexpr unsigned kSets = 167;
/// On an op: which of the pins it has.
constexpr llvm::StringLiteral kPinAttr = "test.pin";

struct Pin {
  size_t op = 0; ///< A number of the walk.
  int64_t partition = 0;
};

/// What became of a module with pins.
struct Outcome {
  bool isKept = false;
  size_t named = 0; ///< Ops that the error names; of several the fewest.
  std::string error;
};

/// A module that is ready to be placed.
class Question {
public:
  explicit Question(mlir::ModuleOp module) : module(module) {
    // Notes are those of other names alone.
    module.getContext()->printOpOnDiagnostic(false);
    isReady = test::makeReadyToPlace(module);
  }

  bool isReady = false;

  size_t numOps() { return opsOf(module).size(); }

  Outcome place(const std::vector<Pin> &pins, int64_t partitions) {
    mlir::OwningOpRef<mlir::ModuleOp> placed = module.clone();
    const std::vector<mlir::Operation *> ops = opsOf(*placed);
    mlir::Builder b(module.getContext());
    for (size_t i = 0; i < pins.size(); ++i) {
      ir::setPlacement(ops[pins[i].op], pins[i].partition, ir::Origin::User);
      ops[pins[i].op]->setAttr(kPinAttr, b.getI64IntegerAttr(int64_t(i)));
    }
    Outcome outcome;
    mlir::ScopedDiagnosticHandler handler(
        module.getContext(), [&](mlir::Diagnostic &error) {
          const auto notes = error.getNotes();
          const size_t names =
              1 + size_t(std::distance(notes.begin(), notes.end()));
          outcome.named =
              outcome.named ? std::min(outcome.named, names) : names;
          outcome.error += error.str() + "\n";
          return mlir::success();
        });
    passes::PlacementRequest request;
    request.partitions = partitions;
    mlir::PassManager manager(module.getContext());
    passes::buildPlacementPipeline(manager, request, costs);
    outcome.isKept = succeeded(manager.run(*placed));
    if (outcome.isKept)
      expectKept(*placed, pins);
    return outcome;
  }

private:
  /// Those that somebody can pin.
  static std::vector<mlir::Operation *> opsOf(mlir::ModuleOp module) {
    std::vector<mlir::Operation *> ops;
    for (auto entry : module.getOps<ir::EntryOp>())
      for (mlir::Operation &op : entry.getBody().front().without_terminator())
        if (!ir::getPlacement(&op))
          ops.push_back(&op);
    return ops;
  }

  /// That each pinned op, or all parts of it, is where it was pinned to.
  void expectKept(mlir::ModuleOp placed, const std::vector<Pin> &pins) const {
    std::vector<bool> isThere(pins.size());
    placed.walk([&](mlir::Operation *op) {
      const auto pin = op->getAttrOfType<mlir::IntegerAttr>(kPinAttr);
      if (!pin)
        return;
      const auto number = size_t(pin.getInt());
      const ir::PlacementAttr placement = ir::getPlacement(op);
      ASSERT_TRUE(placement && placement.isUser());
      EXPECT_EQ(placement.getPartition(), pins[number].partition);
      isThere[number] = true;
    });
    EXPECT_EQ(std::ranges::count(isThere, false), 0);
  }

  mlir::ModuleOp module;
  const passes::RooflineModel costs{test::kCore};
};

/// Calls `visit` with all sets of `size` pins, until it says that it is enough.
template <typename Visit>
bool anySubset(const std::vector<Pin> &pins, size_t size, Visit visit) {
  std::vector<bool> isIn(pins.size());
  std::fill_n(isIn.begin(), size, true);
  do {
    std::vector<Pin> some;
    for (size_t i = 0; i < pins.size(); ++i)
      if (isIn[i])
        some.push_back(pins[i]);
    if (visit(some))
      return true;
  } while (std::prev_permutation(isIn.begin(), isIn.end()));
  return false;
}

void drawSets(mlir::ModuleOp module, const std::string &name) {
  Question question(module);
  ASSERT_TRUE(question.isReady);
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  auto below = [&](size_t count) { return size_t(random() % count); };
  unsigned kept = 0, refused = 0;
  for (unsigned i = 0; i < kSets && !testing::Test::HasFailure(); ++i) {
    const auto partitions = int64_t(2 + below(3));
    // Neighbours conflict more often than others.
    const size_t first = below(question.numOps());
    const size_t width = i % 2 ? question.numOps() : 12;
    std::vector<Pin> pins;
    for (size_t count = 1 + below(6); count > 0; --count) {
      const Pin pin{(first + below(width)) % question.numOps(),
                    int64_t(below(size_t(partitions) + (below(20) == 0)))};
      if (std::none_of(pins.begin(), pins.end(),
                       [&](const Pin &other) { return other.op == pin.op; }))
        pins.push_back(pin);
    }
    const Outcome outcome = question.place(pins, partitions);
    if (outcome.isKept) {
      ++kept;
      continue;
    }
    ++refused;
    std::string refusal;
    auto isRefused = [&](const std::vector<Pin> &some) {
      const Outcome one = question.place(some, partitions);
      refusal = one.error;
      return !one.isKept;
    };
    ASSERT_LE(outcome.named, pins.size()) << outcome.error;
    EXPECT_TRUE(anySubset(pins, outcome.named, isRefused)) << outcome.error;
    for (size_t size = 0; size < outcome.named; ++size)
      EXPECT_FALSE(anySubset(pins, size, isRefused))
          << size << " of these: " << outcome.error << refusal;
  }
  std::printf("%s: %u sets of pins kept, %u refused\n", name.c_str(), kept,
              refused);
}

class LightPins : public testing::TestWithParam<const char *> {};

TEST_P(LightPins, AreKeptOrRefused) {
  test::importLight(GetParam(), [](mlir::ModuleOp module, const auto &) {
    drawSets(module, GetParam());
  });
}

INSTANTIATE_TEST_SUITE_P(All, LightPins,
                         testing::Values("resnet50", "squeezenet",
                                         "inception_v1", "shufflenet", "vgg19"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

TEST(TrainedPins, AreKeptOrRefused) {
  char_lm::Shape shape;
  shape.characters = 65;
  shape.batch = 3;
  auto model = char_lm::buildModel(shape);
  ASSERT_TRUE(model.ok()) << model.status().message();
  mlir::ModuleOp module = *model->parts().module;
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  module.getContext()->appendDialectRegistry(registry);
  module.getContext()->loadAllAvailableDialects();
  drawSets(module, "characters");
}

} // namespace
