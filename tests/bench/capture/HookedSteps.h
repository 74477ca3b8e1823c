// SPDX-License-Identifier: Apache-2.0
// What a hook takes from steps that writes what they show.

#ifndef SMP_BENCH_CAPTURE_HOOKEDSTEPS_H
#define SMP_BENCH_CAPTURE_HOOKEDSTEPS_H

#include "Batch.h"
#include "Compiled.h"
#include "smp/compile/CompileModel.h"
#include "smp/runtime/Session.h"
#include <chrono>
#include <functional>

namespace smp::bench {

inline double secondsOf(const std::function<void()> &work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

/// A Session of a program, which makes steps.
class Training {
public:
  explicit Training(const compile::CompiledModel &model)
      : session(orDie(Session::open(orDie(SharedProgram::read(model.bytes())),
                                    {.devices = "cpu:0=0-1"}))) {
    for (const EntrySignature &entry : session.entries())
      if (entry.name == "train")
        batch.emplace(entry);
  }

  void step() { (void)orDie(session.step("train", batch->inputs())); }

  Session session;

private:
  std::optional<Batch> batch;
};

/// Prints what series of steps with a hook take beside those without: one that
/// writes statistics of all that the program shows, each step, and one that
/// writes weights and gradients, every tenth. Reads what was written, and ends
/// the process where something is not there.
void printHooked(Training &training);

} // namespace smp::bench

#endif // SMP_BENCH_CAPTURE_HOOKEDSTEPS_H
