// SPDX-License-Identifier: Apache-2.0
// Proofs that somebody knows a secret.

#ifndef SMP_DRIVERS_RANKS_KEYEDDIGEST_H
#define SMP_DRIVERS_RANKS_KEYEDDIGEST_H

#include "smp/base/Status.h"
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace smp {

using Digest = std::array<std::byte, 32>;

/// HMAC-SHA-256 of all `pieces`, one after the other. The caller keeps their
/// borders apart: all but one have a fixed size.
Digest keyedDigest(std::string_view key,
                   std::initializer_list<std::span<const std::byte>> pieces);

/// In a time that does not depend on where they differ.
bool sameDigest(const Digest &one, const Digest &other);

/// Nobody has seen it before, nor can guess it.
StatusOr<Digest> drawNumber();

} // namespace smp

#endif // SMP_DRIVERS_RANKS_KEYEDDIGEST_H
