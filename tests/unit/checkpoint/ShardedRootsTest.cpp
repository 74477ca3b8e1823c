// SPDX-License-Identifier: Apache-2.0
// Values in parts: any layout is saved, and restored into any other, on any
// number of ranks.
#include "RankTraining.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/CheckpointReader.h"

using namespace smp;
using namespace smp::test;

namespace {

/// A mesh of which client `number` of `count` has its share.
Mesh meshOf(const std::vector<MeshDimension> &dimensions, MeshClient client) {
  int64_t size = 1;
  for (const MeshDimension &dimension : dimensions)
    size *= dimension.size;
  std::vector<std::string> devices;
  for (int64_t i = 0; i < size / client.count; ++i)
    devices.push_back("cpu:" + std::to_string(i));
  auto mesh = Mesh::create(dimensions, devices, "", client);
  EXPECT_TRUE(mesh.ok()) << mesh.error();
  return mesh.take();
}

/// All layouts of a rank on meshes up to 2x4, for as many clients.
std::vector<Layout> layoutsOf(size_t rank, MeshClient client) {
  const std::vector<std::vector<MeshDimension>> meshes{{{"x", 2}},
                                                       {{"x", 1}, {"y", 2}},
                                                       {{"x", 2}, {"y", 2}},
                                                       {{"x", 2}, {"y", 4}}};
  std::vector<Layout> layouts;
  for (const auto &dimensions : meshes) {
    const Mesh mesh = meshOf(dimensions, client);
    std::vector<std::vector<std::string>> all{{}};
    for (size_t axis = 0; axis < rank; ++axis) {
      std::vector<std::vector<std::string>> longer;
      for (const auto &specs : all)
        for (const std::string spec : {"unsharded", "x", "y"}) {
          if (spec != "unsharded" &&
              (!mesh.find(spec) || std::ranges::count(specs, spec) > 0))
            continue;
          longer.push_back(specs);
          longer.back().push_back(spec);
        }
      all = std::move(longer);
    }
    for (const auto &specs : all)
      layouts.push_back(Layout::create(specs, mesh).take());
  }
  return layouts;
}

/// Element i of a tensor is i, plus `salt`; a part has those of its box.
void fill(ShardedValue &value, int32_t salt) {
  const std::vector<int64_t> &ids = value.layout.mesh().localDeviceIds();
  for (size_t i = 0; i < ids.size(); ++i) {
    const TensorSlice box = shardOf(value.layout, value.type.shape, ids[i]);
    const Shape &shape = value.type.shape;
    std::span<int32_t> elements = value.parts[i].as<int32_t>();
    for (size_t at = 0; at < elements.size(); ++at) {
      auto rest = int64_t(at);
      int64_t place = 0, stride = 1;
      for (size_t d = shape.size(); d-- > 0;) { // Brute force.
        place += (box.offset[d] + rest % box.extent[d]) * stride;
        rest /= box.extent[d];
        stride *= shape[d];
      }
      elements[at] = int32_t(place) + salt;
    }
  }
}

ShardedValue valueOf(const Shape &shape, const Layout &layout) {
  return ShardedValue::zeros({DType::I32, shape}, layout).take();
}

bool areEqual(const ShardedValue &one, const ShardedValue &other) {
  return std::ranges::equal(one.parts, other.parts, {}, &HostTensor::bytes,
                            &HostTensor::bytes);
}

const std::vector<Shape> kShapes{{}, {0}, {5}, {4, 8}, {5, 3}, {3, 0}, {1, 7}};

class ShardedRootsTest : public testing::Test {
protected:
  /// One root per layout and shape, as one client has them.
  struct Tensors {
    Tensors(MeshClient client, bool isFilled) {
      for (const Shape &shape : kShapes)
        for (const Layout &layout : layoutsOf(shape.size(), client)) {
          values.push_back(valueOf(shape, layout));
          if (isFilled)
            fill(values.back(), int32_t(values.size()));
        }
    }
    std::vector<Checkpoint::Named> roots() {
      std::vector<Checkpoint::Named> roots;
      for (size_t i = 0; i < values.size(); ++i)
        roots.emplace_back("t" + std::to_string(i), values[i]);
      return roots;
    }
    std::vector<ShardedValue> values;
  };
  /// Each tensor that was saved, restored into all layouts of its rank.
  void expectAllInAll(SessionCore *session, MeshClient client) {
    for (size_t turn = 0; turn < layoutsOf(2, client).size(); ++turn) {
      Tensors expected(client, true), restored(client, false);
      size_t number = 0;
      for (const Shape &shape : kShapes) {
        const std::vector<Layout> layouts = layoutsOf(shape.size(), client);
        for (size_t from = 0; from < layouts.size(); ++from, ++number) {
          const Layout &into = layouts[(from + turn) % layouts.size()];
          restored.values[number] = valueOf(shape, into);
          expected.values[number] = valueOf(shape, into);
          fill(expected.values[number], int32_t(number + 1));
        }
      }
      restoreAll(session, restored);
      for (size_t i = 0; i < number; ++i)
        EXPECT_TRUE(areEqual(restored.values[i], expected.values[i]))
            << "t" << i << " into " << toString(restored.values[i].layout);
    }
  }
  void restoreAll(SessionCore *session, Tensors &tensors) {
    std::vector<Checkpoint::Named> roots = tensors.roots();
    if (session)
      roots.emplace_back("model", *session);
    const auto report =
        Checkpoint(std::move(roots))
            .restore(folder.file("ckpt-1"), {.expectPartial = true});
    ASSERT_TRUE(report.ok()) << report.status().message();
    EXPECT_GT(report->matched.size(), tensors.values.size());
  }
  void saveOne() {
    Tensors tensors({0, 1}, true);
    const auto saved = Checkpoint(tensors.roots()).save(folder.file("ckpt"));
    ASSERT_TRUE(saved.ok()) << saved.status().message();
  }
  void saveTwo() {
    onThreads(2, [&](Communicator &mine) {
      RankTraining training(&mine);
      Tensors tensors({mine.rank(), 2}, true);
      const auto saved =
          Checkpoint(training, tensors.roots()).save(folder.file("ckpt"));
      ASSERT_TRUE(saved.ok()) << saved.status().message();
    });
  }
  void restoreTwo() {
    onThreads(2, [&](Communicator &mine) {
      RankTraining training(&mine);
      SessionCore &session = training;
      expectAllInAll(&session, {mine.rank(), 2});
    });
  }

