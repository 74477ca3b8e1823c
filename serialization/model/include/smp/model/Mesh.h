// SPDX-License-Identifier: Apache-2.0
// Meshes: devices in a grid whose dimensions have names, as DTensor has them.
//
//   auto mesh = smp::Mesh::create({{"x", 2}, {"y", 3}}, devices); // Six.
//   toString(*mesh); // "|x=2,y=3|0,1,2,3,4,5|0,1,2,3,4,5|/job:smp/...,..."
//
// docs/coming-from/dtensor.md has DTensor's calls beside these.

#ifndef SMP_MODEL_MESH_H
#define SMP_MODEL_MESH_H

#include "smp/model/Expected.h"
#include "smp/model/Export.h"
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace smp {

struct MeshDimension {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshDimension &) const = default;
};

/// Which of several processes that have equally many devices each.
struct MeshClient {
  int64_t number = 0, count = 1;
};

/// All that a mesh is made of. A device has an id, and the ids go up by one
/// through the grid, row-major. A name is a type and a number behind what says
/// where the device is: "/job:smp/replica:0/task:1/device:CPU:0", or "cpu:0".
struct MeshParts {
  std::string name = {};
  std::vector<MeshDimension> dimensions = {}; ///< Outermost first.
  std::vector<int64_t> globalDeviceIds = {};
  /// Devices of this process, and their names in the same order.
  std::vector<int64_t> localDeviceIds = {};
  std::vector<std::string> localDevices = {};
  /// Names of all devices, or empty.
  std::vector<std::string> globalDevices = {};
  bool useXlaSpmd = false; ///< Carried for TPUs; nothing here depends on it.
  bool operator==(const MeshParts &) const = default;
};

/// A mesh that was checked, or the empty one. Immutable; copies share it.
class SMP_API Mesh {
public:
  static constexpr int64_t kMostDevices = 1 << 16;
  static constexpr size_t kMostDimensions = 64;

  /// The empty mesh: "empty_mesh".
  Mesh();
  /// Fails unless the names of dimensions are unique and fit into a text (no
  /// space, comma, '=' or '|'), ids are consecutive and as many as the grid has
  /// places, devices have one type, and those of this process are different
  /// devices of the mesh; a type "CPU" may be one device many times.
  static Expected<Mesh> fromParts(MeshParts parts);
  /// The devices of this process as a mesh, or as their share of one: client 1
  /// of 2 with 4 devices has the ids 4 to 7 of 8. No dimensions are one, "x";
  /// the size -1 of a single dimension is the number of all devices.
  static Expected<Mesh> create(std::vector<MeshDimension> dimensions,
                               std::vector<std::string> devices,
                               std::string name = "", MeshClient client = {});
  /// Reads what toString() writes. "name|x=2|*CPU" is a mesh of CPUs of this
  /// process, "/job:localhost/task:0/device:CPU:0" and so on.
  static Expected<Mesh> fromString(std::string_view text);

  bool isEmpty() const { return parts().globalDeviceIds.empty(); }
  const std::string &name() const { return parts().name; }
  const std::vector<MeshDimension> &dimensions() const {
    return parts().dimensions;
  }
  /// How many devices there are; 0 for the empty mesh.
  int64_t size() const { return int64_t(globalDeviceIds().size()); }
  const std::vector<int64_t> &globalDeviceIds() const {
    return parts().globalDeviceIds;
  }
  const std::vector<int64_t> &localDeviceIds() const {
    return parts().localDeviceIds;
  }
  const std::vector<std::string> &localDevices() const {
    return parts().localDevices;
  }
  const std::vector<std::string> &globalDevices() const {
    return parts().globalDevices;
  }
  bool useXlaSpmd() const { return parts().useXlaSpmd; }
  /// In capitals: "CPU". Empty for the empty mesh.
  std::string deviceType() const;

  /// The place of a dimension; nothing when there is none of that name.
  std::optional<size_t> find(std::string_view dimension) const;
  /// The size of a dimension; fails with a list of those that there are.
  Expected<int64_t> dimensionSize(std::string_view dimension) const;
  /// Of dimensions [a, b, c]: [b*c, c, 1].
  std::vector<int64_t> strides() const;
  /// Where a device of the mesh is, per dimension.
  std::vector<int64_t> coordinates(int64_t deviceId) const;

  bool operator==(const Mesh &other) const;

private:
  explicit Mesh(MeshParts parts);
  const MeshParts &parts() const { return *shared; }

  std::shared_ptr<const MeshParts> shared;
};

/// "name|x=2,y=3|0,1,2,3,4,5|0,1,2|<local devices>": the name, dimensions, ids,
/// local ids and local devices; behind them, if given, "|<global devices>" and
/// "|use_xla_spmd".
SMP_API std::string toString(const Mesh &mesh);

} // namespace smp

#endif // SMP_MODEL_MESH_H
