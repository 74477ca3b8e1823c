// SPDX-License-Identifier: Apache-2.0
#include "GraphToOnnx.h"
#include "smp/base/AtomicFile.h"
#include "smp/base/Quote.h"
#include "smp/tools/ExportOnnx.h"

namespace smp {

using onnx::Weight;

/// External data begin at multiples of a page, so that they can be mapped.
static constexpr uint64_t kDataAlignment = 4096;
/// The most that protobuf reads.
static constexpr uint64_t kMostMessageBytes = INT32_MAX;

static uint64_t aligned(uint64_t offset) {
  return (offset + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
}

static StatusOr<std::string> serialize(const proto::onnx::Model &message) {
  if (const uint64_t bytes = message.ByteSizeLong(); bytes > kMostMessageBytes)
    return resourceExhausted("the ONNX model would have " +
                             std::to_string(bytes) +
                             " bytes without its weights, of at most " +
                             std::to_string(kMostMessageBytes));
  return message.SerializeAsString();
}

static void putInside(const std::vector<Weight> &weights) {
  for (const Weight &weight : weights)
    weight.tensor->set_raw_data(weight.bytes.data(), weight.bytes.size());
}

/// Says of each weight where it is in `file`.
static void putBeside(const std::vector<Weight> &weights,
                      const std::string &file) {
  uint64_t offset = 0;
  for (const Weight &weight : weights) {
    weight.tensor->set_data_location(proto::onnx::Tensor::EXTERNAL);
    for (const auto &[key, value] :
         std::initializer_list<std::pair<const char *, std::string>>{
             {"location", file},
             {"offset", std::to_string(offset)},
             {"length", std::to_string(weight.bytes.size())}}) {
      proto::onnx::Entry &entry = *weight.tensor->add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    offset = aligned(offset + weight.bytes.size());
  }
}

static Status writeData(const std::vector<Weight> &weights,
                        const std::string &path) {
  static constexpr std::byte kZeros[kDataAlignment] = {};
  SMP_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  uint64_t offset = 0;
  for (const Weight &weight : weights) {
    SMP_RETURN_IF_ERROR(
        file.write(std::span(kZeros).first(size_t(aligned(offset) - offset))));
    SMP_RETURN_IF_ERROR(file.write(weight.bytes));
    offset = aligned(offset) + weight.bytes.size();
  }
  return file.commit();
}

StatusOr<std::string> serializeOnnx(const ExportedModel &model) {
  proto::onnx::Model message;
  SMP_ASSIGN_OR_RETURN(const auto weights, onnx::toOnnx(model, message));
  putInside(weights);
  return serialize(message);
}

Status writeOnnx(const ExportedModel &model, const std::string &path,
                 uint64_t mostInside) {
  proto::onnx::Model message;
  SMP_ASSIGN_OR_RETURN(const auto weights, onnx::toOnnx(model, message));
  uint64_t bytes = 0;
  for (const Weight &weight : weights)
    bytes += weight.bytes.size();
  if (bytes <= mostInside) {
    putInside(weights);
    SMP_ASSIGN_OR_RETURN(const std::string text, serialize(message));
    return writeFile(path, text);
  }
  const std::string file = path.substr(path.rfind('/') + 1) + ".data";
  SMP_ASSIGN_OR_RETURN(const std::string beside, pathBeside(path, file));
  putBeside(weights, file);
  SMP_ASSIGN_OR_RETURN(const std::string text, serialize(message));
  return writeFile(path, std::as_bytes(std::span(text)),
                   [&] { return writeData(weights, beside); });
}

} // namespace smp
