// SPDX-License-Identifier: Apache-2.0
// A training that shows all it does, is saved, and goes on.

#ifndef SMP_TESTS_UNIT_CAPTURE_TRAINEDCHAIN_H
#define SMP_TESTS_UNIT_CAPTURE_TRAINEDCHAIN_H

#include "TestPrograms.h"
#include "TimelessFiles.h"
#include "smp/capture/Hook.h"
#include "smp/checkpoint/CheckpointManager.h"
#include "smp/runtime/Session.h"

namespace smp::test {

/// Two partitions: each adds its parameter w<i> to what it gets, and its update
/// adds to that the slot w<i>.m, and the parameter to the slot. The twin of
/// "train" shows the sums of both, microbatch by microbatch, and the parameters
/// that the updates leave. "eval" does the same without updates.
class TrainedChain {
public:
  /// Null: both partitions are here.
  explicit TrainedChain(Communicator *communicator = nullptr);

  /// The step that comes after those that were made: every third is of "eval".
  Status step();
  /// Of any mode.
  uint64_t steps() const;
  operator SessionCore &() { return *session; }
  operator Session &() { return *session; }

private:
  std::unique_ptr<ProgramMaker> maker;
  std::optional<Session> session;
};

/// Saves all of every step in the folder.
HookConfig everything(const std::string &folder);

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CAPTURE_TRAINEDCHAIN_H
