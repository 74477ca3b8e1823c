// SPDX-License-Identifier: Apache-2.0
#include "ShownStatistics.h"
#include "smp/model/TensorStatistics.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace smp::test {

Division watched(StepView view, Division division) {
  division.canBeWatched = true;
  division.view = view;
  return division;
}

bool isShown(const std::string &name) {
  return name.find(" statistics/") != name.npos ||
         name.find(" value/") != name.npos;
}

Bits unshown(Bits bits) {
  std::erase_if(bits, [](const auto &each) { return isShown(each.first); });
  return bits;
}

void expectEqual(const Bits &bits, const Bits &others) {
  EXPECT_EQ(bits.size(), others.size());
  for (const auto &[name, value] : bits) {
    const auto found = others.find(name);
    ASSERT_NE(found, others.end()) << name;
    EXPECT_EQ(value, found->second) << name;
  }
}

std::vector<Tap> tapsOfTraining(const Program &program) {
  std::vector<Tap> taps;
  for (const Entry &entry : program.entries)
    if (entry.twin && program.entries[entry.twin->of].name == "train")
      for (const Tap &tap : entry.twin->taps)
        if (tap.kind == TapKind::Whole)
          taps.push_back(tap);
  return taps;
}

/// As doubles.
static std::vector<double> elementsOf(const Tap &tap,
                                      const std::vector<std::byte> &bytes) {
  std::vector<double> elements;
  const auto read = [&](auto type) {
    for (size_t at = 0; at < bytes.size(); at += sizeof(type)) {
      std::memcpy(&type, bytes.data() + at, sizeof(type));
      elements.push_back(double(type));
    }
  };
  if (tap.type.dtype == DType::F32)
    read(float());
  else if (tap.type.dtype == DType::F64)
    read(double());
  else if (tap.type.dtype == DType::I64)
    read(int64_t());
  else if (tap.type.dtype == DType::I32)
    read(int32_t());
  else if (tap.type.dtype == DType::Bool)
    read(bool());
  else
    ADD_FAILURE() << tap.name << " is of type " << toString(tap.type);
  return elements;
}

static void expectStatistics(std::span<const double> elements,
                             const TensorStatistics &found,
                             const std::string &name) {
  long double sum = 0, absolute = 0, squares = 0;
  for (const double x : elements) {
    sum += x;
    absolute += std::abs(x);
    squares += (long double)(x)*x;
  }
  const auto count = (long double)(elements.size());
  long double centred = 0, absCentred = 0;
  for (const double x : elements) {
    centred += (x - sum / count) * (x - sum / count);
    absCentred +=
        (std::abs(x) - absolute / count) * (std::abs(x) - absolute / count);
  }
  const auto [low, high] =
      std::minmax_element(elements.begin(), elements.end());
  EXPECT_EQ(found.min, *low) << name;
  EXPECT_EQ(found.max, *high) << name;
  const auto infs = std::count_if(elements.begin(), elements.end(),
                                  [](double x) { return std::isinf(x); });
  EXPECT_EQ(found.infs, uint64_t(infs)) << name;
  EXPECT_EQ(found.nans, 0u) << name;
  if (infs) // Masks of attention have some.
    return;
  const auto expectNear = [&](double value, long double wanted) {
    EXPECT_NEAR(value, double(wanted), 1e-5 * std::abs(double(wanted))) << name;
  };
  EXPECT_NEAR(found.sum, double(sum), 1e-6 * double(absolute)) << name;
  expectNear(found.l1(), absolute);
  expectNear(found.l2(), std::sqrt(squares));
  expectNear(found.variance(), centred / count);
  expectNear(found.absVariance(), absCentred / count);
}

size_t compareWithValues(const Program &program, const Bits &shown, int steps) {
  size_t compared = 0;
  for (const Tap &tap : tapsOfTraining(program))
    for (int step = 0; step < steps; ++step) {
      const std::string key = "step " + std::to_string(step);
      const auto elements =
          elementsOf(tap, shown.at(key + " value/" + tap.name));
      const std::vector<std::byte> &bytes =
          shown.at(key + " statistics/" + tap.name);
      std::vector<double> records(bytes.size() / sizeof(double));
      std::memcpy(records.data(), bytes.data(), bytes.size());
      const auto each = size_t(tap.type.elements());
      const size_t parts = elements.size() / each,
                   perPart = records.size() / parts;
      for (size_t i = 0; i < parts; ++i, ++compared)
        expectStatistics(
            std::span(elements).subspan(i * each, each),
            TensorStatistics::of(
                std::span(records).subspan(i * perPart, perPart), each),
            key + " " + tap.name + " of " + std::to_string(i));
    }
  return compared;
}

} // namespace smp::test
