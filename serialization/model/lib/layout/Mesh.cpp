// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Mesh.h"
#include "Text.h"
#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

namespace smp {

using namespace text;

//===----------------------------------------------------------------------===//
// What a mesh must be
//===----------------------------------------------------------------------===//

/// A word of a text of meshes or layouts.
static Problem checkWord(const std::string &what, std::string_view word,
                         std::string_view forbidden) {
  const size_t at = word.find_first_of(forbidden);
  if (at == word.npos)
    return std::nullopt;
  return say("% '%' has '%' in it, which has a meaning in the texts of meshes "
             "and layouts; leave it out",
             {what, word, word.substr(at, 1)});
}

static Problem checkDimension(const MeshDimension &dimension) {
  if (dimension.name.empty())
    return std::string("a mesh dimension has no name; give it one");
  if (Problem problem = checkWord("mesh dimension", dimension.name, " \t\n,=|"))
    return problem;
  for (std::string_view word : {"unsharded", "match", "any", "scalar"})
    if (dimension.name == word)
      return say("a mesh dimension is called '%', which says in a layout how "
                 "an axis is sharded; give it another name",
                 {dimension.name});
  if (dimension.size < 1)
    return say("mesh dimension '%' has the size %; it must be at least 1",
               {dimension.name, dimension.size});
  return std::nullopt;
}

static Problem checkDimensions(const MeshParts &parts) {
  if (parts.dimensions.empty() ||
      parts.dimensions.size() > Mesh::kMostDimensions)
    return say("the mesh has % dimensions; it must have 1 to %",
               {parts.dimensions.size(), Mesh::kMostDimensions});
  int64_t size = 1;
  std::set<std::string_view> names;
  for (const MeshDimension &dimension : parts.dimensions) {
    if (Problem problem = checkDimension(dimension))
      return problem;
    if (!names.insert(dimension.name).second)
      return say("mesh dimension '%' is given twice; names of dimensions are "
                 "unique in a mesh",
                 {dimension.name});
    if (__builtin_mul_overflow(size, dimension.size, &size) ||
        size > Mesh::kMostDevices)
      return say("the mesh has more than % devices from dimension '%' on",
                 {Mesh::kMostDevices, dimension.name});
  }
  if (size != int64_t(parts.globalDeviceIds.size()))
    return say("there are % device ids, and the mesh has % places",
               {parts.globalDeviceIds.size(), size});
  return std::nullopt;
}

static Problem checkGlobalIds(const std::vector<int64_t> &ids) {
  if (ids.empty())
    return std::string("global_device_ids is empty; a mesh needs one device at "
                       "least");
  if (ids.front() < 0)
    return say("the first device id is %; it must be 0 or more", {ids.front()});
  for (size_t i = 1; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] - 1 != ids[i - 1])
      return say("global_device_ids must sequentially increase: % follows % at "
                 "place %, row-major",
                 {ids[i], ids[i - 1], i});
  return std::nullopt;
}

