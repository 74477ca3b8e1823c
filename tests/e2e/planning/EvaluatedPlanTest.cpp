// SPDX-License-Identifier: Apache-2.0
// The bytes that are evaluated for a placement, against the layout of the
// program that it makes.

#include "CharModel.h"
#include "ImportLight.h"
#include "Networks.h"
#include "ReadyToPlace.h"
#include "Seed.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/codegen/export/Export.h"
#include "smp/compile/Compile.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Placement.h"
#include "smp/passes/EntryWeights.h"
#include "smp/passes/catalog/AllPasses.h"
#include "smp/passes/placement/LoweredModel.h"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace smp;

namespace {

/// How far bytes may be from the layout's, in parts of it.
constexpr double kBound = 0.001;
/// Or by so many bytes: texts have scalars that are more than a part of them.
constexpr double kFewBytes = 512;
/// What sums of the same seconds differ by, in parts of them.
constexpr double kRounding = 1e-9;

/// What kernels take follows from the digests of their signatures too, as far
/// as bounds do not notice: to the last bits it is the same in what is
/// evaluated and in the program only where the digests are.
class DigestModel : public passes::RooflineModel {
public:
  DigestModel() : RooflineModel(test::kCore) {}
  using RooflineModel::seconds;
  double seconds(const passes::Work &work,
                 passes::DigestOf digestOf) const override {
    return work.flops == 0 && work.bytes == 0
               ? 0
               : RooflineModel::seconds(work) *
                     (1 + 1e-6 * double(digestOf() % 97));
  }
  double stageSeconds() const override { return 3e-6; }
};

/// How far bytes are from the layout's, in parts of it, by partition.
struct Deviation {
  double most = 0, sum = 0;
  unsigned count = 0;
  unsigned ofOtherKernels = 0; ///< Those whose program has other kernels.

  void add(double error) {
    most = std::max(most, error);
    sum += error;
    ++count;
  }
  Deviation &operator+=(const Deviation &more) {
    most = std::max(most, more.most);
    sum += more.sum;
    count += more.count;
    ofOtherKernels += more.ofOtherKernels;
    return *this;
  }
};

/// Evaluates placements of a module and makes programs of them.
class Comparison {
public:
  Comparison(const ir::WeightStore &weights, passes::PipelineChoice pipeline)
      : weights(weights), pipeline(pipeline) {}

  /// Pins some ops of the module, as a person could.
  static void pin(mlir::ModuleOp module, unsigned count, int64_t partitions,
                  std::mt19937 &random) {
    std::vector<mlir::Operation *> ops;
    for (auto entry : module.getOps<ir::EntryOp>())
      for (mlir::Operation &op : entry.getBody().front().without_terminator())
        if (!ir::getPlacement(&op))
          ops.push_back(&op);
    for (unsigned i = 0; i < count && !ops.empty(); ++i)
      ir::setPlacement(ops[random() % ops.size()],
                       int64_t(random() % unsigned(partitions)),
                       ir::Origin::User);
  }

  /// Places the module by the solver; false where pins contradict each other.
  bool place(mlir::ModuleOp module, int64_t partitions) {
    passes::PlacementRequest request;
    request.partitions = partitions;
    request.pipeline = pipeline;
    mlir::PassManager manager(module.getContext());
    if (dividesBackward(pipeline))
      manager.addPass(passes::createDivideBackwardPass());
    passes::buildPlacementPipeline(manager, request, costs);
    return succeeded(manager.run(module));
  }

  /// Compares the bytes of each partition, and keeps the deviations.
  void compare(mlir::ModuleOp placed, const std::string &what) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = passes::numberedCopy(placed);
    ASSERT_TRUE(succeeded(compile::lowerNumberedCopy(*copy)));
    auto plans = passes::ModelPlans::of(std::move(copy), costs,
                                        compile::temporariesOf, pipeline);
    ASSERT_TRUE(plans);
    const auto figures = plans->evaluate(placed);

    mlir::PassManager ladder(placed.getContext());
    compile::buildLadder(ladder);
    const bool hasStages = succeeded(ladder.run(placed));
    ASSERT_EQ(hasStages, figures.has_value()) << what;
    if (!hasStages)
      return;
    codegen::ExportOptions options;
    options.pipeline = pipeline;
    auto planned = codegen::planProgram(placed, weights, costs, options);
    ASSERT_TRUE(succeeded(planned));
    ASSERT_EQ(planned->partitions.size(), figures->partitions.size());
    const std::vector<double> seconds = secondsOf(placed);
    bool hasOtherKernels = false;
    for (size_t p = 0; p < seconds.size(); ++p)
      hasOtherKernels |= std::abs(figures->partitions[p].computeSeconds -
                                  seconds[p]) > kRounding * seconds[p];
    // Without them the play is the same.
    if (!hasOtherKernels) {
      EXPECT_NEAR(figures->stepSeconds, planned->stepSeconds,
                  kRounding * planned->stepSeconds)
          << what;
    }
    for (size_t p = 0; p < planned->partitions.size(); ++p) {
      deviation.ofOtherKernels += hasOtherKernels;
      compareBytes(figures->partitions[p], planned->partitions[p],
                   what + ", partition " + std::to_string(p));
    }
  }

