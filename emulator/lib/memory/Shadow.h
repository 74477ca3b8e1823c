// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MEMORY_SHADOW_H
#define SMP_EMULATOR_MEMORY_SHADOW_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace smp::emulator {

/// What is known of a byte: bits of its state.
inline constexpr uint8_t kLive = 1;    ///< Belongs to an allocation.
inline constexpr uint8_t kWritten = 2; ///< Has a value.
inline constexpr uint8_t kWhole = kLive | kWritten;

/// Who touched four bytes last. Races.h says what the fields mean.
struct Cell {
  uint64_t write = 0;
  uint64_t read = 0;
};

/// A range of addresses with a state per byte and a cell per four bytes.
struct View {
  uint64_t base = 0;
  uint64_t size = 0;
  uint8_t *state = nullptr;
  Cell *cells = nullptr;

  bool holds(uint64_t address, uint64_t bytes) const {
    return address - base < size && bytes <= size - (address - base);
  }
};

/// The first time that something is recorded with: a multiple of a chunk.
inline constexpr uint32_t kFirstTime = 64;

/// Pages of the system that are taken as they are touched, and are 0 then.
class Pages {
public:
  explicit Pages(uint64_t bytes);
  ~Pages();
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;

  /// Null where the system refuses.
  void *get() const { return memory; }
  /// Makes all of it 0 again and gives the pages back.
  void clear();

private:
  void *memory = nullptr;
  uint64_t size = 0;
};

/// Global memory itself and its view.
class Shadow {
public:
  explicit Shadow(uint64_t capacity);

  bool valid() const {
    return data.get() && states.get() && records.get() && chunks.get();
  }
  const View &view() const { return bytes; }
  /// Makes the states of `count` bytes `state`.
  void mark(uint64_t address, uint64_t count, uint8_t state);
  /// The times that accesses are recorded with grow over all launches.
  std::atomic<uint32_t> &clock() { return time; }
  /// Which block takes the times of a chunk (Races.h).
  uint32_t *owners() { return static_cast<uint32_t *>(chunks.get()); }
  /// Held by the launch that runs.
  std::mutex &turn() { return mutex; }
  /// Forgets who touched what, when times start anew.
  void forgetAccesses();

private:
  Pages data, states, records, chunks;
  View bytes;
  std::atomic<uint32_t> time{kFirstTime};
  std::mutex mutex;
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_MEMORY_SHADOW_H
