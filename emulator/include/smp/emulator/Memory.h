// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MEMORY_H
#define SMP_EMULATOR_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace smp::emulator {

class Shadow;

/// The global memory of a device. A device address is a host address. Knows
/// which bytes are allocated and which were written, so that a kernel's
/// accesses can be checked. Any thread may call it. Of copies and kernels that
/// touch the same bytes at once each byte is an old or a new one.
class Memory {
public:
  /// Reserves addresses for `capacity` bytes; pages are taken as they are used.
  /// valid() is false where the system refuses.
  explicit Memory(uint64_t capacity);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  bool valid() const;
  uint64_t capacity() const { return size; }
  /// Bytes that live allocations have asked for.
  uint64_t used() const;

  /// An address that is a multiple of 256, of bytes that are not initialised,
  /// with at least 256 bytes that belong to nobody behind it; 0 if there is no
  /// room. No bytes are one byte.
  uint64_t allocate(uint64_t bytes);
  /// Ends an allocation. False, and nothing happens, unless `address` is one.
  bool free(uint64_t address);
  /// The live allocation that holds `address`: its first address and its bytes.
  struct Allocation {
    uint64_t address = 0;
    uint64_t bytes = 0;
  };
  std::optional<Allocation> find(uint64_t address) const;

  /// What the host does with memory. Each returns nothing, or an error that
  /// names the address and the bytes when they are not within one live
  /// allocation. What is copied in or filled is initialised; a copy within
  /// keeps what each byte is, and is of bytes that do not overlap.
  using Error = std::optional<std::string>;
  Error copyIn(uint64_t to, const void *from, uint64_t bytes);
  Error copyOut(void *to, uint64_t from, uint64_t bytes) const;
  Error copy(uint64_t to, uint64_t from, uint64_t bytes);
  Error fill(uint64_t to, uint8_t value, uint64_t bytes);
  /// Forgets that the bytes were written, as of an allocation that is used
  /// anew.
  Error forget(uint64_t address, uint64_t bytes);

  /// What the machine checks accesses with.
  Shadow &shadow() { return *bytesShadow; }

private:
  Error check(const char *what, uint64_t address, uint64_t bytes) const;

  uint64_t size = 0;
  std::unique_ptr<Shadow> bytesShadow;
  mutable std::mutex mutex;
  std::map<uint64_t, uint64_t> live; // address -> bytes asked for
  std::map<uint64_t, uint64_t> gaps; // address -> bytes free
  uint64_t usedBytes = 0;
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_MEMORY_H
