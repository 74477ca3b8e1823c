// SPDX-License-Identifier: Apache-2.0
// Bytes that may not be there yet, and that their owner may want back.

#ifndef SMP_BASE_BORROWED_H
#define SMP_BASE_BORROWED_H

#include "smp/base/Status.h"
#include <cstddef>
#include <span>
#include <utility>

namespace smp {

/// Has bytes that others read. A part is known by the memory that it is in at
/// first. Any thread may call.
class ByteLender {
public:
  using Bytes = std::span<const std::byte>;

  virtual ~ByteLender() = default;
  /// Waits for a part and says where it is: there, or where it was moved, and
  /// then maybe only as many bytes from the first on. It stays until
  /// giveBack(), which somebody may wait for.
  virtual StatusOr<Bytes> borrow(Bytes part) = 0;
  virtual void giveBack(Bytes part, Bytes borrowed) = 0;
  /// Says that what borrow() gave for the part has been used, which may have
  /// gone on after giveBack(). False: it may have changed before that was over,
  /// and is to be borrowed again.
  virtual bool confirm(Bytes part, Bytes borrowed) = 0;
};

/// Gives back what it has.
class Borrowed {
public:
  using Bytes = ByteLender::Bytes;

  /// Borrows the lender; null: the part is there, and stays.
  static StatusOr<Borrowed> from(ByteLender *lender, Bytes part) {
    Borrowed made;
    made.lender = lender;
    made.part = made.place = part;
    if (lender) {
      SMP_ASSIGN_OR_RETURN(made.place, lender->borrow(part));
      made.part = part.first(made.place.size());
    }
    made.isHeld = lender;
    return made;
  }
  Borrowed() = default;
  Borrowed(Borrowed &&other) noexcept { swap(other); }
  Borrowed &operator=(Borrowed &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Borrowed() { giveBack(); }

  Bytes bytes() const { return place; }
  void giveBack() {
    if (std::exchange(isHeld, false))
      lender->giveBack(part, place);
  }
  /// See ByteLender. Once, unless it is false.
  bool confirm() { return !lender || lender->confirm(part, place); }

private:
  void swap(Borrowed &other) {
    std::swap(lender, other.lender);
    std::swap(part, other.part);
    std::swap(place, other.place);
    std::swap(isHeld, other.isHeld);
  }
  ByteLender *lender = nullptr;
  Bytes part, place;
  bool isHeld = false;
};

} // namespace smp

#endif // SMP_BASE_BORROWED_H
