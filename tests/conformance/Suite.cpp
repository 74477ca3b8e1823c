// SPDX-License-Identifier: Apache-2.0
#include "Suite.h"
#include "smp/model/Float16.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <fstream>

namespace fs = std::filesystem;

namespace smp::conformance {

std::vector<Case> findCases(const fs::path &suite) {
  std::vector<Case> cases;
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(suite, failed))
    if (fs::exists(entry.path() / "model.onnx"))
      cases.push_back({entry.path().filename().string(), entry.path()});
  std::sort(cases.begin(), cases.end(),
            [](const Case &a, const Case &b) { return a.name < b.name; });
  return cases;
}

/// Reads prefix_0.pb, prefix_1.pb, ... of a data set.
static bool readTensors(const fs::path &folder, const char *prefix,
                        std::vector<NamedTensor> &tensors, std::string &error) {
  for (int i = 0;; ++i) {
    fs::path path = folder / (prefix + std::to_string(i) + ".pb");
    auto file = llvm::MemoryBuffer::getFile(path.string());
    if (!file)
      return true;
    auto tensor = parseOnnxTensor((*file)->getBuffer(), error);
    if (!tensor) {
      error = path.filename().string() + ": " + error;
      return false;
    }
    tensors.push_back(std::move(*tensor));
  }
}

std::optional<std::string> readModel(const Case &test, std::string &error) {
  auto file = llvm::MemoryBuffer::getFile(test.model().string());
  if (file)
    return (*file)->getBuffer().str();
  error = "model.onnx: " + file.getError().message();
  return std::nullopt;
}

std::optional<Data> readData(const Case &test, std::string &error) {
  fs::path folder = test.folder / "test_data_set_0";
  Data data;
  if (!readTensors(folder, "input_", data.inputs, error) ||
      !readTensors(folder, "output_", data.outputs, error))
    return std::nullopt;
  if (!data.outputs.empty())
    return data;
  error = "has no recorded outputs";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

template <typename T>
static double itemOf(const HostTensor &tensor, size_t i) {
  return double(tensor.as<T>()[i]);
}

static double element(const HostTensor &tensor, size_t i) {
  switch (tensor.type.dtype) {
  case DType::F64:
    return itemOf<double>(tensor, i);
  case DType::F32:
    return itemOf<float>(tensor, i);
  case DType::BF16:
    return fromFloat16(tensor.as<uint16_t>()[i], kBF16);
  case DType::F16:
    return fromFloat16(tensor.as<uint16_t>()[i], kF16);
  case DType::I64:
    return itemOf<int64_t>(tensor, i);
  case DType::I32:
    return itemOf<int32_t>(tensor, i);
  case DType::I16:
    return itemOf<int16_t>(tensor, i);
  case DType::I8:
    return itemOf<int8_t>(tensor, i);
  case DType::U64:
    return itemOf<uint64_t>(tensor, i);
  case DType::U32:
    return itemOf<uint32_t>(tensor, i);
  case DType::U16:
    return itemOf<uint16_t>(tensor, i);
  case DType::U8:
  case DType::Bool:
    return itemOf<uint8_t>(tensor, i);
  }
  return NAN;
}

/// How far an element may be from the expected one, as a part of it.
static double toleranceOf(DType dtype) {
  switch (dtype) {
  case DType::BF16:
    return 2 * 0x1p-7;
  case DType::F16:
    return 2 * 0x1p-10;
  default:
    return 1e-3;
  }
}

static bool isClose(double expected, double actual, double tolerance) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) == std::isnan(actual);
  if (std::isinf(expected) || std::isinf(actual))
    return expected == actual;
  return std::abs(actual - expected) <= 1e-7 + tolerance * std::abs(expected);
}

HostTensor retag(HostTensor tensor, DType wanted) {
  if (tensor.type.dtype == DType::U16 && wanted == DType::BF16)
    tensor.type.dtype = DType::BF16;
  return tensor;
}

std::string compare(const HostTensor &recorded, const HostTensor &actual) {
  HostTensor expected = retag(recorded, actual.type.dtype);
  if (expected.type != actual.type)
    return "is " + toString(actual.type) + ", expected " +
           toString(expected.type);
  for (size_t i = 0; i < size_t(expected.type.elements()); ++i) {
    double e = element(expected, i), a = element(actual, i);
    if (!isClose(e, a, toleranceOf(expected.type.dtype)))
      return llvm::formatv("element {0} is {1:E}, expected {2:E}", i, a, e);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Exclusions
//===----------------------------------------------------------------------===//

std::optional<std::map<std::string, std::string>>
readExclusions(const fs::path &path, std::string &error) {
  std::ifstream file(path);
  std::map<std::string, std::string> result;
  std::string line;
  if (!file) {
    error = "cannot read " + path.string();
    return std::nullopt;
  }
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#')
      continue;
    size_t cut = line.find(": ");
    if (cut == std::string::npos ||
        !result.emplace(line.substr(0, cut), line.substr(cut + 2)).second) {
      error = path.string() + ": '" + line +
              "' is no `name: reason`, or the name "
              "is there twice";
      return std::nullopt;
    }
  }
  return result;
}

} // namespace smp::conformance
