// SPDX-License-Identifier: Apache-2.0
#include "TraceFile.h"
#include "smp/base/AtomicFile.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace smp {

using Json = nlohmann::ordered_json;

void TraceFile::add(std::span<const ProfileSpan> spans) {
  constexpr size_t kMost = 1000000;
  if (kept.size() + spans.size() > kMost && !kept.empty())
    return;
  for (const ProfileSpan &span : spans)
    kept.push_back({span, std::string(span.name)});
}

/// The name of a row.
static Json rowName(uint32_t partition, const std::string &name) {
  return {{"name", "thread_name"},
          {"ph", "M"},
          {"pid", 0},
          {"tid", partition},
          {"args", {{"name", name}}}};
}

Status TraceFile::write(const std::string &path,
                        std::span<const DeviceMemory> devices) const {
  uint64_t start = ~uint64_t(0);
  for (const Kept &one : kept)
    start = std::min(start, one.span.begin);
  Json events = Json::array();
  for (const DeviceMemory &device : devices)
    events.push_back(rowName(device.partition,
                             "partition " + std::to_string(device.partition) +
                                 " (" + device.device + ")"));
  for (const auto &[span, name] : kept)
    events.push_back(
        {{"name", name},
         {"cat", span.kind == ProfileSpan::Kind::Stage ? "stage" : "kernel"},
         {"ph", "X"},
         {"pid", 0},
         {"tid", span.partition},
         {"ts", double(span.begin - start) * 1e-3},
         {"dur", double(span.end - span.begin) * 1e-3},
         {"args", {{"microbatch", span.microbatch}}}});
  const Json all = {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
  return writeFile(path,
                   all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace smp
