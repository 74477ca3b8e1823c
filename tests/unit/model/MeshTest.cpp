// SPDX-License-Identifier: Apache-2.0
// Texts are TensorFlow 2.21's, except where a comment says so.
#include "smp/model/Mesh.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace smp;

namespace {

std::vector<std::string> cpus(size_t count) {
  std::vector<std::string> devices;
  for (size_t i = 0; i < count; ++i)
    devices.push_back("/job:localhost/replica:0/task:0/device:CPU:" +
                      std::to_string(i));
  return devices;
}

/// A mesh of 2x3, of which this process has the first three devices.
MeshParts twoByThree() {
  return {.name = "name",
          .dimensions = {{"x", 2}, {"y", 3}},
          .globalDeviceIds = {0, 1, 2, 3, 4, 5},
          .localDeviceIds = {0, 1, 2},
          .localDevices = cpus(3)};
}

const std::string kLocal = "/job:localhost/replica:0/task:0/device:CPU:0,"
                           "/job:localhost/replica:0/task:0/device:CPU:1,"
                           "/job:localhost/replica:0/task:0/device:CPU:2";
const std::string kGlobal = kLocal +
                            ",/job:localhost/replica:0/task:0/device:CPU:3,"
                            "/job:localhost/replica:0/task:0/device:CPU:4,"
                            "/job:localhost/replica:0/task:0/device:CPU:5";
const std::string kTwoByThree = "name|x=2,y=3|0,1,2,3,4,5|0,1,2|" + kLocal;

std::string textOf(const Expected<Mesh> &mesh) {
  return mesh.ok() ? toString(*mesh) : "error: " + mesh.error();
}
/// The text of a mesh of these parts, or the error.
std::string made(MeshParts parts) {
  return textOf(Mesh::fromParts(std::move(parts)));
}
std::string read(std::string_view text) {
  return textOf(Mesh::fromString(text));
}

} // namespace

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

TEST(Mesh, PrintsAsDTensorDoes) {
  EXPECT_EQ(made(twoByThree()), kTwoByThree);
  MeshParts global = twoByThree();
  global.globalDevices = cpus(6);
  EXPECT_EQ(made(global), kTwoByThree + "|" + kGlobal);
  global.localDeviceIds = {};
  global.localDevices = {};
  EXPECT_EQ(made(global), "name|x=2,y=3|0,1,2,3,4,5|||" + kGlobal);
  MeshParts later = twoByThree();
  later.globalDeviceIds = {6, 7, 8, 9, 10, 11};
  later.localDeviceIds = {6, 7, 8};
  EXPECT_EQ(made(later), "name|x=2,y=3|6,7,8,9,10,11|6,7,8|" + kLocal);
  EXPECT_EQ(toString(Mesh()), "empty_mesh");
}

TEST(Mesh, ReadsWhatItPrints) {
  for (const std::string &text :
       {kTwoByThree, kTwoByThree + "|" + kGlobal,
        "name|x=2,y=3|0,1,2,3,4,5|||" + kGlobal, std::string("|a=1|7|7|cpu:0"),
        std::string("empty_mesh"),
        std::string("t|x=2|0,1|0|/device:TPU:0|use_xla_spmd"),
        std::string("t|x=2|0,1|0|/device:TPU:0|/device:TPU:0,/device:TPU:1|"
                    "use_xla_spmd")})
    EXPECT_EQ(read(text), text);
  EXPECT_EQ(*Mesh::fromString(kTwoByThree), *Mesh::fromParts(twoByThree()));
  EXPECT_EQ(*Mesh::fromString("empty_mesh"), Mesh());
  EXPECT_EQ(read(kTwoByThree + "|"), kTwoByThree);
}