static Problem checkLocalIds(const MeshParts &parts) {
  if (parts.localDeviceIds.size() != parts.localDevices.size())
    return say("there are % local device ids and % local devices; give as many",
               {parts.localDeviceIds.size(), parts.localDevices.size()});
  const int64_t first = parts.globalDeviceIds.front();
  const int64_t last = parts.globalDeviceIds.back();
  std::vector<bool> seen(parts.globalDeviceIds.size());
  for (int64_t id : parts.localDeviceIds) {
    if (id < first || id > last)
      return say("local device id % is not of the mesh, which has % to %",
                 {id, first, last});
    if (seen[size_t(id - first)])
      return say("local device id % is given twice", {id});
    seen[size_t(id - first)] = true;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Names of devices
//===----------------------------------------------------------------------===//

/// The type in "/job:smp/replica:0/task:0/device:CPU:0" or "cpu:0", in
/// capitals; empty if it has not this form.
static std::string typeOf(std::string_view device) {
  device.remove_prefix(device.rfind('/') + 1);
  if (device.starts_with("device:"))
    device.remove_prefix(7);
  const size_t colon = device.find(':');
  if (colon == device.npos || !numberOf(device.substr(colon + 1)))
    return "";
  std::string type(device.substr(0, colon));
  for (char &c : type)
    c = char(std::toupper(static_cast<unsigned char>(c)));
  return type;
}

static Problem checkDeviceNames(const std::vector<std::string> &devices,
                                const std::string &type) {
  for (const std::string &device : devices) {
    if (Problem problem = checkWord("device", device, " \t\n,|"))
      return problem;
    const std::string own = typeOf(device);
    if (own.empty())
      return say("device '%' does not end in a type and a number; write it as "
                 "/job:smp/replica:0/task:0/device:CPU:0 or cpu:0",
                 {device});
    if (own != type)
      return say(
          "the mesh has devices of types % and % ('%'); it may have one type",
          {type, own, device});
  }
  return std::nullopt;
}

/// A process may stand for many devices with its one processor.
static Problem checkDistinct(const std::vector<std::string> &devices,
                             const std::string &type) {
  std::set<std::string_view> seen;
  std::string_view repeated;
  for (const std::string &device : devices)
    if (!seen.insert(device).second)
      repeated = device;
  if (repeated.empty() || (type == "CPU" && seen.size() == 1))
    return std::nullopt;
  return say("local device '%' is given twice; only one CPU may stand for all "
             "devices of a process",
             {repeated});
}

static Problem checkDevices(const MeshParts &parts) {
  const std::vector<std::string> &local = parts.localDevices;
  const std::vector<std::string> &global = parts.globalDevices;
  if (local.empty() && global.empty())
    return std::string("the mesh has neither local nor global devices; name "
                       "some");
  if (!global.empty() && global.size() != parts.globalDeviceIds.size())
    return say(
        "there are % global devices for % device ids; give as many, or none",
        {global.size(), parts.globalDeviceIds.size()});
  const std::string type = typeOf((local.empty() ? global : local).front());
  for (const std::vector<std::string> *devices : {&local, &global})
    if (Problem problem = checkDeviceNames(*devices, type))
      return problem;
  if (Problem problem = checkDistinct(local, type))
    return problem;
  if (parts.useXlaSpmd && type != "TPU")
    return say("use_xla_spmd is set for devices of type %; it is for TPUs only",
               {type});
  return std::nullopt;
}

static Problem checkParts(const MeshParts &parts) {
  if (Problem problem = checkWord("mesh name", parts.name, " \t\n|"))
    return problem;
  if (Problem problem = checkGlobalIds(parts.globalDeviceIds))
    return problem;
  if (Problem problem = checkDimensions(parts))
    return problem;
  if (Problem problem = checkLocalIds(parts))
    return problem;
  return checkDevices(parts);
}

//===----------------------------------------------------------------------===//
// Mesh
//===----------------------------------------------------------------------===//

Mesh::Mesh() {
  static const auto &empty =
      *new std::shared_ptr(std::make_shared<const MeshParts>());
  shared = empty;
}

Mesh::Mesh(MeshParts parts)
    : shared(std::make_shared<const MeshParts>(std::move(parts))) {}

Expected<Mesh> Mesh::fromParts(MeshParts parts) {
  if (Problem problem = checkParts(parts))
    return Failure{*problem};
  return Mesh(std::move(parts));
}

/// Whether the grid has `count` places.
static bool hasPlaces(const std::vector<MeshDimension> &dimensions,
                      int64_t count) {
  int64_t size = 1;
  for (const MeshDimension &dimension : dimensions)
    if (dimension.size < 1 ||
        __builtin_mul_overflow(size, dimension.size, &size))
      return false;
  return size == count;
}

static std::string shapeText(const std::vector<MeshDimension> &dimensions) {
  std::vector<int64_t> sizes;
  for (const MeshDimension &dimension : dimensions)
    sizes.push_back(dimension.size);
  return "[" + joined(sizes, ", ") + "]";
}

/// How many devices all clients have.
static Expected<int64_t> countDevices(int64_t perClient,
                                      const MeshClient &client) {
  if (client.count < 1 || client.number < 0 || client.number >= client.count)
    return Failure{say("the mesh is for client % of %; clients are numbered "
                       "from 0, and there is one at least",
                       {client.number, client.count})};
  int64_t count = 0;
  if (__builtin_mul_overflow(perClient, client.count, &count) ||
      count > Mesh::kMostDevices)
    return Failure{say(
        "the mesh is for % devices on each of % clients; a mesh has at most %",
        {perClient, client.count, Mesh::kMostDevices})};
  return count;
}

static std::string describe(int64_t devices, int64_t perClient,
                            const MeshClient &client) {
  if (client.count == 1)
    return say("length of devices (%)", {devices});
  return say("Global number of devices (% per client * % clients = %)",
             {perClient, client.count, devices});
}

Expected<Mesh> Mesh::create(std::vector<MeshDimension> dimensions,
                            std::vector<std::string> devices, std::string name,
                            MeshClient client) {
  const auto perClient = int64_t(devices.size());
  Expected<int64_t> count = countDevices(perClient, client);
  if (!count.ok())
    return Failure{count.error()};
  if (dimensions.empty())
    dimensions = {{"x", *count}};
  if (dimensions.size() == 1 && dimensions[0].size == -1)
    dimensions[0].size = *count;
  if (!hasPlaces(dimensions, *count))
    return Failure{
        say("% must be equal to total size of the mesh of shape %",
            {describe(*count, perClient, client), shapeText(dimensions)})};
  MeshParts parts{.name = std::move(name),
                  .dimensions = std::move(dimensions),
                  .globalDeviceIds = std::vector<int64_t>(size_t(*count)),
                  .localDeviceIds = std::vector<int64_t>(size_t(perClient)),
                  .localDevices = std::move(devices)};
  std::iota(parts.globalDeviceIds.begin(), parts.globalDeviceIds.end(), 0);
  std::iota(parts.localDeviceIds.begin(), parts.localDeviceIds.end(),
            client.number * perClient);
  return fromParts(std::move(parts));
}

std::string Mesh::deviceType() const {
  if (isEmpty())
    return "";
  return typeOf((localDevices().empty() ? globalDevices() : localDevices())[0]);
}

std::optional<size_t> Mesh::find(std::string_view dimension) const {
  for (size_t i = 0; i < dimensions().size(); ++i)
    if (dimensions()[i].name == dimension)
      return i;
  return std::nullopt;
}

Expected<int64_t> Mesh::dimensionSize(std::string_view dimension) const {
  if (std::optional<size_t> found = find(dimension))
    return dimensions()[*found].size;
  std::vector<std::string> names;
  for (const MeshDimension &each : dimensions())
    names.push_back(each.name);
  return Failure{
      say("Dimension '%' does not exist in mesh. Available dimensions: %",
          {dimension, joined(names, ", ")})};
}

std::vector<int64_t> Mesh::strides() const {
  std::vector<int64_t> strides(dimensions().size(), 1);
  for (size_t i = strides.size(); i-- > 1;)
    strides[i - 1] = strides[i] * dimensions()[i].size;
  return strides;
}

std::vector<int64_t> Mesh::coordinates(int64_t deviceId) const {
  std::vector<int64_t> place = strides();
  const int64_t number = deviceId - globalDeviceIds().front();
  for (size_t i = 0; i < place.size(); ++i)
    place[i] = number / place[i] % dimensions()[i].size;
  return place;
}

bool Mesh::operator==(const Mesh &other) const {
  return shared == other.shared || parts() == other.parts();
}

} // namespace smp
