// SPDX-License-Identifier: Apache-2.0
// Handshakes without connections.

#ifndef SMP_TESTS_UNIT_DRIVERS_RANKS_HANDSHAKES_H
#define SMP_TESTS_UNIT_DRIVERS_RANKS_HANDSHAKES_H

#include "Handshake.h"
#include <algorithm>

namespace smp::test {

inline Introduction introduce(uint32_t rank, std::string secret = "",
                              uint64_t program = 7) {
  SocketOptions options;
  options.rank = rank;
  options.size = 3;
  options.program = program;
  options.secret = std::move(secret);
  return Introduction::of(options);
}

inline Digest numberOf(uint8_t value) {
  Digest number;
  number.fill(std::byte(value));
  return number;
}

inline Verdict welcome(uint32_t) { return Verdict::Welcome; }

/// Sees, and may change, what one side sends; `at` counts its bytes.
using OnTheWay = std::function<void(std::span<std::byte> bytes, size_t at)>;

/// What went one way, and how far it came.
struct Way {
  Handshake &from, &to;
  OnTheWay onTheWay = {};
  std::vector<std::byte> bytes = {};
  size_t given = 0;

  /// At most `most` bytes at a time; whether any moved.
  bool move(size_t most) {
    const auto sent = from.toSend();
    std::vector<std::byte> next(sent.begin(), sent.end());
    from.sent(sent.size());
    if (onTheWay)
      onTheWay(next, bytes.size());
    bytes.insert(bytes.end(), next.begin(), next.end());
    const auto room = to.room();
    const size_t count = std::min({room.size(), bytes.size() - given, most});
    if (count == 0)
      return !sent.empty();
    std::copy_n(bytes.begin() + ptrdiff_t(given), count, room.begin());
    given += count;
    to.filled(count);
    return true;
  }
};

/// Until nobody has anything more to say.
inline void exchange(Way &there, Way &back, size_t most = 1000) {
  for (bool moved = true; moved;) {
    moved = there.move(most);
    moved |= back.move(most);
  }
}

} // namespace smp::test

#endif // SMP_TESTS_UNIT_DRIVERS_RANKS_HANDSHAKES_H
