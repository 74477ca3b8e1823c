// SPDX-License-Identifier: Apache-2.0
// Statistics of many elements that are far from zero and close to each other,
// where sums in f32, and differences of squares, would be of no use. Of 10^7;
// SMP_TEST_LONG=1 takes 10^8.
#include "smp/compile/CompileModel.h"
#include "smp/import/GraphBuilder.h"
#include "smp/model/Philox.h"
#include "smp/model/TensorStatistics.h"
#include "smp/runtime/Session.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <map>

using namespace smp;

namespace {

constexpr double kMean = 1e4, kDeviation = 1;
/// Relative, of f64.
constexpr double kBound = 1e-5;

int64_t numElements() {
  return std::getenv("SMP_TEST_LONG") ? 100'000'000 : 10'000'000;
}

/// Keeps the statistics of the only step, by name.
struct Watcher : StepObserver {
  StepView wants(const UpcomingStep &) override { return StepView::Statistics; }
  Status onStep(const CompletedStep &step) override {
    for (const ShownValue &value : step.shown)
      shown[std::string(value.tap->name)] = TensorStatistics::ofMicrobatches(
          {static_cast<const std::byte *>(value.tensor.data),
           value.tensor.bytes},
          uint64_t(value.tap->type.elements()));
    return Status();
  }
  std::map<std::string, TensorStatistics> shown;
};

/// `turned` is x with the other sign.
StatusOr<compile::CompiledModel> compileTurned(int64_t elements) {
  GraphBuilder g;
  const Tensor x = g.input("x", {DType::F32, {elements}});
  const Tensor y = g.named(x * -1.0f, "turned");
  g.output("mean", g.mean(y));
  compile::ModelOptions options;
  options.levels = {"v3"};
  options.capture = [](std::string_view, TapRole) { return true; };
  SMP_ASSIGN_OR_RETURN(Model model, std::move(g).finish());
  return compile::compileModel(std::move(model), options);
}

void expectNear(double found, long double wanted, const char *what) {
  EXPECT_NEAR(found, double(wanted), kBound * std::abs(double(wanted))) << what;
}

/// Of the elements, or of what they are with the other sign.
void expectStatistics(const TensorStatistics &found,
                      std::span<const float> elements, int sign) {
  long double sum = 0, squares = 0, spread = 0;
  for (const float x : elements) {
    sum += x;
    squares += (long double)(x)*x;
  }
  const auto count = (long double)(elements.size());
  for (const float x : elements)
    spread += (x - sum / count) * (x - sum / count);
  ASSERT_EQ(found.count, elements.size());
  expectNear(found.mean(), sign * sum / count, "mean");
  expectNear(found.sum, sign * sum, "sum");
  expectNear(found.variance(), spread / count, "variance");
  expectNear(found.stddev(), std::sqrt(spread / count), "std");
  // All are of one sign.
  expectNear(found.absVariance(), spread / count, "variance of absolutes");
  expectNear(found.l1(), sum, "l1");
  expectNear(found.l2(), std::sqrt(squares), "l2");
}

TEST(ManyElements, StatisticsAreThoseOfF64) {
  const int64_t elements = numElements();
  const auto compiled = compileTurned(elements);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto session = Session::open(SharedProgram::read(compiled->bytes()).take());
  ASSERT_TRUE(session.ok()) << session.status().message();
  const auto watcher = std::make_shared<Watcher>();
  ASSERT_TRUE(session->addObserver(watcher, OnObserverError::Stop).ok());
  HostTensor x = HostTensor::zeros({DType::F32, {elements}});
  fillNormal(x.bytes, DType::F32, kMean, kDeviation, 7);
  const InputTensor input{"x", {DType::F32, x.type.shape, x.bytes.data()}};
  const auto output = session->step("predict", {&input, 1});
  ASSERT_TRUE(output.ok()) << output.status().message();
  ASSERT_TRUE(watcher->shown.contains("x"));
  ASSERT_TRUE(watcher->shown.contains("turned"));
  expectStatistics(watcher->shown["x"], x.as<float>(), 1);
  expectStatistics(watcher->shown["turned"], x.as<float>(), -1);
}

} // namespace
