// SPDX-License-Identifier: Apache-2.0
// usage: step_in_cpp PROGRAM: the seconds that a step takes, by the C++ API.
#include "smp/runtime/Session.h"
#include <chrono>
#include <cstdio>

static constexpr int kSteps = 200000;

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  auto session = smp::Session::open(argv[1]);
  if (!session.ok()) {
    std::fprintf(stderr, "%s\n", session.status().message().c_str());
    return 1;
  }
  const float one = 1;
  const int64_t shape[] = {1};
  const smp::InputTensor input{"x", {smp::DType::F32, shape, &one}};
  std::chrono::steady_clock::time_point begin;
  float sum = 0;
  for (int i = -kSteps / 10; i < kSteps; ++i) {
    if (i == 0)
      begin = std::chrono::steady_clock::now();
    auto output = session->step("predict", {&input, 1});
    if (!output.ok())
      return 1;
    sum += output->values<float>("y")->front();
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  std::printf("%.9g\n", seconds.count() / kSteps);
  return sum == kSteps + kSteps / 10 ? 0 : 1;
}
