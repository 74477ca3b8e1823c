// SPDX-License-Identifier: Apache-2.0
// What ranks do to files while they save, and what they tell each other.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_RECORDER_H
#define SMP_TESTS_UNIT_CHECKPOINT_RECORDER_H

#include "MemoryDisk.h"
#include "smp/device/Communicator.h"
#include <functional>

namespace smp::test {

inline constexpr size_t kBlockBytes = 4096;

struct SaveEvent {
  enum class Kind {
    Make,       ///< `file` gets the name `path`.
    Write,      ///< The block of `file` is `bytes` from now on.
    SyncFile,   ///< `file`, whose name is `path`.
    Rename,     ///< `file` loses the name `path` and gets `to`.
    Remove,     ///< `path` is no name any more.
    MakeFolder, ///< `path`
    SyncFolder, ///< `path`
    Send,       ///< `message`
    Receive,    ///< `message`
    Begin,      ///< Of the save `number`.
    Report      ///< That the save `number` is done.
  };
  Kind kind;
  uint32_t rank = 0;
  std::string path = {}, to = {};
  int file = -1;
  size_t block = 0;
  std::shared_ptr<const Bytes> bytes = {};
  std::string message = {};
  int number = 0;
};

/// In an order in which it happened.
using Recording = std::vector<SaveEvent>;

/// Ranks save on one disk; what each does in its saves is recorded.
class Recorder {
public:
  Recorder(MemoryDisk &disk, uint32_t ranks);
  ~Recorder();

  /// The disk for one rank.
  FileSystem &filesOf(uint32_t rank);
  /// Messages of this rank. Borrows the communicator.
  std::unique_ptr<Communicator> watch(Communicator &communicator);
  /// The rank makes the save, and reports it when this is good.
  Status save(uint32_t rank, int number, CheckpointManager &manager,
              const SaveOptions &wanted = {});
  /// The same with what saves anything.
  Status save(uint32_t rank, int number, const std::function<Status()> &make);

  const Recording &recording() const { return events; }

private:
  friend class RecordedFile;
  friend class RecordedFiles;
  friend class RecordedMessages;

  void add(uint32_t rank, SaveEvent event);
  void noteSaving(uint32_t rank, bool isSavingNow);
  int numberFile(const std::string &path);
  void addMessage(SaveEvent::Kind kind, uint32_t rank, uint32_t from,
                  uint32_t to, const MessageTag &tag);

  MemoryDisk &disk;
  std::mutex lock;
  Recording events;
  std::vector<std::unique_ptr<FileSystem>> views; // By rank.
  std::vector<char> isSaving;                     // By rank.
  std::map<std::string, int> counts, fileOfPath;
  int numFiles = 0;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_RECORDER_H
