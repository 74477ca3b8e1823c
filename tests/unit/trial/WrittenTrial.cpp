// SPDX-License-Identifier: Apache-2.0
#include "WrittenTrial.h"
#include "smp/serialization/EventRecord.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace smp::test {

namespace fs = std::filesystem;

static void write(const fs::path &file, const std::string &text) {
  fs::create_directories(file.parent_path());
  const fs::path made = file.string() + ".tmp";
  if (!(std::ofstream(made, std::ios::binary) << text).flush())
    std::abort();
  fs::rename(made, file);
}

WrittenTrial::WrittenTrial(fs::path folder, unsigned workers)
    : root(std::move(folder)) {
  for (unsigned worker = 0; worker < workers; ++worker)
    write(root / "collections/000000000" /
              ("worker_" + std::to_string(worker) + "_collections.json"),
          R"({"collections": {"losses": {"name": "losses", "include_regex": )"
          R"(["loss"]}}, "_meta": {"num_workers": )" +
              std::to_string(workers) + "}}");
}

static std::string digits(uint64_t number, int count) {
  char text[32];
  std::snprintf(text, sizeof(text), "%0*llu", count,
                static_cast<unsigned long long>(number));
  return text;
}

static std::string fileName(uint64_t step, unsigned worker) {
  return digits(step, 12) + "_worker_" + std::to_string(worker);
}

static std::string eventsName(uint64_t step, unsigned worker) {
  return "events/" + digits(step, 12) + "/" + fileName(step, worker) +
         ".tfevents";
}

fs::path WrittenTrial::indexFile(uint64_t step, unsigned worker) const {
  return root / "index" / digits(step / 1000, 9) /
         (fileName(step, worker) + ".json");
}

fs::path WrittenTrial::eventsFile(uint64_t step, unsigned worker) const {
  return root / eventsName(step, worker);
}

void WrittenTrial::add(uint64_t step, Mode mode, uint64_t modeStep,
                       const Numbers &tensors, unsigned worker) const {
  std::vector<std::byte> events;
  std::string records;
  for (const auto &[name, values] : tensors) {
    const size_t start = events.size();
    const EventRecord record{.name = name,
                             .wallTime = seconds,
                             .step = step,
                             .mode = mode,
                             .modeStep = modeStep,
                             .type = {DType::F32, {int64_t(values.size())}},
                             .bytes = std::as_bytes(std::span(values))};
    if (!appendEventRecord(record, events).ok())
      std::abort();
    records += (records.empty() ? "" : ", ") +
               (R"({"tensorname": ")" + name + R"(", "start_idx": )") +
               std::to_string(start) +
               ", \"length\": " + std::to_string(events.size() - start) + "}";
  }
  write(eventsFile(step, worker),
        {reinterpret_cast<const char *>(events.data()), events.size()});
  write(indexFile(step, worker),
        R"({"meta": {"mode": ")" + std::string(toEventMode(mode)) +
            R"(", "mode_step": )" + std::to_string(modeStep) +
            R"(, "event_file_name": ")" + eventsName(step, worker) +
            R"("}, "tensor_payload": [)" + records +
            R"(], "shape_payload": []})");
}

void WrittenTrial::end() const { write(root / "training_job_end.ts", ""); }

} // namespace smp::test
