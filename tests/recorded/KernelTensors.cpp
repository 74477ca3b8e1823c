// SPDX-License-Identifier: Apache-2.0
#include "KernelTensors.h"
#include "smp/model/Float16.h"
#include "smp/serialization/Crc32c.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace smp;
using namespace smp::test;

/// Distance of neighbouring numbers in [1, 2).
static double unitOf(DType type) {
  switch (type) {
  case DType::F64:
    return 0x1p-52;
  case DType::F32:
    return 0x1p-23;
  case DType::BF16:
    return 0x1p-7;
  default:
    return 0x1p-10;
  }
}

static double readFloat(const HostTensor &tensor, size_t i) {
  switch (tensor.type.dtype) {
  case DType::F64:
    return tensor.as<double>()[i];
  case DType::F32:
    return tensor.as<float>()[i];
  case DType::BF16:
    return fromFloat16(tensor.as<uint16_t>()[i], kBF16);
  default:
    return fromFloat16(tensor.as<uint16_t>()[i], kF16);
  }
}

static void writeFloat(HostTensor &tensor, size_t i, double value) {
  switch (tensor.type.dtype) {
  case DType::F64:
    tensor.as<double>()[i] = value;
    break;
  case DType::F32:
    tensor.as<float>()[i] = float(value);
    break;
  case DType::BF16:
    tensor.as<uint16_t>()[i] = toFloat16(value, kBF16);
    break;
  default:
    tensor.as<uint16_t>()[i] = toFloat16(value, kF16);
  }
}

static void writeInteger(HostTensor &tensor, size_t i, uint64_t value) {
  const size_t bytes = sizeOf(tensor.type.dtype);
  if (tensor.type.dtype == DType::Bool)
    value &= 1;
  std::memcpy(tensor.bytes.data() + i * bytes, &value, bytes);
}

static double specialFloat(std::mt19937 &random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double values[] = {0.0,
                                      -0.0,
                                      kInfinity,
                                      -kInfinity,
                                      std::numeric_limits<double>::quiet_NaN(),
                                      1.0,
                                      -1.0,
                                      0.5,
                                      1e-40,
                                      -1e-44,
                                      3e38,
                                      -3e38,
                                      65504.0,
                                      0x1p-24,
                                      2.5,
                                      0x1p-149,
                                      0x1p-1074,
                                      1.5,
                                      -0.5,
                                      -2.5};
  if (random() % 3 == 0)
    return values[random() % std::size(values)];
  const double mantissa = double(random()) / 0x1p31 - 1;
  return std::ldexp(mantissa, int(random() % 24) - 10);
}

static double greatestOf(DType type) {
  switch (type) {
  case DType::F64:
    return std::numeric_limits<double>::max();
  case DType::BF16:
    return 0x1.fep127;
  case DType::F16:
    return 65504;
  default:
    return std::numeric_limits<float>::max();
  }
}

/// Bits of the significands of bf16, f16 and f32.
static int drawSignificandBits(std::mt19937 &random) {
  static constexpr int bits[] = {8, 11, 24};
  return bits[random() % std::size(bits)];
}

static double tiedFloat(std::mt19937 &random) {
  static constexpr double besides[] = {0, 0x1p-10, -0x1p-10, 0x1p-40, -0x1p-40};
  const double least = std::ldexp(1, drawSignificandBits(random) - 1);
  const double significand = least + double(random() % uint64_t(least)) + 0.5 +
                             besides[random() % std::size(besides)];
  return (random() % 2 ? 1 : -1) *
         std::ldexp(significand / least, int(random() % 16) - 8);
}

/// Of `width` bits.
static uint64_t tiedInteger(int width, std::mt19937 &random) {
  const int bits = drawSignificandBits(random), free = width - bits - 1;
  if (free < 0)
    return random();
  const uint64_t significand =
      (uint64_t(1) << (bits - 1)) + random() % (uint64_t(1) << (bits - 1));
  const uint64_t value =
      ((2 * significand + 1) << random() % unsigned(free + 1)) + random() % 3 -
      1;
  return random() % 2 ? value : 0 - value;
}

