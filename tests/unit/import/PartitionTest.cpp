// SPDX-License-Identifier: Apache-2.0
// Partition scopes, distributed models, and the process's configuration.

#include "BuilderHelpers.h"

using namespace smp;
using namespace smp::test;

namespace {

const TensorType kVector{DType::F32, {4}};

/// Where ops are: "add" to "0 user", "all propagated", or "".
std::map<std::string, std::string> placements(Model &model) {
  std::map<std::string, std::string> result;
  for (mlir::Operation &op :
       entryOf(model.parts(), "predict").getBody().front()) {
    if (mlir::isa<ir::ReturnOp>(op))
      continue;
    std::string &text = result[ir::getSourceName(&op).str()];
    if (ir::PlacementAttr placement = ir::getPlacement(&op))
      text =
          (placement.isAll() ? "all"
                             : std::to_string(placement.getPartition())) +
          (placement.getOrigin() == ir::Origin::User ? " user" : " propagated");
  }
  return result;
}

class PartitionTest : public testing::Test {
protected:
  void TearDown() override { finalize(); }

  static Config withPartitions(int64_t partitions) {
    Config config;
    config.partitions = partitions;
    return config;
  }
};

/// z = sum(x + 2.3), each op in a scope of its own.
void buildNested(GraphBuilder &g) {
  Tensor x = g.named(g.constant({DType::F32, {2}}, {1.2, 1.2}), "x");
  auto one = partition(1);
  Tensor y = g.named(g.add(x, 2.3), "y");
  auto three = partition(3);
  g.output("z", g.named(g.sum(y), "z"));
}

TEST_F(PartitionTest, InnermostScopeWins) {
  ASSERT_TRUE(init(withPartitions(4)).ok());
  GraphBuilder g;
  buildNested(g);
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto where = placements(*model);
  EXPECT_EQ(where["x"], "");
  EXPECT_EQ(where["y"], "1 user");
  EXPECT_EQ(where["z"], "3 user");
}

TEST_F(PartitionTest, ScopeIsRefusedWhereItIsOpened) {
  ASSERT_TRUE(init(withPartitions(3)).ok());
  auto scope = partition(3);
  const unsigned line = __LINE__ - 1;
  const std::string message =
      "PartitionTest.cpp:" + std::to_string(line) +
      ": smp::partition(3): partition 3 is not one of the 3 partitions (0..2) "
      "that smp::init() was told of; choose one of them or initialise with at "
      "least 4";
  EXPECT_EQ(scope.status().message(), message);
  GraphBuilder g;
  g.output("y", g.relu(g.input("x", kVector)));
  auto model = std::move(g).finish();
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().message(), "op 'relu': " + message);
}

TEST_F(PartitionTest, WithoutInitTheCompilerDecides) {
  auto scope = partition(1000);
  EXPECT_TRUE(scope.status().ok());
}

TEST_F(PartitionTest, OuterScopeResumes) {
  GraphBuilder g;
  Tensor x = g.input("x", kVector);
  {
    auto outer = partition(2);
    {
      auto inner = partition(0);
      x = g.named(g.relu(x), "inner");
    }
    x = g.named(g.exp(x), "outer");
  }
  g.output("y", g.named(g.neg(x), "outside"));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto where = placements(*model);
  EXPECT_EQ(where["inner"], "0 user");
  EXPECT_EQ(where["outer"], "2 user");
  EXPECT_EQ(where["outside"], "");
}

TEST_F(PartitionTest, InitRefusesAWrongConfiguration) {
  Status status = init(withPartitions(0));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "The number of partitions must be a positive integer.");
  EXPECT_FALSE(initializedConfig());
}

TEST_F(PartitionTest, ModelRemembersTheNumberOfPartitions) {
  ASSERT_TRUE(init(withPartitions(4)).ok());
  GraphBuilder g;
  buildNested(g);
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok());
  EXPECT_NE(model->text().find("smp.partitions = 4"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Distributed models
//===----------------------------------------------------------------------===//

/// y = exp(relu(x)); the relu is pinned.
class TwoOps : public DistributedModel {
public:
  using DistributedModel::DistributedModel;

private:
  std::vector<Tensor> call(GraphBuilder &g,
                           const std::vector<Tensor> &inputs) override {
    Tensor x = inputs.front();
    {
      auto scope = partition(1);
      x = g.relu(x);
    }
    return {g.exp(x)};
  }
};

TEST_F(PartitionTest, OpsOutsideOfTheModelRunOnAll) {
  GraphBuilder g;
  g.beginEntry("predict");
  TwoOps model("net");
  Tensor x = g.neg(g.input("x", kVector));
  Tensor y = model(g, {x}).front();
  auto scope = partition(0);
  g.output("y", g.sqrt(y));
  auto made = std::move(g).finish();
  ASSERT_TRUE(made.ok()) << made.status().message();
  auto where = placements(*made);
  EXPECT_EQ(where["neg"], "all propagated");
  EXPECT_EQ(where["net/relu"], "1 user");
  EXPECT_EQ(where["net/exp"], "");
  EXPECT_EQ(where["sqrt"], "0 user");
}

TEST_F(PartitionTest, EntryWithoutAModelCountsAsInside) {
  GraphBuilder g;
  g.output("y", g.relu(g.input("x", kVector)));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(placements(*model)["relu"], "");
}

} // namespace
