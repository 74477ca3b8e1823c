// SPDX-License-Identifier: Apache-2.0
// What the operating system gives for a number.

#ifndef SMP_DRIVERS_RANKS_DESCRIPTOR_H
#define SMP_DRIVERS_RANKS_DESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace smp {

/// A file descriptor that is closed with its owner.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int file) : file(file) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor &&other) noexcept
      : file(std::exchange(other.file, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    reset();
    file = std::exchange(other.file, -1);
    return *this;
  }

  int get() const { return file; }
  bool valid() const { return file >= 0; }
  void reset() {
    if (file >= 0)
      close(file);
    file = -1;
  }

private:
  int file = -1;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_DESCRIPTOR_H