  TemporaryFolder folder;
};

TEST_F(ShardedRootsTest, OneSavesOneRestoresAllLayoutsIntoAll) {
  saveOne();
  expectAllInAll(nullptr, {0, 1});
}

TEST_F(ShardedRootsTest, TwoRanksSaveOneRestores) {
  saveTwo();
  expectAllInAll(nullptr, {0, 1});
}

TEST_F(ShardedRootsTest, OneSavesTwoRanksRestore) {
  saveOne();
  restoreTwo();
}

TEST_F(ShardedRootsTest, TwoRanksSaveTwoRestore) {
  saveTwo();
  restoreTwo();
}

TEST_F(ShardedRootsTest, EachSliceIsWrittenOnceAndTheLayoutIsRecorded) {
  saveTwo();
  auto reader =
      CheckpointReader::open(folder.file("ckpt-1"), FileSystem::disk());
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  size_t checked = 0, number = 0;
  for (const Shape &shape : kShapes)
    for (const Layout &layout : layoutsOf(shape.size(), {0, 2})) {
      const std::string name = "t" + std::to_string(number++);
      for (const CheckpointManifest::Item &item : reader->manifest().items) {
        if (item.key != name)
          continue;
        ++checked;
        const auto recorded = Layout::fromString(item.layout);
        ASSERT_TRUE(recorded.ok()) << recorded.error();
        EXPECT_EQ(recorded->specs(), layout.specs());
        EXPECT_EQ(recorded->mesh().dimensions(), layout.mesh().dimensions());
        const auto writers = sliceWriters(layout, shape);
        ASSERT_EQ(item.slices.size(), writers.size());
        for (const CheckpointManifest::Slice &slice : item.slices) {
          const auto writer =
              std::ranges::find(writers, slice.box, &SliceWriter::slice);
          ASSERT_NE(writer, writers.end());
          // Who has the device has the file.
          const bool isSecond = writer->deviceId >= layout.mesh().size() / 2;
          EXPECT_NE(
              reader->fileOf(slice).find(isSecond ? "00002-of" : "00001-of"),
              std::string::npos);
        }
      }
    }
  EXPECT_EQ(checked, number);
}

TEST_F(ShardedRootsTest, OneTaskWritesForAll) {
  onThreads(2, [&](Communicator &mine) {
    RankTraining training(&mine);
    training.train();
    Tensors tensors({mine.rank(), 2}, true);
    const Checkpoint checkpoint(training, tensors.roots());
    const std::string where = mine.rank() == 1 ? "ckpt" : "none/ckpt";
    const auto saved = checkpoint.save(
        folder.file(where),
        {.shardingCallback = std::make_shared<ShardByPartitionPolicy>(),
         .ioDevice = "/job:smp/task:1"});
    EXPECT_TRUE(saved.ok()) << saved.status().message();
    const auto unknown =
        checkpoint.save(folder.file(where), {.ioDevice = "/job:smp/task:2"});
    EXPECT_EQ(unknown.status().message(),
              "ioDevice is '/job:smp/task:2', and the tasks that save are "
              "'/job:smp/task:0', '/job:smp/task:1'; name one of them");
  });
  const auto names = folder.names();
  EXPECT_EQ(std::ranges::count(names, "none"), 0);
  expectAllInAll(nullptr, {0, 1});
  RankTraining alone(nullptr);
  const auto report = Checkpoint(alone).restore(folder.file("ckpt-1"));
  ASSERT_TRUE(report.ok()) << report.status().message();
  expectAfter(alone, 1);
}

TEST_F(ShardedRootsTest, AnyPolicyDividesSlices) {
  Tensors tensors({0, 1}, true);
  const auto saved =
      Checkpoint(tensors.roots())
          .save(folder.file("ckpt"),
                {.shardingCallback = std::make_shared<MaxShardSizePolicy>(40)});
  ASSERT_TRUE(saved.ok()) << saved.status().message();
  Tensors restored({0, 1}, false);
  const auto report = Checkpoint(restored.roots()).restore(*saved);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_TRUE(report->assertConsumed().ok());
  for (size_t i = 0; i < tensors.values.size(); ++i)
    EXPECT_TRUE(areEqual(restored.values[i], tensors.values[i])) << i;
}

TEST_F(ShardedRootsTest, AnotherShapeOrTypeIsRefused) {
  const Layout layout = layoutsOf(1, {0, 1}).front();
  ShardedValue a = valueOf({5}, layout), b = valueOf({5}, layout);
  fill(a, 1);
  ASSERT_TRUE((Checkpoint{{"a", a}, {"b", b}}).save(folder.file("ckpt")).ok());
  ShardedValue longer = valueOf({6}, layout);
  ShardedValue other = ShardedValue::zeros({DType::F32, {5}}, layout).take();
  const Checkpoint checkpoint{{"a", longer}, {"b", other}};
  EXPECT_EQ(checkpoint.restore(folder.file("ckpt-1")).status().message(),
            "checkpoint '" + folder.file("ckpt-1") +
                "' does not fit the program: it has 'a' as i32[5], and the "
                "program as i32[6]; it has 'b' as i32[5], and the program as "
                "f32[5]; restore into what was saved");
  EXPECT_TRUE(areEqual(longer, valueOf({6}, layout)));
}

TEST_F(ShardedRootsTest, PartsThatDoNotFitAreRefused) {
  const Layout layout = layoutsOf(1, {0, 1}).front();
  ShardedValue value = valueOf({5}, layout);
  value.parts[1].bytes.pop_back();
  const Status status =
      Checkpoint{{"a", value}}.save(folder.file("ckpt")).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(status.message().starts_with("value 'a': part 1, of device 1, "))
      << status.message();
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(ShardedRootsTest, DevicesThatNobodyHasAreNamed) {
  const Layout layout = layoutsOf(1, {1, 2}).back(); // On the mesh of 8.
  ShardedValue value = valueOf({16}, layout);
  const Status status =
      Checkpoint{{"a", value}}.save(folder.file("ckpt")).status();
  EXPECT_EQ(status.message(),
            "value 'a' has a part on device 0 of its mesh, which is on no rank "
            "that saves; its devices are to be local ones of some rank's mesh");
}

TEST_F(ShardedRootsTest, ValuesOfOneCheckpointAreOnItsMesh) {
  Trained session;
  ShardedValue value = valueOf({4}, layoutsOf(1, {0, 1}).front());
  const Mesh mesh = value.layout.mesh();
  EXPECT_TRUE(Checkpoint(session, {{"a", value}}, mesh).check().ok());
  const Mesh other = meshOf({{"x", 4}}, {0, 1});
  EXPECT_EQ(Checkpoint(session, {{"a", value}}, other).check().message(),
            "the value 'a' is on the mesh " + toString(mesh) +
                ", and the Checkpoint on " + toString(other) +
                "; give both the same");
}

} // namespace
