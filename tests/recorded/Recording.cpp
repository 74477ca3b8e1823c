// SPDX-License-Identifier: Apache-2.0
#include "Recording.h"
#include "smp/serialization/Safetensors.h"
#include <fstream>
#include <sstream>

namespace smp::test {

static std::string nameOf(const std::string &entry, char kind, size_t index) {
  return entry + "/" + kind + std::to_string(index);
}

/// Results of more bytes are known by a digest.
static constexpr size_t kMostResultBytes = 16 << 10;

/// "f32 1 0 77 3x4": dtype, fill, bound and seed, then the sizes.
static std::string textOf(const DrawnTensor &drawn) {
  const auto &[type, fill, bound] = drawn.operand;
  std::ostringstream text;
  text << toString(type.dtype) << ' ' << int(fill) << ' ' << bound << ' '
       << drawn.seed;
  for (int64_t size : type.shape)
    text << ' ' << size;
  return text.str();
}

static DrawnTensor parseDrawn(const std::string &text) {
  std::istringstream words(text);
  DrawnTensor drawn;
  std::string dtype;
  int fill = 0;
  words >> dtype >> fill >> drawn.operand.bound >> drawn.seed;
  drawn.operand.type.dtype = parseDType(dtype).value();
  drawn.operand.fill = Fill(fill);
  for (int64_t size; words >> size;)
    drawn.operand.type.shape.push_back(size);
  return drawn;
}

Status writeRecording(const std::string &path,
                      std::span<const std::byte> program,
                      std::span<const RecordedStep> steps) {
  std::ofstream file(path + ".smp", std::ios::binary);
  file.write(reinterpret_cast<const char *>(program.data()),
             std::streamsize(program.size()));
  if (!file.flush())
    return invalidArgument("cannot write " + path + ".smp");
  SafetensorsMetadata said;
  std::vector<SafetensorsTensor> tensors;
  auto store = [&](const std::string &name, const HostTensor &tensor) {
    tensors.push_back({name, tensor.type, tensor.bytes});
  };
  for (const RecordedStep &step : steps) {
    said[step.entry] = step.error;
    for (size_t i = 0; i < step.drawn.size(); ++i)
      said[nameOf(step.entry, 'i', i)] = textOf(step.drawn[i]);
    for (size_t i = step.drawn.size(); i < step.inputs.size(); ++i)
      store(nameOf(step.entry, 'i', i), step.inputs[i]);
    for (size_t i = 0; i < step.results.size(); ++i) {
      const std::string name = nameOf(step.entry, 'o', i);
      if (step.results[i].bytes.size() > kMostResultBytes)
        said[name] = digestOf(step.results[i]);
      else
        store(name, step.results[i]);
    }
  }
  return writeSafetensors(tensors, said, path + ".safetensors").status();
}

static RecordedStep readStep(const Safetensors &file, const std::string &entry,
                             const std::string &error) {
  const SafetensorsMetadata &said = file.metadata();
  RecordedStep step{entry, {}, {}, error};
  for (;;) {
    const std::string name = nameOf(entry, 'i', step.inputs.size());
    if (const auto drawn = said.find(name); drawn != said.end())
      step.inputs.push_back(draw(parseDrawn(drawn->second)));
    else if (const SafetensorsTensor *tensor = file.find(name))
      step.inputs.push_back(
          {tensor->type, {tensor->bytes.begin(), tensor->bytes.end()}});
    else
      break;
  }
  for (;;) {
    const std::string name = nameOf(entry, 'o', step.results.size());
    const auto digest = said.find(name);
    const SafetensorsTensor *tensor = file.find(name);
    if (!tensor && digest == said.end())
      return step;
    step.digests.push_back(tensor ? "" : digest->second);
    HostTensor &result = step.results.emplace_back();
    if (tensor)
      result = {tensor->type, {tensor->bytes.begin(), tensor->bytes.end()}};
  }
}

StatusOr<std::vector<RecordedStep>> readRecording(const std::string &path) {
  StatusOr<Safetensors> file = Safetensors::open(path + ".safetensors");
  if (!file.ok())
    return file.status();
  std::vector<RecordedStep> steps;
  for (const auto &[name, error] : file->metadata())
    if (name.find('/') == std::string::npos)
      steps.push_back(readStep(*file, name, error));
  return steps;
}

} // namespace smp::test
