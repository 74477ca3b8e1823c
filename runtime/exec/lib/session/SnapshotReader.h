// SPDX-License-Identifier: Apache-2.0
// Reads what snapshots take while steps run.

#ifndef SMP_EXEC_SNAPSHOTREADER_H
#define SMP_EXEC_SNAPSHOTREADER_H

#include "../play/UpdateGate.h"
#include "../tensors/Slots.h"
#include "Loans.h"
#include "Variables.h"
#include "smp/base/ProcessMark.h"
#include "smp/base/Thread.h"
#include "smp/exec/VariableSnapshot.h"
#include <mutex>

namespace smp {

struct VariableSnapshot::State {
  struct Item {
    uint32_t variable;
    DevicePartition *partition; // That assigns it; null: it stays on the host.
    bool changesEarly;          // By microbatches, before the update.
    std::span<std::byte> bytes;
    bool isTaken;                // At begin().
    const std::byte *lentFrom;   // At begin(); null: it is copied.
    std::unique_ptr<Event> done; // Of its read; null: it stays on the host.
    size_t name;                 // Its number among the names.
    size_t turn = name;          // Of its place; two may have one.
    std::optional<uint64_t> offset = {}; // In a file, when that is known.
  };

  State(SessionCore::State &session, const ProcessMark &mark)
      : session(session), mark(mark) {}

  SessionCore::State &session; // May be gone when nothing is being read.
  const ProcessMark mark;      // As the session's.
  HostMemory memory;           // Enough for any order and any offsets.
  std::vector<Item> items;     // In the order of their places in it.
  std::vector<size_t> itemOf;  // By name.
  std::vector<Item *> byPlace; // By the address that bytes() gives.
  size_t turns = 0;            // Taken since begin().
  StepCounts steps{};
  Loans loans;
  uint64_t size = 0;     // Of all items.
  uint64_t lendable = 0; // So many bytes of the first items are lent.
  uint64_t openings = 0; // Of the gate, at begin().
  std::atomic<uint64_t> used{0};
  std::atomic<bool> isUsedInTime{false}; // Before the next update.
  uint64_t usedAtEnd = 0;                // When loans were taken back.
  std::atomic<bool> isDropped{false};
  State *next = nullptr; // In the reader's queue.
  Status outcome;        // Written before it is no more being read.
  std::atomic<double> readSeconds{0};
  std::atomic<bool> isBeingRead{false};
  std::atomic<const std::byte *> readUntil{nullptr}; // All before it is there.

  static constexpr uint64_t kAll = UINT64_MAX;
  /// Where the item is read, unless it was moved.
  std::span<const std::byte> placeOf(const Item &item) const {
    return {item.lentFrom ? item.lentFrom : item.bytes.data(),
            item.bytes.size()};
  }
  /// Gives items their places.
  void arrange();
  /// Decides how much is lent, by what became of the last loans.
  void adapt();
  void lend(Item &item);
  /// Says what is where once it is decided.
  void index();
  /// See VariableSnapshot::wait().
  Status wait(const std::byte *end) const;
  Status late() const;
  void noteUsed(uint64_t bytes);
  /// Whether what lies before `end` is there, or will not be.
  bool isReadUntil(const std::byte *end) const {
    return !isBeingRead || readUntil >= end;
  }
};

/// One thread of a Session, with a stream on each of its devices. It starts
/// with the first snapshot.
class SnapshotReader {
public:
  SnapshotReader(Variables &variables, UpdateGate &gate)
      : variables(variables), gate(gate) {}
  ~SnapshotReader();

  /// Before snapshots of these partitions.
  Status open(const Variables::Partitions &partitions);
  /// Reads what is not taken yet. The gate is closed until that is done.
  void start(VariableSnapshot::State &snapshot);
  /// Waits until what lies before `end` of the snapshot's memory is read, or
  /// nothing will be; false: nothing was for so long.
  bool wait(const VariableSnapshot::State &snapshot, const std::byte *end,
            double deadlineSeconds);
  /// What it lends is not needed.
  void drop(VariableSnapshot::State &snapshot);
  /// The same; waits until nothing of it is being read or lent. False: nothing
  /// was read for so long.
  bool end(VariableSnapshot::State &snapshot, double deadlineSeconds);
  /// What a snapshot lends was used.
  void noteUsed() { changes.note(); }
  /// Changes while something is read. Any thread may ask.
  uint64_t progress() const;

private:
  struct Work {
    std::unique_ptr<Event> done; // Outlives what is recorded in the stream.
    std::unique_ptr<Stream> stream;
  };
  void threadMain();
  VariableSnapshot::State *take();
  bool hasNext();
  template <typename IsOver>
  bool waitUntil(const IsOver &isOver, double deadlineSeconds);
  void endLoans(VariableSnapshot::State &snapshot);
  Status read(VariableSnapshot::State &snapshot);
  Status put(const VariableSnapshot::State::Item &item);
  Status finish(VariableSnapshot::State &snapshot,
                const VariableSnapshot::State::Item &item);

  Variables &variables;
  UpdateGate &gate;
  std::vector<Work> works; // By partition; empty: on another rank.
  std::mutex lock;         // Of the queue.
  VariableSnapshot::State *first = nullptr;
  Changes changes; // Of the queue, and of what is read.
  std::atomic<uint64_t> copied{0};
  std::atomic<bool> isOpen{false}, stopping{false};
  std::unique_ptr<Thread> thread;
};

} // namespace smp

#endif // SMP_EXEC_SNAPSHOTREADER_H
