// SPDX-License-Identifier: Apache-2.0
// A small transformer, trained for a few steps in one of many ways: what is
// compared are the bits of its losses and weights.

#ifndef SMP_TESTS_E2E_TRAINING_TRAINEDBITS_H
#define SMP_TESTS_E2E_TRAINING_TRAINEDBITS_H

#include "CharModel.h"
#include "smp/compile/CompileModel.h"
#include "smp/runtime/Session.h"
#include <functional>
#include <map>

namespace smp::test {

inline constexpr int kSteps = 4;

char_lm::Shape smallShape();

/// How a training is divided.
struct Division {
  int64_t partitions = 1;
  PipelineKind pipeline = PipelineKind::Interleaved;
  std::string devices = "cpu:0=0";
  uint32_t active = 0;
  bool recompute = false;
  DType precision = DType::F32;
  int64_t memoryLimit = 0;
  /// One for all partitions, or one for each; empty: cpu, at level v3.
  std::vector<std::string> targets = {};
  uint64_t seed = 0; ///< Of drivers that make random choices.
  char_lm::Shape shape = smallShape();
  int steps = kSteps;
  /// Where each layer goes; the rest is where the first one is. Empty: the
  /// partitioner decides.
  std::vector<int64_t> layersOn = {};
  /// Whether the program can be watched, and how much is.
  bool canBeWatched = false;
  StepView view = StepView::Outputs;
  /// Done to a new Session.
  std::function<void(Session &)> prepare = [](Session &) {};
};

compile::CompiledModel compileFor(const Division &division);
/// On the division's devices, prepared.
Session openSession(const compile::CompiledModel &compiled,
                    const Division &division,
                    Communicator *communicator = nullptr);

/// Losses by step, then variables; what is shown as "step 0 statistics/x".
using Bits = std::map<std::string, std::vector<std::byte>>;

/// What a step gave, of all microbatches.
void add(Bits &bits, int step, const OutputTensor &tensor);
/// The variables that are on this rank.
void collect(Session &session, Bits &bits);
/// Makes the division's steps from the first on, on the same batches for
/// everybody, and collects each step's losses and in the end the variables.
void train(Session &session, Bits &bits, const Division &division = {},
           int first = 0);
Bits trained(const Division &division);
/// Goes on at step `at` from a checkpoint of a process that saved after each
/// step and was killed in the middle of this one. Has the bits of the steps
/// from `at` on.
Bits killedAndResumed(const Division &division, int at);
float lossOf(const Bits &bits, int step);

/// Runs `body` with a Session of each of two processes, which have some of the
/// division's partitions each, as its devices say.
void onTwoProcesses(const Division &division,
                    const std::function<void(Session &, uint32_t rank)> &body);
/// Of any program, on devices with ranks 0 and 1.
void onTwoProcesses(const compile::CompiledModel &compiled,
                    const std::string &devices,
                    const std::function<void(Session &, uint32_t rank)> &body);

} // namespace smp::test

#endif // SMP_TESTS_E2E_TRAINING_TRAINEDBITS_H