  Deviation deviation;

private:
  void compareBytes(const passes::PlanFigures::Partition &said,
                    const PartitionMemory &real, const std::string &what) {
    const auto bytes = double(real.total());
    const double error = std::abs(double(said.bytes()) - bytes);
    deviation.add(error / std::max(bytes, 1.0));
    EXPECT_LE(error, std::max(kBound * bytes, kFewBytes))
        << what << ": variables " << said.variables << " of " << real.variables
        << ", rollback " << said.rollback << " of " << real.rollback
        << ", prepared " << said.prepared << " of " << real.prepared
        << ", constants " << said.constants << " of " << real.constants
        << ", arena " << said.arena << " of " << real.arena << ", channels "
        << said.channels << " of " << real.channels;
  }

  /// What stages of each partition take per microbatch.
  std::vector<double> secondsOf(mlir::ModuleOp staged) const {
    std::vector<double> seconds(size_t(passes::getNumPartitions(staged)));
    mlir::SymbolTable symbols(staged);
    const passes::EntryWeights weights(staged);
    for (auto entry : staged.getOps<ir::EntryOp>())
      for (auto run : entry.getBody().getOps<ir::RunOp>()) {
        auto stage = symbols.lookup<ir::StageOp>(run.getStage());
        auto count =
            entry->getAttrOfType<mlir::IntegerAttr>(ir::kMicrobatchesAttr);
        const bool isOnce = count && stage.getUnit() == ir::Unit::Update;
        seconds[stage.getPartition()] += weights.of(entry) *
                                         costs.seconds(stage.getBody()) /
                                         (isOnce ? double(count.getInt()) : 1);
      }
    return seconds;
  }

  const ir::WeightStore &weights;
  const passes::PipelineChoice pipeline;
  const DigestModel costs;
};

/// Whether the module can be compiled at all, and nothing has been done to it.
bool isModel(mlir::ModuleOp module) {
  bool isNew = true;
  module.walk([&](mlir::Operation *op) {
    isNew &= !mlir::isa<ir::StageOp, ir::RunOp, ir::GroupOp, ir::PreparedOp,
                        ir::TransferOp>(op);
  });
  const passes::RooflineModel costs{test::kCore};
  mlir::OwningOpRef<mlir::ModuleOp> trained = module.clone();
  if (!isNew || !test::makeReadyToPlace(*trained))
    return false;
  mlir::OwningOpRef<mlir::ModuleOp> copy = passes::numberedCopy(*trained);
  return succeeded(compile::lowerNumberedCopy(*copy)) &&
         passes::ModelPlans::of(std::move(copy), costs, compile::temporariesOf,
                                {});
}

