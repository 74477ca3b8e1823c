// SPDX-License-Identifier: Apache-2.0
// A place in a program, spelled only when something is wrong there.

#ifndef SMP_SERIALIZATION_LIB_WHERE_H
#define SMP_SERIALIZATION_LIB_WHERE_H

#include "smp/base/Quote.h"
#include "smp/base/Status.h"
#include <cstdint>
#include <string_view>

// A place must not be kept longer than the one that it was made from.
#if defined(__clang__)
#define SMP_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define SMP_LIFETIME_BOUND
#endif

namespace smp {

/// "stages[3].launches[0].kernel" as a chain of links on the stack: each refers
/// to the one before, which must outlive it. Building one costs nothing.
class Where {
public:
  Where() = default;

  Where field(const char *name) const SMP_LIFETIME_BOUND {
    return Where(this, name, kNoIndex);
  }
  Where at(const char *list, size_t index) const SMP_LIFETIME_BOUND {
    return Where(this, list, index);
  }

  std::string spell() const;
  /// The error "<place> <what>".
  Status is(const std::string &what) const;
  /// Ok when index < size, else "<place> is <index> of <size> <things>".
  Status checkIndex(uint64_t index, uint64_t size, const char *things) const;
  /// Ok when value <= limit, else "<place> is <value>; at most <limit>".
  Status checkMost(uint64_t value, uint64_t limit) const;
  /// Ok when 1 <= value <= limit, else "<place> is <value>; 1 to <limit>".
  Status checkFrom1(uint64_t value, uint64_t limit) const;
  /// Ok when the number is from `first` to `last`, an enum's.
  Status checkEnum(uint64_t value, uint64_t first, uint64_t last) const;

private:
  static constexpr size_t kNoIndex = SIZE_MAX;
  Where(const Where *parent, const char *name, size_t index)
      : parent(parent), name(name), index(index) {}

  const Where *parent = nullptr;
  const char *name = nullptr;
  size_t index = kNoIndex;
};

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_WHERE_H
