// SPDX-License-Identifier: Apache-2.0
#include "PageGraph.h"
#include "ScopeNames.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::page;

namespace {

const TensorType kType{DType::F32, {4}};

/// A graph that is made op by op; each has one result.
struct Maker {
  Entry entry;

  uint32_t value(const std::string &name) {
    entry.graph.values.push_back({name, kType});
    return uint32_t(entry.graph.values.size() - 1);
  }
  uint32_t input(const std::string &name) {
    entry.inputs.push_back({name, kType});
    entry.graph.inputs.push_back(value(name));
    return entry.graph.inputs.back();
  }
  void output(const std::string &name, uint32_t of) {
    entry.outputs.push_back({name, kType});
    entry.graph.outputs.push_back(of);
  }
  uint32_t op(const std::string &mnemonic, const std::string &name,
              std::vector<uint32_t> operands, int32_t partition = 0,
              std::map<std::string, Attribute> attributes = {}) {
    const uint32_t result = value(name);
    entry.graph.ops.push_back({name,
                               mnemonic,
                               std::move(operands),
                               {result},
                               std::move(attributes),
                               {partition, Origin::Solver}});
    return result;
  }
};

std::map<std::string, Attribute> text(const char *name, const char *word) {
  return {{name, std::string(word)}};
}

/// "from>to" of a scope's wires, by labels.
std::vector<std::string> wiresOf(const Scope &scope) {
  std::vector<std::string> wires;
  for (const Wire &wire : scope.wires)
    wires.push_back(scope.boxes[wire.from].label + (wire.crosses ? ">>" : ">") +
                    scope.boxes[wire.to].label);
  return wires;
}

std::vector<std::string> labelsOf(const Scope &scope) {
  std::vector<std::string> labels;
  for (const Box &box : scope.boxes)
    labels.push_back(box.label);
  return labels;
}

using Words = std::vector<std::string>;

TEST(PageGraph, FreeOpsAreFoldedIntoTheirReaders) {
  Maker m;
  const uint32_t x = m.input("x");
  const uint32_t w = m.op("read", "w", {}, 0, text("variable", "w"));
  const uint32_t wide = m.op("broadcast", "wide", {w});
  const uint32_t flat = m.op("reshape", "flat", {x});
  const uint32_t sum = m.op("add", "sum", {flat, wide});
  m.output("y", m.op("reshape", "back", {sum}));
  const PageGraph page = makePageGraph(m.entry);
  ASSERT_EQ(page.scopes.size(), 1u);
  EXPECT_EQ(labelsOf(page.scopes[0]), (Words{"x", "add sum", "y"}));
  EXPECT_EQ(wiresOf(page.scopes[0]), (Words{"x>add sum", "add sum>y"}));
  // What is named is what the wire carries before it is viewed.
  EXPECT_EQ(page.scopes[0].wires[0].values, std::vector<uint32_t>{x});
  EXPECT_EQ(page.folded[3], (std::vector<uint32_t>{2, 1, 0}));
}

TEST(PageGraph, ScopesAreBoxesAndWhatIsOutsideStandsAtTheirBorder) {
  Maker m;
  const uint32_t x = m.input("x");
  const uint32_t a = m.op("exp", "layer0/up/a", {x}, 0);
  const uint32_t b = m.op("log", "layer0/up/b", {a}, 0);
  const uint32_t c = m.op("exp", "layer0/c", {b}, 0);
  const uint32_t d = m.op("exp", "layer1/d", {c}, 1);
  const uint32_t e = m.op("add", "layer1/e", {d, a}, 1);
  m.output("y", e);
  const PageGraph page = makePageGraph(m.entry);
  ASSERT_EQ(page.scopes.size(), 4u);
  EXPECT_EQ(labelsOf(page.scopes[0]), (Words{"x", "layer0", "layer1", "y"}));
  EXPECT_EQ(wiresOf(page.scopes[0]),
            (Words{"x>layer0", "layer0>>layer1", "layer1>y"}));
  EXPECT_EQ(page.scopes[0].wires[1].values, (std::vector<uint32_t>{a, c}));
  EXPECT_EQ(page.scopes[0].opsOn,
            (std::map<int32_t, uint32_t>{{0, 3}, {1, 2}}));
  EXPECT_EQ(wiresOf(page.scopes[1]),
            (Words{"x>up", "up>exp c", "exp c>>layer1", "up>>layer1"}));
  EXPECT_EQ(wiresOf(page.scopes[2]),
            (Words{"x>exp a", "exp a>log b", "log b>exp c", "exp a>>layer1"}));
  EXPECT_EQ(page.scopes[2].parent, 1u);
  EXPECT_EQ(wiresOf(page.scopes[3]), (Words{"layer0>>exp d", "exp d>add e",
                                            "layer0>>add e", "add e>y"}));
}

TEST(PageGraph, AScopeOfOneBoxIsThatBox) {
  Maker m;
  const uint32_t x = m.input("x");
  const uint32_t a = m.op("exp", "gpu_0/net/a", {x});
  const uint32_t b = m.op("exp", "gpu_0/net/b", {a});
  m.output("y", m.op("exp", "gpu_0/head/deep/c", {b}));
  const PageGraph page = makePageGraph(m.entry);
  EXPECT_EQ(labelsOf(page.scopes[0]), (Words{"x", "gpu_0", "y"}));
  EXPECT_EQ(labelsOf(page.scopes[1]), (Words{"net", "exp c", "x", "y"}));
}

TEST(PageGraph, OpsOnAllPartitionsSendNothing) {
  Maker m;
  const uint32_t x = m.input("x");
  const uint32_t a = m.op("exp", "a", {x}, Placement::kAll);
  m.output("y", m.op("exp", "b", {a}, 1));
  const PageGraph page = makePageGraph(m.entry);
  for (const Wire &wire : page.scopes[0].wires)
    EXPECT_FALSE(wire.crosses);
}

TEST(ScopeNames, DerivedOpsAreWithTheirs) {
  Maker m;
  const uint32_t x = m.input("x");
  const uint32_t y = m.op("exp", "net/y", {x});
  auto backward = text("smp.unit", "backward_weight");
  backward["smp.part_of"] = std::string("net/y");
  const uint32_t g = m.op("mul", "", {y, x}, 0, backward);
  const std::map<std::string, Attribute> update = text("smp.unit", "update");
  auto assign = [&](const char *variable, uint32_t value) {
    auto attributes = update;
    attributes["variable"] = std::string(variable);
    m.entry.graph.ops.push_back(
        {"", "assign", {value}, {}, attributes, {0, Origin::Solver}});
  };
  const uint32_t named = m.op("mul", "gradient/net/w", {g}, 0, update);
  auto step = update;
  step["smp.part_of"] = std::string("train");
  const uint32_t square = m.op("mul", "", {named, named}, 0, step);
  const uint32_t mean = m.op("add", "", {square}, 0, step);
  assign("optimizer/mean/net/w", mean);
  const uint32_t rate = m.op("cos", "", {x}, 0, step);
  assign("net/w", m.op("sub", "", {mean, rate}, 0, step));
  assign("net/b", rate);
  const auto names = scopeNames(m.entry.graph);
  EXPECT_EQ(names[0], (Words{"forward", "net", "y"}));
  EXPECT_EQ(names[1], (Words{"backward", "net", "y"}));
  for (size_t i : {2, 3, 4, 5, 7, 8})
    EXPECT_EQ(names[i], (Words{"update", "net", "w"})) << i;
  EXPECT_EQ(names[6], (Words{"update", "train"}));
  EXPECT_EQ(names[9], (Words{"update", "net", "b"}));
}

TEST(PageGraph, AnEntryWithoutOpsHasItsEnds) {
  Maker m;
  m.output("y", m.input("x"));
  const PageGraph page = makePageGraph(m.entry);
  ASSERT_EQ(page.scopes.size(), 1u);
  EXPECT_EQ(wiresOf(page.scopes[0]), Words{"x>y"});
  EXPECT_TRUE(makePageGraph(Entry()).scopes.empty());
}

TEST(PageGraph, LongChainsOfViewsAreFollowed) {
  Maker m;
  uint32_t value = m.input("x");
  for (unsigned i = 0; i < 20000; ++i)
    value = m.op("reshape", "", {value});
  m.output("y", value);
  EXPECT_EQ(wiresOf(makePageGraph(m.entry).scopes[0]), Words{"x>y"});
}

} // namespace
