// SPDX-License-Identifier: Apache-2.0
// Files in pieces, which some threads work on: some wait for the disk while the
// others compute.

#ifndef SMP_BASE_PIECES_H
#define SMP_BASE_PIECES_H

#include "smp/base/Status.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace smp {

/// The bytes that a piece of a file has; the last one may have fewer.
inline constexpr uint64_t kPieceBytes = 1 << 20;

/// What passes by the page cache begins and ends at multiples of this, in the
/// file as in memory.
inline constexpr uint64_t kDirectAlignment = 4096;
/// Less than this is not worth it.
inline constexpr uint64_t kLeastDirect = 64 << 10;

/// Where the bytes of a piece may be put meanwhile: kPieceBytes at a multiple
/// of kDirectAlignment.
using PieceRoom = std::span<std::byte>;

/// How many are worked on at a time: so many keep a disk busy.
inline constexpr size_t kPiecesAtATime = 8;
/// The same where pieces are lists of small files: for each of them a disk is
/// asked several times, one after the other, for little.
inline constexpr size_t kListsAtATime = 32;

/// Calls `work` with each number below `count` once, on the calling thread and,
/// where there are several, on others; in order, but that `atATime` are under
/// way. After an error none is begun, and the first one is the result.
Status
forEachPiece(size_t count,
             const std::function<Status(size_t number, PieceRoom room)> &work,
             size_t atATime = kPiecesAtATime);

/// Seconds that the calling thread has taken of a processor, with those of
/// threads that worked for it in forEachPiece().
double processorSeconds();

} // namespace smp

#endif // SMP_BASE_PIECES_H
