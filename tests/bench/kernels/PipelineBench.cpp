// SPDX-License-Identifier: Apache-2.0
// A chain of equal layers on two one-core devices beside one one-core device,
// as a pipeline over microbatches. The bound follows from the measured stage
// times: a pipeline of M microbatches takes at least the first stage's time, M
// - 1 times the slower stage's, and the last stage's.
#include "Compiled.h"
#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace smp;
using namespace smp::bench;

static constexpr int64_t kLayers = 8, kRows = 64, kWidth = 768;

static std::string chainText() {
  std::string t = "tensor<64x768xf32>", w = "tensor<768x768xf32>", text, body;
  std::string last = "%x";
  for (int64_t i = 0; i < kLayers; ++i) {
    std::string n = std::to_string(i);
    text += "smp.variable @w" + n + " parameter : " + w +
            " = #smp.uniform<-0.05, 0.05, " + n + ">\n";
    body += "%w" + n + " = smp.read @w" + n + " : " + w + "\n%p" + n +
            " = smp.dot_general " + last + ", %w" + n +
            " {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = "
            "array<i64: 1>, "
            "rhs_contract = array<i64: 0>} : (" +
            t + ", " + w + ") -> " + t + "\n%r" + n + " = smp.relu %p" + n +
            " : " + t + "\n";
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

/// The median time of a step over `microbatches`.
static double measure(Session &session, Numbers &x, int64_t microbatches) {
  int64_t shape[] = {microbatches * kRows, kWidth};
  InputTensor input{"x", {DType::F32, shape, x.data()}};
  std::vector<double> times;
  for (int round = 0; round < 21; ++round) {
    double start = seconds();
    orDie(session.step("predict", {&input, 1}));
    times.push_back(seconds() - start);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int main() {
  std::printf("%ld layers of %ldx%ld, microbatches of %ld rows, level %s\n",
              kLayers, kWidth, kWidth, kRows, levelName().c_str());
  for (int64_t microbatches : {8, 32}) {
    Session one = Compiled(chainText(), 1).open("cpu:0=0");
    Session two = Compiled(chainText(), 2).open("cpu:0=0,cpu:1=1");
    Numbers x(size_t(microbatches * kRows * kWidth));
    double single = measure(one, x, microbatches),
           split = measure(two, x, microbatches);
    std::vector<double> stages;
    for (const StageTime &stage : two.stageTimes())
      stages.push_back(stage.measuredSeconds);
    double slowest = *std::max_element(stages.begin(), stages.end()), bound = 0;
    for (double stage : stages)
      bound += stage;
    bound += double(microbatches - 1) * slowest;
    std::printf("%2ld microbatches: one device %.2f ms, two %.2f ms (%.2f "
                "times as fast); "
                "bound of the stages %.2f ms, reached %.3f of it\n",
                microbatches, single * 1e3, split * 1e3, single / split,
                bound * 1e3, bound / split);
  }
}
