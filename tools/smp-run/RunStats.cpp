// SPDX-License-Identifier: Apache-2.0
#include "RunStats.h"
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace smp {

namespace {
struct Latency {
  double median, min, p90; // Milliseconds.
};
} // namespace

static Latency latencyOf(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const size_t last = seconds.size() - 1;
  const double middle = (seconds[last / 2] + seconds[last - last / 2]) / 2;
  return {middle * 1e3, seconds[0] * 1e3, seconds[(last * 9 + 9) / 10] * 1e3};
}

std::string RunStats::json() const {
  using Json = nlohmann::ordered_json;
  const Latency latency = latencyOf(seconds);
  Json peak = Json::object(), imported = Json::object();
  Json kinds = Json::object();
  for (const DeviceMemory &device : memory) {
    kinds[device.device] = device.kind;
    peak[device.device] = device.peakBytes;
    imported[device.device] = device.importedBytes;
  }
  Json list = Json::array();
  for (const StageTime &stage : stages)
    list.push_back({{"name", stage.stage},
                    {"partition", stage.partition},
                    {"predicted_ms", stage.predictedSeconds * 1e3},
                    {"measured_ms", stage.measuredSeconds * 1e3},
                    {"runs", stage.runs}});
  Json works = Json::array();
  for (const KernelWork &work : kernels)
    works.push_back({{"name", work.kernel},
                     {"partition", work.partition},
                     {"launches", work.counts.launches},
                     {"thread_instructions", work.counts.threadInstructions},
                     {"sectors_read", work.counts.sectorsRead},
                     {"sectors_written", work.counts.sectorsWritten},
                     {"bank_conflicts", work.counts.bankConflicts},
                     {"buffer_bytes", work.bufferBytes}});
  const Json all = {{"entry", entry},
                    {"microbatches", microbatches},
                    {"steps", seconds.size()},
                    {"latency_ms",
                     {{"median", latency.median},
                      {"min", latency.min},
                      {"p90", latency.p90}}},
                    {"load_ms", load.loadSeconds * 1e3},
                    {"jit_ms", load.jitSeconds * 1e3},
                    {"weights_ms", load.weightsSeconds * 1e3},
                    {"pack_ms", load.packSeconds * 1e3},
                    {"kinds", kinds},
                    {"peak_bytes", peak},
                    {"imported_bytes", imported},
                    {"stages", list},
                    {"kernels", works}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static std::string format(const char *pattern, auto... values) {
  char line[256];
  std::snprintf(line, sizeof(line), pattern, values...);
  return line;
}

std::string RunStats::text() const {
  const Latency latency = latencyOf(seconds);
  std::string text = format(
      "%zu steps of %u microbatches: median %.3f ms, min %.3f, p90 %.3f\n",
      seconds.size(), microbatches, latency.median, latency.min, latency.p90);
  text += format("load %.3f ms, JIT %.3f ms, weights %.3f ms, "
                 "packing %.3f ms\n",
                 load.loadSeconds * 1e3, load.jitSeconds * 1e3,
                 load.weightsSeconds * 1e3, load.packSeconds * 1e3);
  for (const DeviceMemory &device : memory)
    text += format("partition %u on %s (%s): peak %.3f MB, "
                   "used in place %.3f MB\n",
                   device.partition, device.device.c_str(), device.kind.c_str(),
                   double(device.peakBytes) / 1e6,
                   double(device.importedBytes) / 1e6);
  for (const StageTime &stage : stages)
    text += format("stage %s on partition %u: predicted %.3f ms, "
                   "measured %.3f ms\n",
                   stage.stage.c_str(), stage.partition,
                   stage.predictedSeconds * 1e3, stage.measuredSeconds * 1e3);
  for (const KernelWork &work : kernels)
    text +=
        format("kernel %s on partition %u: %" PRIu64
               " launches, %.3f MB moved of %.3f in its buffers, "
               "%" PRIu64 " instructions, %" PRIu64 " bank conflicts\n",
               work.kernel.c_str(), work.partition, work.counts.launches,
               double(work.movedBytes()) / 1e6, double(work.bufferBytes) / 1e6,
               work.counts.threadInstructions, work.counts.bankConflicts);
  return text;
}

} // namespace smp
