// SPDX-License-Identifier: Apache-2.0
#include "StepWriter.h"

namespace smp {

StepWriter::StepWriter(Folders folders, ByteRing ring, CapturePlan &plan)
    : plan(plan), folders(std::move(folders)), queue(std::move(ring)) {
  if (this->folders.tensorboard)
    files.tensorboard.emplace();
}

StatusOr<std::unique_ptr<StepWriter>>
StepWriter::start(Folders folders, uint64_t bufferBytes, CapturePlan &plan) {
  SMP_ASSIGN_OR_RETURN(ByteRing ring, ByteRing::make(bufferBytes));
  std::unique_ptr<StepWriter> made(
      new StepWriter(std::move(folders), std::move(ring), plan));
  SMP_ASSIGN_OR_RETURN(made->thread,
                       Thread::start("smp capture", [writer = made.get()] {
                         writer->threadMain();
                       }));
  return made;
}

StepWriter::~StepWriter() { (void)close(/*ends=*/false); }

//===----------------------------------------------------------------------===//
// On the thread
//===----------------------------------------------------------------------===//

void StepWriter::threadMain() {
  bool isNew = true;
  while (true) {
    const StepQueue::Block block = queue.next();
    if (block.bytes.empty())
      return;
    if (failure().ok()) {
      if (isNew)
        files.begin(StepBlock(block.bytes.data()).step());
      Status status = add(block.bytes);
      if (status.ok() && block.endsStep)
        status = write();
      note(status);
    }
    if (block.endsStep && !failure().ok()) {
      std::lock_guard<std::mutex> hold(lock);
      ++counts.lost;
    }
    isNew = block.endsStep;
    queue.release();
  }
}

Status StepWriter::add(std::span<const std::byte> block) {
  std::lock_guard<std::mutex> hold(plan.lock);
  StepBlock values(block.data());
  for (uint64_t i = 0; i < values.count(); ++i) {
    const StepBlock::Value each = values.next();
    CapturedTensor &tensor = plan.capture->tensor(each.tensor);
    SMP_RETURN_IF_ERROR(each.isStatistics
                            ? tensor.saveStatistics(each.value, files.records)
                            : tensor.save(each.value, each.isMetric, files));
  }
  return Status();
}

Status StepWriter::write() {
  SMP_RETURN_IF_ERROR(writeCollections());
  SMP_RETURN_IF_ERROR(files.metrics.write());
  uint64_t bytes = 0;
  if (!files.records.isEmpty()) {
    SMP_ASSIGN_OR_RETURN(bytes, folders.capture.writeStep(files.records));
  }
  if (files.tensorboard && !files.tensorboard->isEmpty()) {
    SMP_ASSIGN_OR_RETURN(const uint64_t shown,
                         folders.tensorboard->writeStep(*files.tensorboard));
    bytes += shown;
  }
  std::lock_guard<std::mutex> hold(lock);
  counts.written += bytes > 0;
  counts.bytes += bytes;
  return Status();
}

/// Where there are others than in the file.
Status StepWriter::writeCollections() {
  std::string text;
  {
    std::lock_guard<std::mutex> hold(plan.lock);
    text.swap(plan.collections);
  }
  return text.empty() ? Status() : folders.capture.writeCollections(text);
}

void StepWriter::note(const Status &status) {
  if (status.ok())
    return;
  std::lock_guard<std::mutex> hold(lock);
  failed = status.in("the hook writes nothing from now on");
}

//===----------------------------------------------------------------------===//
// For others
//===----------------------------------------------------------------------===//

Status StepWriter::failure() const {
  std::lock_guard<std::mutex> hold(lock);
  return failed;
}

HookReport StepWriter::report() const {
  std::lock_guard<std::mutex> hold(lock);
  return counts;
}

Status StepWriter::close(bool ends) {
  if (!isOfThisProcess()) // Locks may be held by threads that are not here.
    return Status();
  if (!thread)
    return failure();
  queue.close();
  thread.reset();
  if (failure().ok())
    note(writeCollections());
  if (ends)
    if (const Status ended = folders.capture.writeEnd(); failure().ok())
      note(ended);
  return failure();
}

} // namespace smp
