// SPDX-License-Identifier: Apache-2.0
#include "Loans.h"
#include "smp/base/Populate.h"
#include <algorithm>
#include <cstring>

namespace smp {

using Bytes = Loans::Bytes;

void Loans::lend(Bytes bytes, std::byte *copy) {
  loans.push_back({bytes, copy});
}

void Loans::begin() {
  std::ranges::sort(loans, std::less<const std::byte *>(),
                    [](const Loan &loan) { return loan.bytes.data(); });
  next = 0;
  used = 0;
  total = 0;
  for (const Loan &loan : loans)
    total += loan.bytes.size();
}

Loans::Loan *Loans::find(const std::byte *at) {
  const std::less<const std::byte *> isBefore;
  const auto after = std::ranges::upper_bound(
      loans, at, isBefore, [](const Loan &loan) { return loan.bytes.data(); });
  if (after == loans.begin())
    return nullptr;
  Loan &loan = *std::prev(after);
  return isBefore(at, std::to_address(loan.bytes.end())) ? &loan : nullptr;
}

Bytes Loans::borrow(Bytes part) {
  Loan &loan = *find(part.data());
  const auto offset = size_t(part.data() - loan.bytes.data());
  const size_t size = std::min(part.size(), loan.bytes.size() - offset);
  const std::lock_guard<std::mutex> hold(lock);
  if (loan.isBack)
    return {loan.copy + offset, size};
  ++loan.borrowers;
  return part.first(size);
}

/// Whether the part was borrowed where it is lent.
static bool isOriginal(Bytes part, Bytes borrowed) {
  return part.data() == borrowed.data();
}

void Loans::giveBack(Bytes part, Bytes borrowed) {
  if (!isOriginal(part, borrowed))
    return;
  {
    const std::lock_guard<std::mutex> hold(lock);
    --find(part.data())->borrowers;
  }
  returned.note();
}

bool Loans::confirm(Bytes part, Bytes borrowed) {
  Loan &loan = *find(part.data());
  const std::lock_guard<std::mutex> hold(lock);
  if (loan.isBack && isOriginal(part, borrowed))
    return false;
  loan.used += borrowed.size();
  used += borrowed.size();
  return true;
}

bool Loans::takeBackNext() {
  if (next == loans.size())
    return false;
  takeBack(loans[next++], /*isNeeded=*/true);
  return true;
}

void Loans::takeBackUnused() {
  for (; next < loans.size(); ++next)
    takeBack(loans[next], /*isNeeded=*/false);
}

void Loans::takeBack(Loan &loan, bool isNeeded) {
  std::unique_lock<std::mutex> hold(lock);
  if (isNeeded && loan.used < loan.bytes.size()) {
    hold.unlock(); // Others read it meanwhile.
    populate({loan.copy, loan.bytes.size()});
    std::memcpy(loan.copy, loan.bytes.data(), loan.bytes.size());
    hold.lock();
  }
  loan.isBack = true;
  while (loan.borrowers > 0) {
    const uint32_t seen = returned.now();
    hold.unlock();
    returned.waitBeyond(seen);
    hold.lock();
  }
}

} // namespace smp