static double drawFloat(const Operand &operand, std::mt19937 &random) {
  const double unit = double(random()) / 0x1p32;
  switch (operand.fill) {
  case Fill::Huge:
    return (0.5 + unit / 2) * greatestOf(operand.type.dtype);
  case Fill::Positive:
    return 0.5 + 1.5 * unit;
  case Fill::Special:
    return specialFloat(random);
  case Fill::Zeros:
    return random() % 2 ? 0.0 : -0.0;
  case Fill::Ties:
    return tiedFloat(random);
  case Fill::Few:
    return random() % 7 ? double(random() % 5) - 2
                        : std::numeric_limits<double>::quiet_NaN();
  default:
    return 2 * unit - 1;
  }
}

static uint64_t drawInteger(const Operand &operand, std::mt19937 &random) {
  const uint64_t bits = uint64_t(random()) << 32 | random();
  const int width = int(sizeOf(operand.type.dtype)) * 8;
  switch (operand.fill) {
  case Fill::Positive:
    return 1 + bits % 7;
  case Fill::Special:
    // Around 0, and around both bounds of the signed and the unsigned type.
    return (bits % 3 ? uint64_t(1) << (width - 1) : 0) + bits / 8 % 7 - 3;
  case Fill::Zeros:
    return 0;
  case Fill::Few:
    return bits % 5 - 2;
  case Fill::Index:
    return bits % uint64_t(operand.bound);
  case Fill::Ties:
    return tiedInteger(width, random);
  default:
    return bits;
  }
}

HostTensor smp::test::randomTensor(const Operand &operand,
                                   std::mt19937 &random) {
  HostTensor tensor = HostTensor::zeros(operand.type);
  for (size_t i = 0; i < size_t(operand.type.elements()); ++i) {
    if (isFloat(operand.type.dtype))
      writeFloat(tensor, i, drawFloat(operand, random));
    else
      writeInteger(tensor, i, drawInteger(operand, random));
  }
  return tensor;
}

HostTensor smp::test::draw(const DrawnTensor &tensor) {
  std::mt19937 random(tensor.seed);
  return randomTensor(tensor.operand, random);
}

std::string smp::test::digestOf(const HostTensor &tensor) {
  HostTensor same = tensor;
  if (isFloat(tensor.type.dtype))
    for (size_t i = 0; i < size_t(tensor.type.elements()); ++i)
      if (std::isnan(readFloat(tensor, i)))
        writeFloat(same, i, std::numeric_limits<double>::quiet_NaN());
  return toString(tensor.type) + " of CRC-32C " +
         std::to_string(crc32c(same.bytes));
}

/// How much too far apart two floats are; 0 when they are close enough.
static double excess(double expected, double actual, double unit, Bound bound) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual) ? 0 : HUGE_VAL;
  if (expected == actual) {
    const bool exact = bound.units == 0 && bound.absolute == 0;
    return exact && std::signbit(expected) != std::signbit(actual) ? HUGE_VAL
                                                                   : 0;
  }
  const double error = std::abs(expected - actual);
  const double allowed =
      bound.units * unit * std::abs(expected) + bound.absolute;
  return error <= allowed ? 0 : error / std::max(allowed, 0x1p-1074);
}

static std::string text(double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.17g", value);
  return buffer;
}

std::string smp::test::difference(const HostTensor &expected,
                                  const HostTensor &actual, Bound bound) {
  if (expected.type != actual.type)
    return "type is " + toString(actual.type) + ", not " +
           toString(expected.type);
  const DType type = expected.type.dtype;
  if (!isFloat(type)) {
    const size_t bytes = sizeOf(type);
    for (size_t i = 0; i < expected.bytes.size(); i += bytes)
      if (std::memcmp(&expected.bytes[i], &actual.bytes[i], bytes) != 0) {
        uint64_t want = 0, have = 0;
        std::memcpy(&want, &expected.bytes[i], bytes);
        std::memcpy(&have, &actual.bytes[i], bytes);
        return toString(expected.type) + " element " +
               std::to_string(i / bytes) + " is " + std::to_string(have) +
               ", not " + std::to_string(want);
      }
    return {};
  }
  double worst = 0;
  size_t place = 0, wrong = 0;
  for (size_t i = 0; i < size_t(expected.type.elements()); ++i) {
    const double over = excess(readFloat(expected, i), readFloat(actual, i),
                               unitOf(type), bound);
    wrong += over > 0;
    if (over > worst) {
      worst = over;
      place = i;
    }
  }
  if (worst == 0)
    return {};
  return std::to_string(wrong) + " elements of " + toString(expected.type) +
         " are wrong, worst element " + std::to_string(place) + ": " +
         text(readFloat(actual, place)) + ", not " +
         text(readFloat(expected, place)) + " (" + text(worst) +
         " times the bound)";
}
