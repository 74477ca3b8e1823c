// SPDX-License-Identifier: Apache-2.0
// Writes steps on a thread of its own.

#ifndef SMP_CAPTURE_STEPWRITER_H
#define SMP_CAPTURE_STEPWRITER_H

#include "CaptureFolder.h"
#include "StepBlock.h"
#include "StepCapture.h"
#include "StepQueue.h"
#include "TensorboardFolder.h"
#include "smp/base/Thread.h"
#include "smp/capture/Hook.h"

namespace smp {

/// What the thread of the steps and the one that writes both know.
struct CapturePlan {
  /// Held while `capture` is replaced, and by who writes while it asks it. Who
  /// replaces it may ask it at any time.
  std::mutex lock;
  std::optional<StepCapture> capture; ///< There while steps are watched.
  /// Of the collections file, which is to be written; empty: it has been.
  std::string collections;
};

/// Takes blocks out of a queue and writes each step's files when it is
/// complete. After the disk has failed it takes them out and writes nothing.
class StepWriter {
public:
  /// What it writes to.
  struct Folders {
    CaptureFolder capture;
    std::optional<TensorboardFolder> tensorboard;
  };
  /// `plan` outlives the result.
  static StatusOr<std::unique_ptr<StepWriter>>
  start(Folders folders, uint64_t bufferBytes, CapturePlan &plan);
  /// As close(), whose error is lost.
  ~StepWriter();

  StepQueue &steps() { return queue; }
  /// Not in one that was forked off, where the thread is not: there it does
  /// nothing.
  bool isOfThisProcess() const { return mark.isHere(); }
  const std::string &folderName() const { return folders.capture.name(); }
  /// The first of the disk.
  Status failure() const;
  /// But for the steps that are left out, of which it does not learn.
  HookReport report() const;
  /// Waits until all steps are written, as far as they are known. Returns the
  /// first error.
  Status flush();
  /// Waits until all steps are written, and tells readers that the job is over
  /// if `ends`. Returns the first error.
  Status close(bool ends);

private:
  StepWriter(Folders folders, ByteRing ring, CapturePlan &plan);
  void threadMain();
  void begin(const EventStep &step);
  Status add(std::span<const std::byte> block);
  Status add(CapturedTensor &tensor, const StepBlock::Value &saved,
             const StepValue &value);
  Status write();
  Status writeCollections();
  void note(const Status &status);

  CapturePlan &plan;
  Folders folders;
  StepQueue queue;
  mutable std::mutex lock; // Of the next two.
  Status failed;
  HookReport counts;
  StepFiles files; ///< With what follows of the thread alone.
  std::optional<uint64_t> bytesOfStep; ///< In their files, which are there.
  const ProcessMark mark;
  std::unique_ptr<Thread> thread; // Null once it is closed.
};

} // namespace smp

#endif // SMP_CAPTURE_STEPWRITER_H
