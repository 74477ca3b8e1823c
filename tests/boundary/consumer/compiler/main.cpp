// SPDX-License-Identifier: Apache-2.0
// Somebody's application that makes a model: the code of the README, and a
// step.

#include "smp/compile/CompileModel.h"
#include "smp/import/Layers.h"
#include "smp/runtime/Session.h"
#include <iostream>
#include <numeric>
#include <vector>

bool runPasses();

int main() {
#include "model.inc"
  const std::vector<float> rows(8 * 16, 0.5f);
  const int64_t shape[] = {8, 16};
  const smp::InputTensor input{"x", {smp::DType::F32, shape, rows.data()}};
  if (!session.ok()) {
    std::cerr << session.status().message() << "\n";
    return 1;
  }
  auto output = session->step("predict", {&input, 1});
  if (!output.ok()) {
    std::cerr << output.status().message() << "\n";
    return 1;
  }
  const auto y = output->values<float>("y");
  const bool isSound =
      y.ok() && std::accumulate(y->begin(), y->end(), 0.0f) != 0;
  if (session->memory().size() != 2 || !isSound || !runPasses()) {
    std::cerr << "not two partitions, no result, or no passes\n";
    return 1;
  }
  std::cout << "consumer: the compiler of smp " << smp::versionString()
            << " works\n";
  return 0;
}