TEST(Mesh, ThreePartsMakeDevicesOfThisProcess) {
  EXPECT_EQ(read("name|x=2|*CPU"),
            "name|x=2|0,1|0,1|/job:localhost/task:0/device:CPU:0,"
            "/job:localhost/task:0/device:CPU:1");
  EXPECT_EQ(read("a|x=2|b"), "error: a mesh of three parts ends in '*' and a "
                             "type of device of at most 32 letters, as *CPU, "
                             "and this one in 'b'");
  // Else a short text would be a lot of memory.
  EXPECT_NE(read("a|x=65536|*" + std::string(60000, 'C')).find("at most 32"),
            std::string::npos);
  EXPECT_EQ(read("a|x=2|*"),
            "error: device '/job:localhost/task:0/device::0' does not end in a "
            "type and a number; write it as "
            "/job:smp/replica:0/task:0/device:CPU:0 or cpu:0");
  EXPECT_EQ(read("a|x=-1|*CPU"),
            "error: mesh dimension 'x' has the size -1; it must be at least 1, "
            "and a mesh has at most 65536 devices");
  EXPECT_EQ(read("a|x=1000,y=1000|*CPU"),
            "error: mesh dimension 'y' has the size 1000; it must be at least "
            "1, and a mesh has at most 65536 devices");
  EXPECT_EQ(read("a||*CPU"),
            "error: the mesh has 0 dimensions; it must have 1 to 64");
}

