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
  while (true) {
    const StepQueue::Block block = queue.next();
    if (block.bytes.empty())
      return;
    if (failure().ok()) {
      begin(StepBlock(block.bytes.data()).step());
      Status status = add(block.bytes);
      if (status.ok() && block.endsStep)
        status = write();
      note(status);
    }
    if (block.endsStep && !failure().ok()) {
      std::lock_guard<std::mutex> hold(lock);
      ++counts.lost;
    }
    queue.release();
  }
}

/// What is given of a step after flush() joins what was written of it.
void StepWriter::begin(const EventStep &step) {
  const EventStep &begun = files.records.step();
  if (begun.step == step.step && begun.wallTime == step.wallTime)
    return;
  files.begin(step);
  bytesOfStep.reset();
}

Status StepWriter::add(std::span<const std::byte> block) {
  std::lock_guard<std::mutex> hold(plan.lock);
  StepBlock values(block.data());
  for (uint64_t i = 0; i < values.count(); ++i) {
    const StepBlock::Value each = values.next();
    CapturedTensor &tensor = plan.capture->tensor(each.tensor);
    if (each.microbatches.count == 1) {
      SMP_RETURN_IF_ERROR(add(tensor, each, each.value));
      continue;
    }
    Microbatches apart(each.value, each.microbatches);
    for (uint32_t m = 0; m < each.microbatches.count; ++m)
      SMP_RETURN_IF_ERROR(add(tensor.ofMicrobatch(m), each, apart.at(m)));
  }
  return Status();
}

Status StepWriter::add(CapturedTensor &tensor, const StepBlock::Value &saved,
                       const StepValue &value) {
  return saved.statisticsOf
             ? tensor.saveStatistics(value, *saved.statisticsOf, files.records)
             : tensor.save(value, saved.isMetric, files);
}

Status StepWriter::write() {
  SMP_RETURN_IF_ERROR(writeCollections());
  SMP_RETURN_IF_ERROR(files.metrics.write());
  uint64_t bytes = 0;
  if (!files.records.isEmpty() || folders.capture.isOfSeveral()) {
    SMP_ASSIGN_OR_RETURN(bytes, folders.capture.writeStep(files.records));
  }
  if (files.tensorboard && !files.tensorboard->isEmpty()) {
    SMP_ASSIGN_OR_RETURN(const uint64_t shown,
                         folders.tensorboard->writeStep(*files.tensorboard));
    bytes += shown;
  }
  if (!bytes)
    return Status();
  std::lock_guard<std::mutex> hold(lock);
  counts.written += !bytesOfStep;
  counts.bytes += bytes - bytesOfStep.value_or(0);
  bytesOfStep = bytes;
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

Status StepWriter::flush() {
  queue.drain();
  return failure();
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
