// SPDX-License-Identifier: Apache-2.0
// Work for a device, in order, and the events that tell when it is done.

#ifndef SMP_DEVICE_STREAM_H
#define SMP_DEVICE_STREAM_H

#include "smp/base/Status.h"
#include "smp/device/Buffer.h"
#include "smp/device/Kernel.h"
#include <atomic>
#include <span>

namespace smp {

/// A mark in a stream. May be recorded again once all that waited for it has
/// gone on. An event that was never recorded is done.
class Event {
public:
  virtual ~Event() = default;
  /// Whether the work before the last record is done or failed.
  virtual bool done() const = 0;
  /// Blocks the calling thread until done; returns the first error of the
  /// stream the event was recorded in.
  virtual Status wait() = 0;
};

/// A copy of `rows` pieces of `rowBytes`, whose starts are a pitch apart.
struct CopyShape {
  uint64_t rowBytes = 0;
  uint64_t rows = 1;
  uint64_t toPitch = 0;
  uint64_t fromPitch = 0;
};

/// What a launch is given. All of it stays valid until the launch is done.
struct LaunchCall {
  DeviceKernel *kernel;
  std::span<const BufferView> buffers;
  const LaunchInfo *info;
};

/// A launch that runs, or several of which one does: those from `first` to
/// `last`, which follow each other. Null: none.
struct RunningLaunches {
  RunningLaunches(const LaunchInfo *only = nullptr) : first(only), last(only) {}
  RunningLaunches(const LaunchInfo *from, const LaunchInfo *to)
      : first(from), last(to) {}
  const LaunchInfo *first, *last;
};

/// Runs what is put into it one after the other. Used by one thread at a time.
///
/// Work may be done when the call that adds it returns, or later: buffers, host
/// memory and names given with it stay valid until an event recorded after it
/// is done. No call here reports an error of the work: after the first error
/// the stream skips everything, and events recorded from then on are done with
/// that error, until restart().
class Stream {
public:
  virtual ~Stream() = default;
  virtual void launch(DeviceKernel &kernel, std::span<const BufferView> buffers,
                      const LaunchInfo &info) = 0;
  /// The same for launches that follow each other, handed over at once. `times`
  /// gets a timestamp before the first and after each; null: nobody wants it.
  virtual void launchSequence(std::span<const LaunchCall> calls,
                              uint64_t *times) {
    if (times)
      timestamp(times++);
    for (const LaunchCall &call : calls) {
      launch(*call.kernel, call.buffers, *call.info);
      if (times)
        timestamp(times++);
    }
  }
  /// To a buffer of this device, or of one that it shares memory with, from one
  /// of any device that it copiesFrom().
  virtual void copy(BufferView to, BufferView from, const CopyShape &shape) = 0;
  virtual void upload(BufferView to, const void *from,
                      const CopyShape &shape) = 0;
  virtual void download(void *to, BufferView from, const CopyShape &shape) = 0;
  /// Writes the steady clock's nanoseconds at the time it is reached, also
  /// after an error.
  virtual void timestamp(uint64_t *nanoseconds) = 0;
  virtual void record(Event &event) = 0;
  /// What follows waits until the last record of `event` is done, and takes its
  /// error over. `event` is of a device of the same driver.
  virtual void wait(Event &event) = 0;
  /// Forgets an error, after what has been put in so far.
  virtual void restart() = 0;
  /// While `*over`, which any thread may set, a launch that is put in is an
  /// error, Cancelled, and so, where it is still to be done, is one that was.
  /// Null: none is. Put in between launches; borrowed until the next call.
  void cancelWhen(const std::atomic<bool> *over) { cancelling.store(over); }

  /// A number that changes when work gets done. Any thread may ask.
  virtual uint64_t progress() const = 0;
  /// What runs now. Any thread may ask.
  virtual RunningLaunches running() const = 0;

protected:
  /// The error of a launch that is not to begin; ok: it is.
  Status mayLaunch() const {
    const std::atomic<bool> *over = cancelling.load(std::memory_order_relaxed);
    if (!over || !over->load(std::memory_order_relaxed)) [[likely]]
      return Status();
    return Status(StatusCode::Cancelled, "launches are cancelled");
  }

private:
  std::atomic<const std::atomic<bool> *> cancelling{nullptr};
};

} // namespace smp

#endif // SMP_DEVICE_STREAM_H
