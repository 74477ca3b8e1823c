// SPDX-License-Identifier: Apache-2.0
// What Sessions of one program cost: time and memory to open the first and
// those after it, and rows that come by ones or all at once.
#include "Networks.h"
#include "ProcessMemory.h"
#include "smp/compile/CompileModel.h"
#include "smp/import/Layers.h"
#include "smp/runtime/Session.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace smp;
using namespace smp::bench;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <typename T>
static T require(StatusOr<T> result) {
  if (result.ok())
    return result.take();
  std::fprintf(stderr, "SessionsBench: %s\n",
               result.status().message().c_str());
  std::exit(1);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static void openSeveral(const char *network, int64_t partitions) {
  compile::ModelOptions options;
  options.placement.emplace().partitions = partitions;
  auto program = require(
      compile::compileModel(require(buildNetwork(network, 1)), options));
  const auto shared = require(SharedProgram::read(program.bytes()));
  std::vector<Session> sessions;
  for (int i = 1; i <= 5; ++i) {
    const uint64_t before = test::statusBytes("VmRSS:");
    const auto begin = Clock::now();
    sessions.push_back(require(Session::open(shared)));
    const double seconds = secondsSince(begin);
    const double bytes = double(test::statusBytes("VmRSS:")) - double(before);
    std::printf("%s: Session %d opened in %.2f ms, %.2f MB\n", network, i,
                seconds * 1e3, bytes / 1e6);
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static constexpr int64_t kRows = 64, kWidth = 1024;

/// Three layers over so many rows at a time.
static compile::CompiledModel compileFor(int64_t rows) {
  GraphBuilder g;
  Tensor x = g.input("x", {DType::F32, {rows, kWidth}}, 0);
  for (int i = 0; i < 3; ++i)
    x = g.relu(layers::linear(g, x, kWidth, "layer" + std::to_string(i)));
  g.output("y", x, 0);
  return require(compile::compileModel(require(std::move(g).finish())));
}

/// Median seconds of a step over 64 rows.
static double stepSeconds(Session &session) {
  const std::vector<float> x(kRows * kWidth, 1);
  const std::vector<int64_t> shape = {kRows, kWidth};
  const InputTensor in{"x", {DType::F32, shape, x.data()}};
  std::vector<double> seconds;
  for (int i = 0; i < 31; ++i) {
    const auto begin = Clock::now();
    require(session.step("predict", {&in, 1}));
    seconds.push_back(secondsSince(begin));
  }
  std::nth_element(seconds.begin(), seconds.begin() + 15, seconds.end());
  return seconds[15];
}

static void compareRows() {
  double ofOne = 0;
  for (int64_t rows : {int64_t(1), kRows}) {
    const auto program = compileFor(rows);
    auto session =
        require(Session::open(require(SharedProgram::read(program.bytes()))));
    const double seconds = stepSeconds(session);
    ofOne = rows == 1 ? seconds : ofOne;
    std::printf("64 rows through a program for %lld: %.3f ms, ratio %.3f\n",
                (long long)rows, seconds * 1e3, seconds / ofOne);
  }
}

int main() {
  openSeveral("resnet50", 1);
  openSeveral("encoder", 2);
  compareRows();
}
