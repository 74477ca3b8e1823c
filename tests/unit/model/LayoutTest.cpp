// SPDX-License-Identifier: Apache-2.0
// Texts are TensorFlow 2.21's, except those of errors that it has no text for.
#include "smp/model/Layout.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

const std::string kMesh =
    "name|x=2,y=3|0,1,2,3,4,5|0,1|/job:localhost/replica:0/task:0/device:CPU:0,"
    "/job:localhost/replica:0/task:0/device:CPU:1";

Mesh mesh() { return *Mesh::fromString(kMesh); }

std::string textOf(const Expected<Layout> &layout) {
  return layout.ok() ? toString(*layout) : "error: " + layout.error();
}
std::string made(std::vector<std::string> specs) {
  return textOf(Layout::create(std::move(specs), mesh()));
}
std::string read(const std::string &text) {
  return textOf(Layout::fromString(text));
}

} // namespace

TEST(Layout, PrintsAsDTensorDoes) {
  EXPECT_EQ(made({"x", "unsharded"}),
            "sharding_specs:x,unsharded, mesh:" + kMesh);
  EXPECT_EQ(made({"y", "match", "x"}),
            "sharding_specs:y,match,x, mesh:" + kMesh);
  EXPECT_EQ(made({}), "sharding_specs: mesh:" + kMesh);
  EXPECT_EQ(toString(Layout()), "empty_layout");
}

TEST(Layout, ReadsWhatItPrints) {
  for (const std::string &text :
       {"sharding_specs:x,unsharded, mesh:" + kMesh,
        "sharding_specs:match, mesh:" + kMesh, "sharding_specs: mesh:" + kMesh,
        std::string("empty_layout")})
    EXPECT_EQ(read(text), text);
  EXPECT_EQ(*Layout::fromString("sharding_specs:x, mesh:" + kMesh),
            *Layout::create({"x"}, mesh()));
  EXPECT_EQ(*Layout::fromString("empty_layout"), Layout());
  EXPECT_EQ(read("sharding_specs:x, mesh:name|x=2|*CPU"),
            "sharding_specs:x, mesh:name|x=2|0,1|0,1|"
            "/job:localhost/task:0/device:CPU:0,"
            "/job:localhost/task:0/device:CPU:1");
}

TEST(Layout, SpecsNameDimensionsOnce) {
  EXPECT_EQ(made({"x", "x"}),
            "error: Mesh dimension x was repeated in sharding specification "
            "['x', 'x']. Mesh dimensions must be unique in a layout.");
  EXPECT_EQ(made({"z", "x"}),
            "error: z: A dimension sharding must either be a valid mesh "
            "dimension or UNSHARDED.");
  EXPECT_EQ(made({"any"}),
            "error: any: A dimension sharding must either be a valid mesh "
            "dimension or UNSHARDED.");
  EXPECT_EQ(made({"unsharded", "unsharded", "match", "match"}),
            "sharding_specs:unsharded,unsharded,match,match, mesh:" + kMesh);
  EXPECT_EQ(textOf(Layout::create({"x"}, Mesh())),
            "error: a layout is on empty_mesh, which has no devices; give it a "
            "mesh");
  // Long ones are not repeated whole.
  EXPECT_LT(made({std::string(100000, 'a')}).size(), 250u);
  std::vector<std::string> many(1000, "unsharded");
  many[0] = many[1] = "x";
  EXPECT_LT(made(many).size(), 300u);
}

TEST(Layout, OfUsualKinds) {
  EXPECT_EQ(textOf(Layout::replicated(mesh(), 2)),
            "sharding_specs:unsharded,unsharded, mesh:" + kMesh);
  EXPECT_EQ(textOf(Layout::replicated(mesh(), 0)),
            "sharding_specs: mesh:" + kMesh);
  EXPECT_EQ(textOf(Layout::batchSharded(mesh(), "x", 3)),
            "sharding_specs:x,unsharded,unsharded, mesh:" + kMesh);
  EXPECT_EQ(textOf(Layout::batchSharded(mesh(), "x", 3, 1)),
            "sharding_specs:unsharded,x,unsharded, mesh:" + kMesh);
  EXPECT_EQ(textOf(Layout::innerSharded(mesh(), "y", 3)),
            "sharding_specs:unsharded,unsharded,y, mesh:" + kMesh);
  // DTensor reads and writes beyond its memory for these.
  EXPECT_EQ(textOf(Layout::batchSharded(mesh(), "x", 3, 9)),
            "error: axis 9 of a tensor of rank 3 is to be sharded along 'x'; "
            "an axis is at least 0 and less than the rank");
  EXPECT_EQ(textOf(Layout::innerSharded(mesh(), "y", 0)),
            "error: axis 0 of a tensor of rank 0 is to be sharded along 'y'; "
            "an axis is at least 0 and less than the rank");
  EXPECT_EQ(textOf(Layout::batchSharded(mesh(), "z", 3)),
            "error: z: A dimension sharding must either be a valid mesh "
            "dimension or UNSHARDED.");
}

