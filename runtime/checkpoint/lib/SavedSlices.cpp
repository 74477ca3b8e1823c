// SPDX-License-Identifier: Apache-2.0
#include "SavedSlices.h"
#include <algorithm>
#include <cctype>

namespace smp {

Status SavedSlices::take(const ShardedValue &value) {
  if (const auto wrong = checkValue(value))
    return invalidArgument(*wrong);
  valueType = value.type;
  valueLayout = value.layout;
  const std::vector<int64_t> &local = value.layout.mesh().localDeviceIds();
  size_t used = 0;
  for (const SliceWriter &writer :
       sliceWriters(value.layout, value.type.shape)) {
    const auto at = std::ranges::find(local, writer.deviceId);
    if (at == local.end())
      continue;
    if (used == slices.size())
      slices.emplace_back();
    Slice &slice = slices[used++];
    slice.deviceId = writer.deviceId;
    slice.bytes = value.parts[size_t(at - local.begin())].bytes;
  }
  slices.resize(used);
  return Status();
}

const std::vector<std::byte> *SavedSlices::find(int64_t deviceId) const {
  const auto found = std::ranges::find(slices, deviceId, &Slice::deviceId);
  return found == slices.end() ? nullptr : &found->bytes;
}

std::string SavedSlices::layoutText() const {
  const Mesh &mesh = valueLayout.mesh();
  MeshParts parts;
  parts.name = mesh.name();
  parts.dimensions = mesh.dimensions();
  parts.globalDeviceIds = mesh.globalDeviceIds();
  parts.globalDevices = mesh.globalDevices();
  if (parts.globalDevices.empty()) { // Names of other ranks' are not known.
    std::string type = mesh.deviceType();
    std::ranges::transform(type, type.begin(), [](unsigned char c) {
      return char(std::tolower(c));
    });
    for (int64_t id : parts.globalDeviceIds)
      parts.globalDevices.push_back(type + ":" + std::to_string(id));
  }
  parts.useXlaSpmd = mesh.useXlaSpmd();
  Mesh global = Mesh::fromParts(std::move(parts)).take();
  return toString(*Layout::create(valueLayout.specs(), std::move(global)));
}

} // namespace smp
