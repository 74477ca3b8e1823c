// SPDX-License-Identifier: Apache-2.0
// What the partitioner thinks that training needs, against the program's plan.

#include "CharModel.h"
#include "Networks.h"
#include "smp/codegen/export/Export.h"
#include "smp/compile/Compile.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Target.h"
#include "smp/passes/catalog/AllPasses.h"
#include "smp/passes/placement/Plan.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// The prediction is within a quarter of the plan.
constexpr double kBound = 0.25;

struct Case {
  const char *name;
  StatusOr<Model> (*build)();
  int64_t partitions = 1;
  passes::PipelineChoice pipeline = {};
};

StatusOr<Model> characters() {
  char_lm::Shape shape;
  shape.characters = 65;
  shape.batch = 3;
  return char_lm::buildModel(shape);
}

StatusOr<Model> residual() {
  auto model = test::residualNetwork().build();
  if (model.ok())
    SMP_RETURN_IF_ERROR(compile::trainModule(*model->parts().module, "loss",
                                             R"({"kind": "adamw"})"));
  return model;
}

class MemoryPlan : public testing::TestWithParam<Case> {};

TEST_P(MemoryPlan, IsPredicted) {
  auto network = GetParam().build();
  ASSERT_TRUE(network.ok()) << network.status().message();
  mlir::ModuleOp module = *network->parts().module;
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  module.getContext()->appendDialectRegistry(registry);
  module.getContext()->loadAllAvailableDialects();
  for (auto entry : module.getOps<ir::EntryOp>())
    entry->setAttr("smp.microbatches",
                   mlir::Builder(entry).getI64IntegerAttr(6));

  const passes::RooflineModel model(ir::targetOf(module, 0));
  passes::PlacementRequest request;
  request.partitions = GetParam().partitions;
  request.pipeline = GetParam().pipeline;
  mlir::PassManager placement(module.getContext());
  placement.addPass(passes::createDifferentiatePass());
  placement.addPass(passes::createOptimizePass());
  placement.addPass(passes::createAccumulatePass());
  placement.addPass(passes::createCanonicalizePass());
  passes::buildPlacementPipeline(placement, request, model);
  ASSERT_TRUE(mlir::succeeded(placement.run(module)));
  const std::vector<passes::PartitionLoad> predicted =
      passes::predictLoads(module, model, request.pipeline);

  mlir::PassManager lowering(module.getContext());
  compile::buildLadder(lowering);
  ASSERT_TRUE(mlir::succeeded(lowering.run(module)));
  codegen::ExportOptions options;
  options.pipeline = request.pipeline;
  auto planned =
      codegen::planProgram(module, network->parts().weights, model, options);
  ASSERT_TRUE(mlir::succeeded(planned));
  ASSERT_EQ(planned->partitions.size(), predicted.size());
  for (size_t p = 0; p < predicted.size(); ++p) {
    const PartitionMemory &real = planned->partitions[p];
    const auto bytes = double(real.total());
    EXPECT_NEAR(double(predicted[p].bytes()), bytes, kBound * bytes)
        << "partition " << p << ": variables " << real.variables
        << ", channels " << real.channels << " where "
        << predicted[p].stashBytes << " are kept, arena " << real.arena
        << " where " << predicted[p].workBytes << " are live";
  }
}

constexpr passes::PipelineChoice kSimple{PipelineKind::Simple, 0},
    kTwoActive{PipelineKind::Interleaved, 2};

INSTANTIATE_TEST_SUITE_P(
    All, MemoryPlan,
    testing::Values(Case{"characters", characters},
                    Case{"characters2", characters, 2},
                    Case{"characters3", characters, 3},
                    Case{"characters2Simple", characters, 2, kSimple},
                    Case{"characters2TwoActive", characters, 2, kTwoActive},
                    Case{"residual", residual}, Case{"residual2", residual, 2},
                    Case{"residual3", residual, 3},
                    Case{"residual2Simple", residual, 2, kSimple}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
