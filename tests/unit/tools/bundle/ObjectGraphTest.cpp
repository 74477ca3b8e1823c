// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/ObjectGraph.h"
#include "TensorBundle.pb.h"
#include <gtest/gtest.h>

using namespace smp;

TEST(ObjectGraph, PathsAreReadAsTheyWereWritten) {
  const std::string paths[] = {
      "epoch",   "model/layers.0/w", "model/layers.0/b",
      "model/w", "optimizer",        "optimizer/w.m"};
  const auto names = readObjectGraph(formatObjectGraph(paths));
  ASSERT_TRUE(names.ok()) << names.status().message();
  EXPECT_EQ(names->size(), std::size(paths));
  for (const std::string &path : paths) {
    ASSERT_TRUE(names->contains(keyOfPath(path))) << path;
    EXPECT_EQ(names->at(keyOfPath(path)).path, path);
    EXPECT_EQ(names->at(keyOfPath(path)).fullName, path);
  }
  EXPECT_EQ(keyOfPath("optimizer/w.m"),
            "optimizer/w..m/.ATTRIBUTES/VARIABLE_VALUE");
}

TEST(ObjectGraph, TheShortestWayCountsAndCirclesEnd) {
  proto::ObjectGraph graph;
  auto refer = [&](int from, int to, const char *name) {
    auto *child = graph.mutable_nodes(from)->add_children();
    child->set_node_id(to);
    child->set_local_name(name);
  };
  for (int i = 0; i < 3; ++i)
    graph.add_nodes();
  refer(0, 1, "long");
  refer(1, 2, "way");
  refer(0, 2, "short");
  refer(2, 0, "back");
  auto *attribute = graph.mutable_nodes(2)->add_attributes();
  attribute->set_name("table-keys");
  attribute->set_checkpoint_key("key");
  const auto names = readObjectGraph(graph.SerializeAsString());
  ASSERT_TRUE(names.ok()) << names.status().message();
  EXPECT_EQ(names->at("key").path, "short.table-keys");
  refer(1, 3, "nobody");
  EXPECT_EQ(readObjectGraph(graph.SerializeAsString()).status().message(),
            "node 1 refers to node 3 of 3");
}

TEST(ObjectGraph, NoObjectsAndNoGraph) {
  const auto none = readObjectGraph("");
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
  EXPECT_EQ(readObjectGraph("\x0a\xff").status().code(), StatusCode::DataLoss);
}

/// A chain of nodes, each of which has a tensor: its paths are quadratic.
TEST(ObjectGraph, PathsThatGrowBeyondTheGraphAreAnError) {
  proto::ObjectGraph graph;
  for (int i = 0; i < 2000; ++i) {
    auto *child = graph.add_nodes()->add_children();
    child->set_node_id(i + 1);
    child->set_local_name("a");
    graph.mutable_nodes(i)->add_attributes()->set_checkpoint_key(
        std::to_string(i));
  }
  graph.add_nodes();
  const Status status = readObjectGraph(graph.SerializeAsString()).status();
  EXPECT_NE(status.message().find("16 times its own"), std::string::npos)
      << status.message();
}
