// SPDX-License-Identifier: Apache-2.0
// Memory that is read where it is, until somebody has to change it.

#ifndef SMP_EXEC_LIB_SESSION_LOANS_H
#define SMP_EXEC_LIB_SESSION_LOANS_H

#include "smp/device/Changes.h"
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

namespace smp {

/// Memory is lent by its owner, who takes it back before he changes it. What is
/// not used by then is copied, and who comes later gets the copy. Who has
/// borrowed a part keeps the owner waiting, so he gives it back soon; then he
/// may still have it read without a guard, as a disk does, and asks afterwards
/// whether it was the same until the end (confirm()).
///
/// lend() and clear() are the owner's and not beside anything else; any thread
/// may call the rest.
class Loans {
public:
  using Bytes = std::span<const std::byte>;

  /// So many are lent at a time.
  void reserve(size_t count) { loans.reserve(count); }
  void clear() { loans.clear(); }
  /// `copy` is as large, and is the loans' until clear().
  void lend(Bytes bytes, std::byte *copy);
  /// After the last one. Nothing was used yet.
  void begin();

  /// Whether the part begins in what is lent, or was before it was taken back.
  bool has(Bytes part) { return find(part.data()); }
  /// Where a part is now: there or in the copy. Only as many of its bytes as
  /// are of one loan. They stay until giveBack() of what this gave.
  Bytes borrow(Bytes part);
  void giveBack(Bytes part, Bytes borrowed);
  /// Says that the part, which borrow() gave there, was used. False: it has
  /// been taken back meanwhile, so that it may have changed, and is to be
  /// borrowed again.
  bool confirm(Bytes part, Bytes borrowed);

  /// Whether all of it was used: what is lent may be changed.
  bool areUsed() const { return used == total; }

  /// Takes the next one back, copied where it was not used; false: there is
  /// none left, and all that was lent may be changed. One thread.
  bool takeBackNext();
  /// Takes back all, which nobody will use.
  void takeBackUnused();

private:
  struct Loan {
    Bytes bytes;
    std::byte *copy;
    uint64_t used = 0;
    uint32_t borrowers = 0; // Of `bytes`.
    bool isBack = false;
  };
  Loan *find(const std::byte *at);
  void takeBack(Loan &loan, bool isNeeded);

  std::vector<Loan> loans; // By address; from begin() on the list stays.
  std::mutex lock;         // Of what loans are in.
  size_t next = 0;         // To be taken back.
  uint64_t total = 0;
  std::atomic<uint64_t> used{0};
  Changes returned;
};

} // namespace smp

#endif // SMP_EXEC_LIB_SESSION_LOANS_H