TEST(Mesh, WrongTextsSayWhatIsWrong) {
  EXPECT_EQ(read("a|b"),
            "error: mesh 'a|b' has 2 parts between '|'; it must have 5 to 7 "
            "(name, dimensions, ids, local ids, local devices), or 3 (name, "
            "dimensions, *CPU)");
  EXPECT_EQ(read("/job:localhost/replica:0/task:0/device:CPU:0"),
            "error: mesh '/job:localhost/replica:0/task:0/device:CPU:0' is a "
            "single device without dimensions; write |x=1|0|0|<device>");
  for (const char *dimension : {"x", "x=", "x=two", "x=2 ",
                                "x=9999999999999999"
                                "9999"})
    EXPECT_EQ(read("a|" + std::string(dimension) + "|0,1|0|cpu:0"),
              "error: mesh dimension '" + std::string(dimension) +
                  "' is not a name and a size; write it as x=2");
  EXPECT_EQ(read("a|x=2,|0,1|0|cpu:0"),
            "error: mesh dimension '' is not a name and a size; write it as "
            "x=2");
  EXPECT_EQ(read("a|x=2|q,1|0|cpu:0"),
            "error: the global device id 'q' is not a whole number");
  EXPECT_EQ(read("a|x=2|0,1|0,|cpu:0"),
            "error: the local device id '' is not a whole number");
  EXPECT_EQ(read("a|x=1|0|0|cpu:0|cpu:0|spmd"),
            "error: the seventh part of the mesh is 'spmd'; it may only be "
            "use_xla_spmd");
  EXPECT_EQ(read("").substr(0, 32), "error: mesh '' has 1 parts betwe");
  // Long ones are not repeated whole.
  EXPECT_LT(read(std::string(100000, 'a')).size(), 300u);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

TEST(Mesh, IdsAreConsecutive) {
  MeshParts parts = twoByThree();
  parts.globalDeviceIds = {3, 4, 5, 0, 1, 2};
  EXPECT_EQ(made(parts), "error: global_device_ids must sequentially increase: "
                         "0 follows 5 at place 3, row-major");
  parts.globalDeviceIds = {-1, 0, 1, 2, 3, 4};
  EXPECT_EQ(made(parts),
            "error: the first device id is -1; it must be 0 or more");
  parts.globalDeviceIds = {INT64_MAX, INT64_MIN, 0, 0, 0, 0};
  EXPECT_NE(made(parts).find("must sequentially increase"), std::string::npos);
  parts.globalDeviceIds = {};
  EXPECT_EQ(made(parts), "error: global_device_ids is empty; a mesh needs one "
                         "device at least");
  parts.globalDeviceIds = {0, 1, 2};
  EXPECT_EQ(made(parts),
            "error: there are 3 device ids, and the mesh has 6 places");
}

TEST(Mesh, DimensionsHaveNamesThatTextsCanHold) {
  auto withDimensions = [](std::vector<MeshDimension> dimensions) {
    MeshParts parts = twoByThree();
    parts.dimensions = std::move(dimensions);
    return made(parts);
  };
  EXPECT_EQ(withDimensions({{"x", 2}, {"x", 3}}),
            "error: mesh dimension 'x' is given twice; names of dimensions are "
            "unique in a mesh");
  EXPECT_EQ(withDimensions({{"", 6}}),
            "error: a mesh dimension has no name; give it one");
  EXPECT_EQ(withDimensions({{"a,b", 6}}),
            "error: mesh dimension 'a,b' has ',' in it, which has a meaning in "
            "the texts of meshes and layouts; leave it out");
  for (const char *name : {"a b", "a=b", "a|b"})
    EXPECT_NE(withDimensions({{name, 6}}).find("in it, which"),
              std::string::npos);
  EXPECT_EQ(withDimensions({{"unsharded", 6}}),
            "error: a mesh dimension is called 'unsharded', which says in a "
            "layout how an axis is sharded; give it another name");
  EXPECT_EQ(withDimensions({{"x", 0}, {"y", 3}}),
            "error: mesh dimension 'x' has the size 0; it must be at least 1");
  EXPECT_EQ(withDimensions({{"x", INT64_MAX}, {"y", 3}}),
            "error: the mesh has more than 65536 devices from dimension 'x' "
            "on");
  EXPECT_EQ(withDimensions({}),
            "error: the mesh has 0 dimensions; it must have 1 to 64");
  EXPECT_EQ(withDimensions({{"z", 6}}).substr(0, 8), "name|z=6");
  MeshParts named = twoByThree();
  named.name = "na me";
  EXPECT_EQ(made(named),
            "error: mesh name 'na me' has ' ' in it, which has a meaning in "
            "the texts of meshes and layouts; leave it out");
}

TEST(Mesh, LocalDevicesAreOfTheMesh) {
  MeshParts parts = twoByThree();
  parts.localDevices.pop_back();
  EXPECT_EQ(made(parts), "error: there are 3 local device ids and 2 local "
                         "devices; give as many");
  parts = twoByThree();
  parts.localDeviceIds = {0, 1, 6};
  EXPECT_EQ(made(parts),
            "error: local device id 6 is not of the mesh, which has 0 to 5");
  parts.localDeviceIds = {0, 1, 1};
  EXPECT_EQ(made(parts), "error: local device id 1 is given twice");
  parts = twoByThree();
  parts.localDeviceIds = {};
  parts.localDevices = {};
  EXPECT_EQ(made(parts),
            "error: the mesh has neither local nor global devices; name some");
  parts.globalDevices = cpus(5);
  EXPECT_EQ(made(parts), "error: there are 5 global devices for 6 device ids; "
                         "give as many, or none");
}

TEST(Mesh, DevicesHaveOneTypeAndAreDifferent) {
  auto withDevices = [](std::vector<std::string> devices) {
    MeshParts parts = twoByThree();
    parts.localDeviceIds.resize(devices.size());
    std::iota(parts.localDeviceIds.begin(), parts.localDeviceIds.end(), 0);
    parts.localDevices = std::move(devices);
    return made(parts);
  };
  EXPECT_EQ(withDevices({"/device:CPU:0", "/device:GPU:0"}),
            "error: the mesh has devices of types CPU and GPU "
            "('/device:GPU:0'); it may have one type");
  EXPECT_EQ(withDevices({"/job:a"}),
            "error: device '/job:a' does not end in a type and a number; write "
            "it as /job:smp/replica:0/task:0/device:CPU:0 or cpu:0");
  EXPECT_NE(withDevices({"cpu:0,1"}).find("has ',' in it"), std::string::npos);
  EXPECT_EQ(withDevices({"/device:GPU:0", "/device:GPU:0"}),
            "error: local device '/device:GPU:0' is given twice; only one CPU "
            "may stand for all devices of a process");
  EXPECT_NE(withDevices({"cpu:0", "cpu:0", "cpu:1"}).find("given twice"),
            std::string::npos);
  EXPECT_EQ(withDevices({"/device:CPU:0", "/device:CPU:0"}),
            "name|x=2,y=3|0,1,2,3,4,5|0,1|/device:CPU:0,/device:CPU:0");
  MeshParts spmd = twoByThree();
  spmd.useXlaSpmd = true;
  EXPECT_EQ(made(spmd), "error: use_xla_spmd is set for devices of type CPU; "
                        "it is for TPUs only");
}

//===----------------------------------------------------------------------===//
// Meshes over devices
//===----------------------------------------------------------------------===//

TEST(Mesh, IsCreatedOverDevices) {
  EXPECT_EQ(textOf(Mesh::create({{"x", 2}, {"y", 3}}, cpus(6), "name")),
            "name|x=2,y=3|0,1,2,3,4,5|0,1,2,3,4,5|" + kGlobal);
  EXPECT_EQ(textOf(Mesh::create({}, cpus(3))), "|x=3|0,1,2|0,1,2|" + kLocal);
  EXPECT_EQ(textOf(Mesh::create({{"a", -1}}, cpus(3))),
            "|a=3|0,1,2|0,1,2|" + kLocal);
  EXPECT_EQ(textOf(Mesh::create({{"x", 4}}, {"CPU:0"})),
            "error: length of devices (1) must be equal to total size of the "
            "mesh of shape [4]");
  EXPECT_EQ(textOf(Mesh::create({{"x", -1}, {"y", 2}}, cpus(8))),
            "error: length of devices (8) must be equal to total size of the "
            "mesh of shape [-1, 2]");
  EXPECT_EQ(textOf(Mesh::create({}, {})),
            "error: length of devices (0) must be equal to total size of the "
            "mesh of shape [0]");
}

TEST(Mesh, ClientsHaveEqualShares) {
  EXPECT_EQ(textOf(Mesh::create({{"x", 2}, {"y", 3}}, cpus(3), "", {1, 2})),
            "|x=2,y=3|0,1,2,3,4,5|3,4,5|" + kLocal);
  EXPECT_EQ(textOf(Mesh::create({}, cpus(3), "", {0, 2})),
            "|x=6|0,1,2,3,4,5|0,1,2|" + kLocal);
  EXPECT_EQ(textOf(Mesh::create({{"x", 8}}, cpus(2), "", {0, 2})),
            "error: Global number of devices (2 per client * 2 clients = 4) "
            "must be equal to total size of the mesh of shape [8]");
  EXPECT_EQ(textOf(Mesh::create({}, cpus(2), "", {2, 2})),
            "error: the mesh is for client 2 of 2; clients are numbered from "
            "0, and there is one at least");
  EXPECT_EQ(textOf(Mesh::create({}, cpus(2), "", {0, INT64_MAX})),
            "error: the mesh is for 2 devices on each of 9223372036854775807 "
            "clients; a mesh has at most 65536");
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TEST(Mesh, TellsWhereDevicesAre) {
  const Mesh mesh = *Mesh::fromString(kTwoByThree);
  EXPECT_EQ(mesh.name(), "name");
  EXPECT_EQ(mesh.size(), 6);
  EXPECT_EQ(mesh.deviceType(), "CPU");
  EXPECT_EQ(mesh.dimensions()[1], (MeshDimension{"y", 3}));
  EXPECT_EQ(mesh.localDeviceIds(), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(mesh.strides(), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(mesh.find("y"), 1u);
  EXPECT_EQ(mesh.find("z"), std::nullopt);
  EXPECT_EQ(*mesh.dimensionSize("x"), 2);
  EXPECT_EQ(mesh.dimensionSize("z").error(),
            "Dimension 'z' does not exist in mesh. Available dimensions: x, y");
  std::vector<std::vector<int64_t>> places;
  for (int64_t id : mesh.globalDeviceIds())
    places.push_back(mesh.coordinates(id));
  EXPECT_EQ(places, (std::vector<std::vector<int64_t>>{
                        {0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
}

TEST(Mesh, IdsNeedNotBeginAtZero) { // DTensor's coords() are shifted then.
  const Mesh mesh =
      *Mesh::fromString("|x=2,y=2|5,6,7,8|7,8|/device:GPU:0,/device:GPU:1");
  EXPECT_EQ(mesh.strides(), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(mesh.coordinates(5), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(mesh.coordinates(8), (std::vector<int64_t>{1, 1}));
}

TEST(Mesh, TheEmptyOneHasNothing) {
  const Mesh mesh;
  EXPECT_TRUE(mesh.isEmpty());
  EXPECT_EQ(mesh.size(), 0);
  EXPECT_EQ(mesh.deviceType(), "");
  EXPECT_TRUE(mesh.dimensions().empty() && mesh.strides().empty());
}
