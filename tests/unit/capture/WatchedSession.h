// SPDX-License-Identifier: Apache-2.0
// A Session that a hook watches.

#ifndef SMP_TESTS_UNIT_CAPTURE_WATCHEDSESSION_H
#define SMP_TESTS_UNIT_CAPTURE_WATCHEDSESSION_H

#include "TestPrograms.h"
#include "smp/capture/Hook.h"
#include "smp/runtime/Session.h"

namespace smp::test {

/// Entries train (outputs loss and y), eval (loss) and predict (y): y is twice
/// x plus one, loss the same of the batch, by another name.
struct Watched {
  Watched() {
    addEntry("train", Mode::Train, {"loss", "y"});
    addEntry("eval", Mode::Eval, {"loss"});
    addEntry("predict", Mode::Predict, {"y"});
    maker->program.entries.erase(maker->program.entries.begin());
    SessionOptions options;
    options.log = [this](LogLevel level, std::string_view line) {
      if (level == LogLevel::Warning)
        warnings.emplace_back(line);
    };
    openFile(std::move(options));
  }

  void openFile(SessionOptions options) {
    EXPECT_TRUE(maker->finish().ok());
    auto opened = Session::open(SharedProgram::read(maker->file()).take(),
                                std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    session = opened.take();
  }

  void addEntry(const std::string &name, Mode mode,
                const std::vector<std::string> &outputs) {
    Entry entry = maker->entry();
    entry.name = name;
    entry.mode = mode;
    entry.outputs.assign(outputs.size(), entry.outputs[0]);
    entry.edges.back().to.clear();
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      entry.outputs[i].name = outputs[i];
      entry.edges.back().to.push_back({kCaller, i});
    }
    maker->program.entries.push_back(std::move(entry));
  }

  /// With x all `value`, so that outputs are all 2 value + 1.
  Status step(std::string_view entry, float value, int64_t microbatches = 1) {
    TestTensor x({2 * microbatches, 8});
    std::fill(x.values.begin(), x.values.end(), value);
    return session->step(entry, std::vector{x.as("x")}, {}).status();
  }

  std::vector<std::string> warnings;
  std::unique_ptr<ProgramMaker> maker = makeChain(1);
  std::optional<Session> session;
};

/// Saves every step.
inline HookConfig everyStep(const std::string &outDir = {}) {
  return {.outDir = outDir, .saveConfig = {{.saveInterval = 1}}};
}

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CAPTURE_WATCHEDSESSION_H
