// SPDX-License-Identifier: Apache-2.0
#include "KeyedDigest.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sodium/crypto_auth_hmacsha256.h>
#include <sodium/crypto_verify_32.h>
#include <sys/random.h>

// What libsodium calls when it is called wrongly. Its own is beside functions
// that refer to all of the library: with this one 30 kB of it are linked and
// not 200.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" [[noreturn]] void sodium_misuse(void) { std::abort(); }

namespace smp {

static_assert(crypto_auth_hmacsha256_BYTES == sizeof(Digest) &&
              crypto_verify_32_BYTES == sizeof(Digest));

static unsigned char *raw(Digest &digest) {
  return reinterpret_cast<unsigned char *>(digest.data());
}
static const unsigned char *raw(const std::byte *bytes) {
  return reinterpret_cast<const unsigned char *>(bytes);
}

Digest keyedDigest(std::string_view key,
                   std::initializer_list<std::span<const std::byte>> pieces) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(
      &state, reinterpret_cast<const unsigned char *>(key.data()), key.size());
  for (std::span<const std::byte> piece : pieces)
    crypto_auth_hmacsha256_update(&state, raw(piece.data()), piece.size());
  Digest digest;
  crypto_auth_hmacsha256_final(&state, raw(digest));
  return digest;
}

bool sameDigest(const Digest &one, const Digest &other) {
  return crypto_verify_32(raw(one.data()), raw(other.data())) == 0;
}

StatusOr<Digest> drawNumber() {
  Digest number;
  while (true) {
    const ssize_t got = getrandom(number.data(), number.size(), 0);
    if (got == ssize_t(number.size()))
      return number;
    if (got < 0 && errno != EINTR)
      return unavailable(std::string("getrandom: ") + std::strerror(errno));
  }
}

} // namespace smp
