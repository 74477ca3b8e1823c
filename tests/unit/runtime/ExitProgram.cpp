// SPDX-License-Identifier: Apache-2.0
// A program whose Session, managers and hook end with it: what is static is
// destroyed after all that the library made on the way.
//
// usage: ExitProgram FOLDER
#include "TrainedChain.h"
#include <cstdlib>

using namespace smp;
using namespace smp::test;

static std::optional<TrainedChain> chain;
static std::optional<CheckpointManager> first;
static std::optional<Hook> hook;
static CheckpointManager *second = nullptr;

int main(int, char **arguments) {
  const std::string folder = arguments[1];
  std::atexit([] { delete second; });
  chain.emplace();
  SessionCore &session = *chain;
  first.emplace(session, CheckpointManagerOptions{.directory = folder,
                                                  .checkpointName = "first"});
  second = new CheckpointManager(
      session, {.directory = folder, .checkpointName = "second"});
  HookConfig config = everything(folder + "/run");
  config.exportTensorboard = true; // Histograms.
  hook.emplace(config);
  if (!hook->attach(*chain).ok() || !chain->step().ok())
    return 2;
  (void)first->saveAsync(); // Which they wait for.
  (void)second->saveAsync();
  return chain->step().ok() ? 0 : 3;
}
