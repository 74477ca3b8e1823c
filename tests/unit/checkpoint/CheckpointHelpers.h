// SPDX-License-Identifier: Apache-2.0
// A Session with variables of every kind, and what trains it in its stead.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_CHECKPOINTHELPERS_H
#define SMP_TESTS_UNIT_CHECKPOINT_CHECKPOINTHELPERS_H

#include "TemporaryFolder.h"
#include "TestPrograms.h"
#include "smp/checkpoint/CheckpointManager.h"
#include <map>

namespace smp::test {

/// The bytes of each variable, by name.
using Values = std::map<std::string, std::vector<std::byte>>;

/// The chain of one partition with these variables: parameters w and b (bf16),
/// optimizer/w.m and b.m of the optimizer, a mean of kind state, a key of kind
/// random, and a constant.
std::unique_ptr<ProgramMaker> makeTrainable();

/// A Session of its own program.
class Trained {
public:
  explicit Trained(std::unique_ptr<ProgramMaker> maker = makeTrainable(),
                   SessionOptions options = {});

  operator SessionCore &() { return *session; }
  SessionCore *operator->() { return session.get(); }

  /// Runs a step and sets every variable to what follows from its value.
  void step();
  Values values();
  /// How many training steps were made.
  int steps() const { return int(session->steps()[0]); }
  /// Of the variables that this rank can get.
  Values valuesHere();
  void close() { session.reset(); }
  std::vector<std::string> warnings;

private:
  std::unique_ptr<ProgramMaker> maker;
  std::unique_ptr<SessionCore> session;
};

/// Values of variables that are saved: not those of constants.
Values savedOf(Values all);

/// The manager's answer, which must be good.
std::string save(CheckpointManager &manager);
bool restore(CheckpointManager &manager);

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_CHECKPOINTHELPERS_H
