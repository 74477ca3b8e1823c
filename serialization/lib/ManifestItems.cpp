// SPDX-License-Identifier: Apache-2.0
// What a manifest says of values: items, their slices, other names.
#include "ManifestReader.h"
#include "smp/base/Lists.h"
#include "smp/model/TypeBounds.h"

namespace smp {

void ManifestReader::item(const JsonTree &value, const Where &where) {
  CheckpointManifest::Item item;
  const size_t before = problems.count();
  item.key = text(value, "key", where);
  const bool isNamed = isGoodSince(before);
  const size_t beforeType = problems.count();
  item.type = type(value, where);
  const bool isTyped = isGoodSince(beforeType);
  if (version > 1) {
    item.layout = text(value, "layout", where);
    const auto slices = list(value, "slices", where);
    for (size_t i = 0; i < slices.size(); ++i)
      slice(slices[i], where.at("slices", i), isTyped, item);
    if (isGoodSince(before))
      checkCover(item, where);
  } else {
    slice(value, where, isTyped, item);
  }
  if (isNamed && (item.key.empty() || !keys.insert(item.key).second))
    fail(where.field("key"),
         "is " + quote(item.key) + "; it must be there, and once");
  manifest.items.push_back(std::move(item));
}

void ManifestReader::name(const JsonTree &value, const Where &where) {
  CheckpointManifest::Name name;
  name.name = text(value, "name", where);
  name.key = text(value, "key", where);
  if (!name.key.empty() && !keys.contains(name.key) && !isPart && hasItems)
    fail(where.field("key"), "is " + quote(name.key) + ", of no item");
  if (name.name.empty() || keys.contains(name.name) ||
      !names.insert(name.name).second)
    fail(where.field("name"),
         "is " + quote(name.name) + "; it must be there, and once");
  manifest.names.push_back(std::move(name));
}

TensorType ManifestReader::type(const JsonTree &value, const Where &where) {
  TensorType type;
  const std::string name = text(value, "dtype", where);
  if (const std::optional<DType> dtype = parseDType(name))
    type.dtype = *dtype;
  else
    fail(where.field("dtype"),
         "is " + quote(name) + ", which smp does not know");
  type.shape = sizes(value, "shape", where);
  if (type.shape.size() > kMostDimensions)
    fail(where.field("shape"), "has " + std::to_string(type.shape.size()) +
                                   " dimensions, of at most " +
                                   std::to_string(kMostDimensions));
  else if (!checkedBytes(type))
    fail(where.field("shape"), "is too large");
  return type;
}

void ManifestReader::slice(const JsonTree &value, const Where &where,
                           bool isTyped, CheckpointManifest::Item &item) {
  CheckpointManifest::Slice slice;
  const size_t before = problems.count();
  slice.tensor = text(value, "tensor", where);
  const uint64_t file = number(value, "file", where);
  slice.file = uint32_t(file);
  const bool isRead = isGoodSince(before);
  if (isRead && hasFiles && file >= manifest.files.size())
    fail(where.field("file"), "is " + std::to_string(file) + " of " +
                                  std::to_string(manifest.files.size()) +
                                  " files");
  else if (isRead && !tensors.insert({slice.file, slice.tensor}).second)
    fail(where.field("tensor"),
         "is " + quote(slice.tensor) + " of another item's");
  if (version > 1) {
    const size_t beforeBox = problems.count();
    slice.box = {sizes(value, "offset", where), sizes(value, "extent", where)};
    if (isTyped && isGoodSince(beforeBox))
      checkBox(slice.box, where, item.type.shape);
  } else {
    slice.box = wholeOf(item.type.shape);
  }
  item.slices.push_back(std::move(slice));
}

void ManifestReader::checkBox(const TensorSlice &box, const Where &where,
                              const Shape &shape) {
  const size_t rank = shape.size();
  bool isInside = box.offset.size() == rank && box.extent.size() == rank;
  for (size_t d = 0; isInside && d < rank; ++d)
    isInside =
        box.offset[d] <= shape[d] && box.extent[d] <= shape[d] - box.offset[d];
  if (!isInside)
    fail(where, "has the offset [" + join(box.offset, ",") +
                    "] and the extent [" + join(box.extent, ",") + "], of [" +
                    join(shape, ",") + "]");
}

void ManifestReader::checkCover(const CheckpointManifest::Item &item,
                                const Where &where) {
  if (isPart)
    return;
  if (item.slices.empty())
    return fail(where.field("slices"), "is empty");
  std::vector<TensorSlice> boxes;
  for (const CheckpointManifest::Slice &slice : item.slices)
    boxes.push_back(slice.box);
  if (auto fault = findCoverFault(item.type.shape, boxes))
    fail(where.field("slices"),
         "has the element [" + join(fault->element, ",") + "] of " +
             quote(item.key) + " " + std::to_string(fault->times) + " times");
}

} // namespace smp
