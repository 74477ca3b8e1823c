// SPDX-License-Identifier: Apache-2.0
#include "SeededValues.h"
#include <cmath>
#include <numbers>

namespace smp::test {

SeededWords::SeededWords(const std::string &name) : hash(0xCBF29CE484222325) {
  for (char c : name)
    hash = (hash ^ uint8_t(c)) * 0x100000001B3;
}

uint64_t SeededWords::operator[](int64_t i) const {
  uint64_t z = hash + uint64_t(i + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

HostTensor seededTensor(const std::string &name, Shape shape) {
  HostTensor tensor = HostTensor::zeros({DType::F32, std::move(shape)});
  const SeededWords words(name);
  int64_t i = 0;
  for (float &value : tensor.as<float>())
    value = float(words[i++] >> 40) / float(1 << 24) * 2 - 1;
  return tensor;
}

HostTensor seededVariable(const std::string &name, Shape shape) {
  float base = 0, spread = 0.1f;
  if (shape.size() > 1) {
    int64_t products = 1;
    for (size_t i = 1; i < shape.size(); ++i)
      products *= shape[i];
    spread = float(std::sqrt(6.0 / double(products)));
  } else if (name.ends_with("/weight") || name.ends_with("/running_var")) {
    base = 1;
  }
  HostTensor tensor = seededTensor(name, std::move(shape));
  for (float &value : tensor.as<float>())
    value = base + spread * value;
  return tensor;
}

HostTensor seededClasses(const std::string &name, Shape shape, uint64_t count) {
  HostTensor tensor = HostTensor::zeros({DType::I64, std::move(shape)});
  const SeededWords words(name);
  int64_t i = 0;
  for (int64_t &value : tensor.as<int64_t>())
    value = int64_t(words[i++] % count);
  return tensor;
}

std::array<double, kDirections> project(const std::string &name,
                                        std::span<const float> values) {
  const SeededWords words("projection/" + name);
  std::array<double, kDirections> products{};
  for (size_t i = 0; i < values.size(); ++i)
    for (int pair = 0; pair < kDirections / 2; ++pair) {
      const uint64_t word = words[int64_t(i) * (kDirections / 2) + pair];
      const double first = (double(word >> 32) + 0.5) / 0x1p32;
      const double second = double(uint32_t(word)) / 0x1p32;
      const double length = std::sqrt(-2 * std::log(first)) * double(values[i]);
      const double angle = 2 * std::numbers::pi * second;
      products[size_t(2 * pair)] += length * std::cos(angle);
      products[size_t(2 * pair + 1)] += length * std::sin(angle);
    }
  return products;
}

} // namespace smp::test