/// Placements on 1 to 4 partitions, by the solver alone and around pins.
Deviation compareAll(mlir::ModuleOp module, const ir::WeightStore &weights,
                     const std::string &name, unsigned draws,
                     const std::string &target = "") {
  mlir::ScopedDiagnosticHandler silence(
      module.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  module.getContext()->loadAllAvailableDialects();
  if (!isModel(module))
    return {};
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  Deviation all;
  for (PipelineKind kind : {PipelineKind::Interleaved, PipelineKind::Simple,
                            PipelineKind::ZeroBubbleH1}) {
    Comparison comparison(weights, {kind, 0});
    for (int64_t partitions = 1; partitions <= 4; ++partitions)
      for (unsigned draw = 0; draw <= draws; ++draw) {
        mlir::OwningOpRef<mlir::ModuleOp> placed = module.clone();
        Comparison::pin(*placed, draw ? 1 + random() % 6 : 0, partitions,
                        random);
        std::vector<std::string> targets;
        if (!target.empty())
          targets.push_back(target);
        if (test::makeReadyToPlace(*placed, targets) &&
            comparison.place(*placed, partitions))
          comparison.compare(*placed, name + " on " +
                                          std::to_string(partitions) +
                                          ", draw " + std::to_string(draw));
      }
    all += comparison.deviation;
  }
  std::printf("%-28s %4u partitions, %u of other kernels, at most %.3f %%, in "
              "the mean %.4f %%\n",
              name.c_str(), all.count, all.ofOtherKernels, 100 * all.most,
              100 * all.sum / std::max(all.count, 1u));
  return all;
}

/// Pins around merged ops or not, both have the same kernels.
void expectSameKernels(const Deviation &all) {
  EXPECT_GT(all.count, 0U);
  EXPECT_EQ(all.ofOtherKernels, 0U);
}

//===----------------------------------------------------------------------===//
// Networks that are trained
//===----------------------------------------------------------------------===//

struct Trained {
  const char *name;
  StatusOr<Model> (*build)();
  const char *target;
};

StatusOr<Model> characters() {
  char_lm::Shape shape;
  shape.characters = 65;
  shape.batch = 3;
  return char_lm::buildModel(shape);
}

StatusOr<Model> charactersOf16Bits() {
  char_lm::Shape shape;
  shape.characters = 65;
  shape.batch = 3;
  shape.layers = 2;
  shape.precision = DType::BF16;
  shape.recompute = true;
  return char_lm::buildModel(shape);
}

StatusOr<Model> residual() {
  auto model = test::residualNetwork().build();
  if (model.ok())
    SMP_RETURN_IF_ERROR(compile::trainModule(*model->parts().module, "loss",
                                             R"({"kind": "adamw"})"));
  return model;
}

class TrainedPlan : public testing::TestWithParam<Trained> {};

TEST_P(TrainedPlan, IsEvaluated) {
  auto model = GetParam().build();
  ASSERT_TRUE(model.ok()) << model.status().message();
  mlir::ModuleOp module = *model->parts().module;
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  module.getContext()->appendDialectRegistry(registry);
  for (auto entry : module.getOps<ir::EntryOp>())
    entry->setAttr("smp.microbatches",
                   mlir::Builder(entry).getI64IntegerAttr(6));
  expectSameKernels(compareAll(module, model->parts().weights, GetParam().name,
                               2, GetParam().target));
}

INSTANTIATE_TEST_SUITE_P(
    All, TrainedPlan,
    testing::Values(Trained{"characters", characters, "cpu"},
                    Trained{"charactersOf16Bits", charactersOf16Bits, "cpu"},
                    Trained{"residual", residual, "cpu"},
                    // Whose groups may be several launches.
                    Trained{"charactersOnGpus", characters, "cuda"},
                    Trained{"residualOnGpus", residual, "cuda"}),
    [](const auto &info) { return std::string(info.param.name); });

//===----------------------------------------------------------------------===//
// Networks that are imported
//===----------------------------------------------------------------------===//

class ImportedPlan : public testing::TestWithParam<const char *> {};

TEST_P(ImportedPlan, IsEvaluated) {
  test::importLight(
      GetParam(), [](mlir::ModuleOp module, const ir::WeightStore &weights) {
        expectSameKernels(compareAll(module, weights, GetParam(), 1));
      });
}

INSTANTIATE_TEST_SUITE_P(All, ImportedPlan,
                         testing::Values("resnet50", "squeezenet",
                                         "inception_v1", "shufflenet", "vgg19"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

TEST(TextPlan, IsEvaluated) {
  unsigned count = 0;
  Deviation all;
  for (const char *folder : {"/lit/passes", "/lit/tools", "/lit/codegen"})
    for (const auto &file : std::filesystem::directory_iterator(
             std::string(SMP_TEST_SOURCE_DIR) + folder)) {
      std::ifstream stream(file.path());
      std::stringstream text;
      text << stream.rdbuf();
      std::string rest = text.str();
      for (unsigned part = 0; !rest.empty(); ++part) {
        const size_t end = std::min(rest.find("// -----"), rest.size());
        const std::string one = rest.substr(0, end);
        rest = rest.substr(std::min(end + 8, rest.size()));
        mlir::DialectRegistry registry;
        compile::registerDialects(registry);
        mlir::MLIRContext context(registry);
        mlir::ScopedDiagnosticHandler silence(
            &context, [](mlir::Diagnostic &) { return mlir::success(); });
        auto module = mlir::parseSourceString<mlir::ModuleOp>(one, &context);
        // What is watched is decided once all is placed.
        if (!module ||
            module
                ->walk([](ir::TapOp) { return mlir::WalkResult::interrupt(); })
                .wasInterrupted())
          continue;
        ++count;
        ir::WeightStore weights;
        all += compareAll(
            *module, weights,
            file.path().filename().string() + ":" + std::to_string(part), 2);
      }
    }
  EXPECT_GT(count, 50u);
  // Two of them have composites whose ops pins hold apart.
  EXPECT_LE(all.ofOtherKernels, all.count / 50);
}

} // namespace
