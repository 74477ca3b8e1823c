// SPDX-License-Identifier: Apache-2.0
#include "smp/model/ShardedValue.h"
#include "Text.h"

namespace smp {

using namespace text;

static Problem checkType(const TensorType &type, const Layout &layout) {
  if (Problem problem = checkShape(layout, type.shape))
    return problem;
  if (!checkedBytes(type))
    return say("a tensor % has too many bytes to be counted", {toString(type)});
  return std::nullopt;
}

static TensorType typeOn(const ShardedValue &value, int64_t deviceId) {
  return {value.type.dtype,
          shardOf(value.layout, value.type.shape, deviceId).extent};
}

Expected<ShardedValue> ShardedValue::zeros(TensorType type, Layout layout) {
  if (Problem problem = checkType(type, layout))
    return Failure{*problem};
  ShardedValue value{std::move(type), std::move(layout), {}};
  for (int64_t id : value.layout.mesh().localDeviceIds())
    value.parts.push_back(HostTensor::zeros(typeOn(value, id)));
  return value;
}

static Problem checkPart(const ShardedValue &value, size_t i) {
  const HostTensor &part = value.parts[i];
  const int64_t id = value.layout.mesh().localDeviceIds()[i];
  const TensorType type = typeOn(value, id);
  if (part.type != type)
    return say("part %, of device %, is %, and its shard by the layout %",
               {i, id, toString(part.type), toString(type)});
  if (int64_t(part.bytes.size()) != type.bytes())
    return say("part %, of device %, has % bytes, and % has %",
               {i, id, part.bytes.size(), toString(type), type.bytes()});
  return std::nullopt;
}

std::optional<std::string> checkValue(const ShardedValue &value) {
  if (Problem problem = checkType(value.type, value.layout))
    return problem;
  const std::vector<int64_t> &ids = value.layout.mesh().localDeviceIds();
  if (value.parts.size() != ids.size())
    return say("the value has % parts, and its mesh % local devices; give each "
               "its part, in their order",
               {value.parts.size(), ids.size()});
  for (size_t i = 0; i < ids.size(); ++i)
    if (Problem problem = checkPart(value, i))
      return problem;
  return std::nullopt;
}

} // namespace smp
