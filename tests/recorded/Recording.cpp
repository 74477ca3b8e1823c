// SPDX-License-Identifier: Apache-2.0
#include "Recording.h"
#include "smp/serialization/Safetensors.h"
#include <fstream>

namespace smp::test {

static std::string nameOf(const std::string &entry, char kind, size_t index) {
  return entry + "/" + kind + std::to_string(index);
}

Status writeRecording(const std::string &path,
                      std::span<const std::byte> program,
                      std::span<const RecordedStep> steps) {
  std::ofstream file(path + ".smp", std::ios::binary);
  file.write(reinterpret_cast<const char *>(program.data()),
             std::streamsize(program.size()));
  if (!file.flush())
    return invalidArgument("cannot write " + path + ".smp");
  SafetensorsMetadata errors;
  std::vector<SafetensorsTensor> tensors;
  for (const RecordedStep &step : steps) {
    errors[step.entry] = step.error;
    for (size_t i = 0; i < step.inputs.size(); ++i)
      tensors.push_back({nameOf(step.entry, 'i', i), step.inputs[i].type,
                         step.inputs[i].bytes});
    for (size_t i = 0; i < step.results.size(); ++i)
      tensors.push_back({nameOf(step.entry, 'o', i), step.results[i].type,
                         step.results[i].bytes});
  }
  return writeSafetensors(tensors, errors, path + ".safetensors").status();
}

static std::vector<HostTensor> readAll(const Safetensors &file,
                                       const std::string &entry, char kind) {
  std::vector<HostTensor> all;
  while (const SafetensorsTensor *tensor =
             file.find(nameOf(entry, kind, all.size())))
    all.push_back({tensor->type, {tensor->bytes.begin(), tensor->bytes.end()}});
  return all;
}

StatusOr<std::vector<RecordedStep>> readRecording(const std::string &path) {
  StatusOr<Safetensors> file = Safetensors::open(path + ".safetensors");
  if (!file.ok())
    return file.status();
  std::vector<RecordedStep> steps;
  for (const auto &[entry, error] : file->metadata())
    steps.push_back(
        {entry, readAll(*file, entry, 'i'), readAll(*file, entry, 'o'), error});
  return steps;
}

} // namespace smp::test
