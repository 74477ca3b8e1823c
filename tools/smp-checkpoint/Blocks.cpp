// SPDX-License-Identifier: Apache-2.0
#include "Blocks.h"
#include <algorithm>

namespace smp {

Status forEachBlock(const TensorSlice &box, size_t elementBytes,
                    const std::function<Status(const TensorSlice &)> &visit) {
  if (numElements(box.extent) == 0)
    return Status();
  const auto most = int64_t(kBlockBytes / elementBytes);
  // A block has one place of each dimension before `cut`, some of that one, and
  // all of those after it.
  size_t cut = box.extent.size();
  int64_t inner = 1;
  while (cut > 0 && inner * box.extent[cut - 1] <= most)
    inner *= box.extent[--cut];
  if (cut == 0)
    return visit(box);
  --cut;
  const int64_t places = std::max<int64_t>(most / inner, 1);
  TensorSlice block = box;
  for (size_t d = 0; d < cut; ++d)
    block.extent[d] = 1;
  for (;;) {
    const int64_t end = box.offset[cut] + box.extent[cut];
    for (int64_t at = box.offset[cut]; at < end; at += places) {
      block.offset[cut] = at;
      block.extent[cut] = std::min(places, end - at);
      SMP_RETURN_IF_ERROR(visit(block));
    }
    size_t d = cut;
    for (; d > 0 &&
           block.offset[d - 1] + 1 == box.offset[d - 1] + box.extent[d - 1];
         --d)
      block.offset[d - 1] = box.offset[d - 1];
    if (d == 0)
      return Status();
    ++block.offset[d - 1];
  }
}

} // namespace smp
