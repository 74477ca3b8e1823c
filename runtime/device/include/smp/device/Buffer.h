// SPDX-License-Identifier: Apache-2.0
// Memory of a device, and how much of it is in use.

#ifndef SMP_DEVICE_BUFFER_H
#define SMP_DEVICE_BUFFER_H

#include <atomic>
#include <cstdint>
#include <limits>

namespace smp {

/// A piece of memory that a device can use. Only its driver knows where it is.
/// Destroyed only after all work that uses it is done.
class Buffer {
public:
  explicit Buffer(uint64_t size, bool isImported = false)
      : bytes(size), imported(isImported) {}
  virtual ~Buffer() = default;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  uint64_t size() const { return bytes; }
  /// Whether it is host memory of somebody else: see Device::importHost.
  bool isImported() const { return imported; }

protected:
  uint64_t bytes;
  bool imported;
};

/// A place in a buffer: what launches and copies are given.
struct BufferView {
  static constexpr uint64_t kToEnd = std::numeric_limits<uint64_t>::max();

  Buffer *buffer = nullptr; // Borrowed.
  uint64_t offset = 0;      ///< In bytes.
  /// What a launch may touch from there on, at most to the buffer's end. A
  /// device that checks kernels holds them to it.
  uint64_t bytes = kToEnd;
};

/// Counts the bytes that a device has given out, against a limit.
class MemoryMeter {
public:
  static constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

  explicit MemoryMeter(uint64_t limit = kNoLimit) : bound(limit) {}

  /// Takes `bytes`, or takes nothing and returns false when that would pass the
  /// limit.
  bool take(uint64_t bytes);
  void giveBack(uint64_t bytes) { used.fetch_sub(bytes); }
  uint64_t current() const { return used.load(); }
  /// The most that was in use at once.
  uint64_t peak() const { return most.load(); }
  uint64_t limit() const { return bound; }

private:
  uint64_t bound;
  std::atomic<uint64_t> used{0}, most{0};
};

} // namespace smp

#endif // SMP_DEVICE_BUFFER_H