TEST(Layout, AxesAreRemoved) {
  const Layout layout = *Layout::create({"x", "unsharded", "y"}, mesh());
  const size_t middle[] = {1}, outer[] = {2, 0}, none[] = {3};
  EXPECT_EQ(textOf(layout.removeAxes(middle)),
            "sharding_specs:x,y, mesh:" + kMesh);
  EXPECT_EQ(textOf(layout.removeAxes(outer)),
            "sharding_specs:unsharded, mesh:" + kMesh);
  EXPECT_EQ(layout.removeAxes(none).error(),
            "axis 3 is to be removed from a layout of 3 axes");
}

TEST(Layout, CountsShards) {
  const Layout layout =
      *Layout::create({"x", "unsharded", "y", "match"}, mesh());
  EXPECT_EQ(layout.rank(), 4u);
  EXPECT_EQ(layout.numShards(0), 2);
  EXPECT_EQ(layout.numShards(1), 1);
  EXPECT_EQ(layout.numShards(2), 3);
  EXPECT_EQ(layout.numShards(3), -1);
  EXPECT_FALSE(layout.isFullyReplicated());
  EXPECT_FALSE(Layout::create({"match"}, mesh())->isFullyReplicated());
  EXPECT_TRUE(Layout::replicated(mesh(), 2)->isFullyReplicated());
  EXPECT_TRUE(Layout::create({}, mesh())->isFullyReplicated());
  // A dimension of size 1 shards nothing.
  const Mesh narrow = *Mesh::fromString("|x=1,y=8|*CPU");
  EXPECT_TRUE(Layout::create({"x"}, narrow)->isFullyReplicated());
}

TEST(Layout, WrongTextsSayWhatIsWrong) {
  const std::string form = "sharding_specs:x,unsharded, mesh:<mesh>";
  EXPECT_EQ(read("foo"),
            "error: layout 'foo' has 0 spaces; it must have one: " + form);
  EXPECT_EQ(read("sharding_specs:x,  mesh:n|x=2|*CPU"),
            "error: layout 'sharding_specs:x,  mesh:n|x=2|*CPU' has 2 spaces; "
            "it must have one: " +
                form);
  for (const char *text :
       {"specs:x, mesh:n|x=2|*CPU", "sharding_specs:x, grid:n|x=2|*CPU",
        "maximal:true, mesh:/job:localhost/replica:0/task:0/device:CPU:0",
        "parted:x, mesh:n|x=2|*CPU"})
    EXPECT_EQ(read(text), "error: layout '" + std::string(text) +
                              "' must be of the form " + form);
  // DTensor leaves out a spec without its comma.
  EXPECT_EQ(read("sharding_specs:x,unsharded mesh:n|x=2|*CPU"),
            "error: the sharding specs 'x,unsharded' do not end in a comma; "
            "there is one behind every spec, as in x,unsharded,");
  EXPECT_EQ(read("sharding_specs:x,,unsharded, mesh:n|x=2|*CPU"),
            "error: : A dimension sharding must either be a valid mesh "
            "dimension or UNSHARDED.");
  EXPECT_EQ(read("sharding_specs:z, mesh:n|x=2|*CPU"),
            "error: z: A dimension sharding must either be a valid mesh "
            "dimension or UNSHARDED.");
  EXPECT_EQ(read("sharding_specs:x, mesh:n|x=2"),
            "error: mesh 'n|x=2' has 2 parts between '|'; it must have 5 to 7 "
            "(name, dimensions, ids, local ids, local devices), or 3 (name, "
            "dimensions, *CPU)");
  EXPECT_EQ(read("sharding_specs:unsharded, mesh:empty_mesh"),
            "error: a layout is on empty_mesh, which has no devices; give it a "
            "mesh");
}
