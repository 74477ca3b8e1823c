// SPDX-License-Identifier: Apache-2.0
// The text of a mesh, read and written.
#include "Text.h"
#include "smp/model/Mesh.h"

namespace smp {

using namespace text;

static constexpr std::string_view kEmpty = "empty_mesh", kXla = "use_xla_spmd";

std::string toString(const Mesh &mesh) {
  if (mesh.isEmpty())
    return std::string(kEmpty);
  std::vector<std::string> dimensions;
  for (const MeshDimension &dimension : mesh.dimensions())
    dimensions.push_back(dimension.name + '=' + number(dimension.size));
  std::vector<std::string> parts{
      mesh.name(), joined(dimensions, ","), joined(mesh.globalDeviceIds(), ","),
      joined(mesh.localDeviceIds(), ","), joined(mesh.localDevices(), ",")};
  if (!mesh.globalDevices().empty())
    parts.push_back(joined(mesh.globalDevices(), ","));
  if (mesh.useXlaSpmd())
    parts.emplace_back(kXla);
  return joined(parts, "|");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Items of a list; an empty text is an empty list.
static std::vector<std::string_view> itemsOf(std::string_view text) {
  return text.empty() ? std::vector<std::string_view>() : split(text, ',');
}

static Problem readDimensions(std::string_view text,
                              std::vector<MeshDimension> &dimensions) {
  for (std::string_view item : itemsOf(text)) {
    const size_t equals = item.find('=');
    const std::optional<int64_t> size =
        equals == item.npos ? std::nullopt : numberOf(item.substr(equals + 1));
    if (!size)
      return say("mesh dimension '%' is not a name and a size; write it as x=2",
                 {item});
    dimensions.push_back({std::string(item.substr(0, equals)), *size});
  }
  return std::nullopt;
}

static Problem readIds(const char *what, std::string_view text,
                       std::vector<int64_t> &ids) {
  for (std::string_view item : itemsOf(text)) {
    const std::optional<int64_t> id = numberOf(item);
    if (!id)
      return say("the % device id '%' is not a whole number",
                 {std::string_view(what), item});
    ids.push_back(*id);
  }
  return std::nullopt;
}

static void readDevices(std::string_view text,
                        std::vector<std::string> &devices) {
  for (std::string_view item : itemsOf(text))
    devices.emplace_back(item);
}

/// "name|x=2|*CPU".
static Expected<Mesh> generate(MeshParts parts, std::string_view instruction) {
  constexpr size_t kMostLetters = 32; // As many devices may be called so.
  if (!instruction.starts_with('*') || instruction.size() > 1 + kMostLetters)
    return Failure{say("a mesh of three parts ends in '*' and a type of device "
                       "of at most % letters, as *CPU, and this one in '%'",
                       {kMostLetters, instruction})};
  int64_t count = 1;
  for (const MeshDimension &dimension : parts.dimensions)
    if (dimension.size < 1 || dimension.size > Mesh::kMostDevices ||
        (count *= dimension.size) > Mesh::kMostDevices)
      return Failure{say("mesh dimension '%' has the size %; it must be at "
                         "least 1, and a mesh has at most % devices",
                         {dimension.name, dimension.size, Mesh::kMostDevices})};
  for (int64_t i = 0; i < count; ++i) {
    parts.globalDeviceIds.push_back(i);
    parts.localDevices.push_back(
        say("/job:localhost/task:0/device:%:%", {instruction.substr(1), i}));
  }
  parts.localDeviceIds = parts.globalDeviceIds;
  return Mesh::fromParts(std::move(parts));
}

/// What is behind the local devices: global devices, kXla, both or neither.
static Problem readOptions(std::vector<std::string_view> options,
                           MeshParts &parts) {
  if (!options.empty() && options.back() == kXla) {
    parts.useXlaSpmd = true;
    options.pop_back();
  }
  if (!options.empty())
    readDevices(options.front(), parts.globalDevices);
  if (options.size() < 2)
    return std::nullopt;
  return say("the seventh part of the mesh is '%'; it may only be %",
             {options[1], kXla});
}

Expected<Mesh> Mesh::fromString(std::string_view text) {
  if (text == kEmpty)
    return Mesh();
  const std::vector<std::string_view> items = split(text, '|');
  if (items.size() == 1 && text.starts_with('/'))
    return Failure{say("mesh '%' is a single device without dimensions; write "
                       "|x=1|0|0|<device>",
                       {text})};
  if (items.size() != 3 && (items.size() < 5 || items.size() > 7))
    return Failure{say("mesh '%' has % parts between '|'; it must have 5 to 7 "
                       "(name, dimensions, ids, local ids, local devices), or "
                       "3 (name, dimensions, *CPU)",
                       {text, items.size()})};
  MeshParts parts;
  parts.name = items[0];
  if (Problem problem = readDimensions(items[1], parts.dimensions))
    return Failure{*problem};
  if (items.size() == 3)
    return generate(std::move(parts), items[2]);
  Problem problem = readIds("global", items[2], parts.globalDeviceIds);
  if (!problem)
    problem = readIds("local", items[3], parts.localDeviceIds);
  readDevices(items[4], parts.localDevices);
  if (!problem)
    problem = readOptions({items.begin() + 5, items.end()}, parts);
  if (problem)
    return Failure{*problem};
  return fromParts(std::move(parts));
}

} // namespace smp
