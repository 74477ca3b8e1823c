// SPDX-License-Identifier: Apache-2.0
#include "LayerChain.h"
#include <chrono>

namespace smp::bench {

std::string layerChain(const std::vector<int64_t> &partitions) {
  const std::string t = "tensor<64x768xf32>", w = "tensor<768x768xf32>";
  std::string text, body, last = "%x";
  for (int64_t i = 0; i < kLayers; ++i) {
    const std::string n = std::to_string(i);
    const std::string pin = partitions.empty()
                                ? ""
                                : "smp.placement = #smp.placement<" +
                                      std::to_string(partitions[size_t(i)]) +
                                      ", user>";
    text += "smp.variable @w" + n + " parameter : " + w +
            " = #smp.uniform<-0.05, 0.05, " + n + ">\n";
    body += "%w" + n + " = smp.read @w" + n + " : " + w + "\n%p" + n +
            " = smp.dot_general " + last + ", %w" + n +
            " {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = "
            "array<i64: 1>, rhs_contract = array<i64: 0>" +
            (pin.empty() ? "" : ", ") + pin + "} : (" + t + ", " + w + ") -> " +
            t + "\n%r" + n + " = smp.relu %p" + n +
            (pin.empty() ? "" : " {" + pin + "}") + " : " + t + "\n";
    last = "%r" + n;
  }
  return text + "smp.entry @predict(%x: " + t +
         " {smp.name = \"x\", smp.batch_axis = 0 : i64}) -> (" + t +
         " {smp.name = \"y\", smp.batch_axis = 0 : i64}) {\n" + body +
         "smp.return " + last + " : " + t + "\n}\n";
}

static double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::vector<StepTimes> timeSteps(Session &session, Numbers &x,
                                 int64_t microbatches) {
  constexpr int kSteps = 21;
  int64_t shape[] = {microbatches * kRows, kWidth};
  InputTensor input{"x", {DType::F32, shape, x.data()}};
  std::vector<StepTimes> steps(kSteps);
  std::vector<StageTime> before = session.stageTimes();
  for (StepTimes &step : steps) {
    const double start = seconds();
    orDie(session.step("predict", {&input, 1}));
    step.seconds = seconds() - start;
    const std::vector<StageTime> after = session.stageTimes();
    for (size_t s = 0; s < after.size(); ++s)
      step.stages.push_back(
          (after[s].measuredSeconds * double(after[s].runs) -
           before[s].measuredSeconds * double(before[s].runs)) /
          double(after[s].runs - before[s].runs));
    before = after;
  }
  return steps;
}

} // namespace smp::bench
