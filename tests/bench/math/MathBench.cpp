// SPDX-License-Identifier: Apache-2.0
// Elementary functions of the kernel math library, per level: time per element
// of an array in the cache, beside the host's libm one call at a time.

#include "MathCases.h"
#include <benchmark/benchmark.h>
#include <cstdio>

using namespace smp;
using namespace smp::test;

static constexpr int64_t kElements = 8192;

/// From -4 to 4: the range that activations have.
template <typename T>
static std::vector<T> inputs() {
  std::vector<T> x;
  for (int64_t i = 0; i < kElements; ++i)
    x.push_back(T(double(i - kElements / 2) / 1024));
  return x;
}

static void setRate(benchmark::State &state) {
  state.counters["element"] = benchmark::Counter(
      double(state.iterations()) * kElements,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <typename T>
static void runImage(benchmark::State &state, MathPointer function) {
  const std::vector<T> in = inputs<T>();
  std::vector<T> out(in.size());
  for (auto _ : state) {
    function(in.data(), nullptr, out.data(), kElements);
    benchmark::ClobberMemory();
  }
  setRate(state);
}

static void runHost(benchmark::State &state, double (*function)(double)) {
  const std::vector<double> in = inputs<double>();
  std::vector<double> out(in.size());
  for (auto _ : state) {
    for (size_t i = 0; i < in.size(); ++i)
      out[i] = function(in[i]);
    benchmark::ClobberMemory();
  }
  setRate(state);
}

static void addLevel(const codegen::cpu::Level &level, const MathImage &image) {
  for (const UnaryCase &test : unaryCases())
    for (bool narrow : {true, false}) {
      const std::string name =
          std::string(test.name) + (narrow ? ".f32" : ".f64");
      benchmark::RegisterBenchmark((name + "/" + level.name.str()).c_str(),
                                   narrow ? runImage<float> : runImage<double>,
                                   image.find(name));
    }
}

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<std::unique_ptr<MathImage>> images;
  for (const codegen::cpu::Level &level : codegen::cpu::levels()) {
    if (!isSupported(level))
      continue;
    std::string error;
    images.push_back(MathImage::load(unaryFunctions(), level, error));
    if (!images.back()) {
      std::fprintf(stderr, "%s: %s\n", level.name.data(), error.c_str());
      return 1;
    }
    addLevel(level, *images.back());
  }
  for (const UnaryCase &test : unaryCases())
    benchmark::RegisterBenchmark((std::string(test.name) + ".f64/host").c_str(),
                                 runHost, test.narrow);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
