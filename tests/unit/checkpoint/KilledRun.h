// SPDX-License-Identifier: Apache-2.0
// A process that trains, saves after every step, and is killed.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_KILLEDRUN_H
#define SMP_TESTS_UNIT_CHECKPOINT_KILLEDRUN_H

#include "LayeredTraining.h"
#include <atomic>
#include <sys/mman.h>

namespace smp::test {

inline constexpr int kSteps = 12;
inline constexpr int64_t kRows = 4; // A weight has 16 KiB.
inline constexpr uint32_t kMostRanks = 2;

/// How a process ended that was not killed.
enum Ending { kDone = 0, kLostOther = 1, kBroken = 2 };

enum class How { Save, SaveAsync, SaveAsyncAndWait };

/// What a process says of itself, in memory that outlives it.
struct Told {
  std::atomic<int> asked = 0;      // Saves.
  std::atomic<int> answered = 0;   // Of them.
  std::atomic<int> failed = 0;     // Of these.
  std::atomic<int> reported = 0;   // The steps of the newest that is durable.
  std::atomic<int> restored = -1;  // The steps that it began with.
  std::atomic<int> operations = 0; // On files.
  std::atomic<int> operationsAtAnswer = 0;

  bool isSaving() const { return asked > answered; }
  /// Something has been done to files for a save that has no answer yet.
  bool isWriting() const {
    return isSaving() && operations > operationsAtAnswer;
  }
};

/// Of all processes of the test.
class ToldOfAll {
public:
  ToldOfAll()
      : memory(mmap(nullptr, sizeof(Told) * kMostRanks, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~ToldOfAll() { munmap(memory, sizeof(Told) * kMostRanks); }
  ToldOfAll(const ToldOfAll &) = delete;
  void clear() { new (memory) Told[kMostRanks]; }
  Told &operator[](uint32_t rank) { return static_cast<Told *>(memory)[rank]; }

private:
  void *memory;
};

/// What such a process does, to its end: restores, and trains on. It says what
/// it has come to in `told`, and writes a byte to `progress` for each step and
/// each operation on files.
Ending runKilled(const SocketOptions &place, const std::string &directory,
                 How how, const LayeredRun &expected, Told &told, int progress);

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_KILLEDRUN_H
