// SPDX-License-Identifier: Apache-2.0
// What ranks say to each other, as bytes. Nothing here waits or takes memory,
// and all sizes are fixed. Numbers are little-endian on the wire.
//
// A rank that connects says Hello; the one that accepts says its own; the first
// sends its Proof, the second its Answer. Then come frames: a header, and as
// many bytes as it says.

#ifndef SMP_DRIVERS_RANKS_RANKPROTOCOL_H
#define SMP_DRIVERS_RANKS_RANKPROTOCOL_H

#include "KeyedDigest.h"
#include "smp/device/Communicator.h"

namespace smp {

constexpr uint32_t kRankProtocol = 3;
constexpr uint32_t kMostRanks = 65536;

/// The first message, either way. In every version of the protocol it begins
/// with a mark and the version.
struct Hello {
  static constexpr size_t kStartBytes = 8;
  static constexpr size_t kBytes = 96;

  uint32_t version = kRankProtocol;
  uint32_t rank = 0;
  uint32_t size = 0;
  bool hasSecret = false;
  uint64_t program = 0;
  Digest job = {};
  Digest number = {}; ///< Drawn for this connection.

  void encode(std::span<std::byte, kBytes> to) const;
  /// The version of what begins so; an error when it is no Hello.
  static StatusOr<uint32_t>
  versionOf(std::span<const std::byte, kStartBytes> start);
  /// An error for what is no Hello of this version.
  static StatusOr<Hello> decode(std::span<const std::byte, kBytes> from);
};

/// That who connected knows the secret; and where it listens itself.
struct Proof {
  static constexpr size_t kMostAddress = 124;
  static constexpr size_t kProvedBytes = 4 + kMostAddress;
  static constexpr size_t kBytes = kProvedBytes + sizeof(Digest);

  std::string address;
  Digest digest = {}; ///< Of both Hellos and the first kProvedBytes.

  void encode(std::span<std::byte, kBytes> to) const;
  static StatusOr<Proof> decode(std::span<const std::byte, kBytes> from);
};

/// What one rank thinks of another.
enum class Verdict : uint32_t {
  Welcome = 1,
  // Of somebody who may be none of this job's.
  OtherJob = 2,
  OneHasNoSecret = 3,
  OtherSecret = 4,
  // Of a rank that proved itself.
  OtherCount = 5,
  OtherProgram = 6,
  NotAwaited = 7,
  CameTwice = 8,
};

/// What the rank that accepts thinks, and that it knows the secret too.
struct Answer {
  static constexpr size_t kProvedBytes = 8;
  static constexpr size_t kBytes = kProvedBytes + sizeof(Digest);

  Verdict verdict = Verdict::Welcome;
  Digest digest = {}; ///< Of all before; zeros for who did not prove itself.

  void encode(std::span<std::byte, kBytes> to) const;
  static StatusOr<Answer> decode(std::span<const std::byte, kBytes> from);
};

/// What comes before the bytes of a message.
struct FrameHeader {
  enum class Kind : uint32_t { Table = 1, Data = 2, Failure = 3, Bye = 4 };
  static constexpr size_t kBytes = 40;
  static constexpr uint64_t kMostFailureBytes = 1 << 16;

  Kind kind = Kind::Data;
  MessageTag tag;
  uint64_t bytes = 0; ///< As the sender says: anything.
  uint32_t lane = 0;

  void encode(std::span<std::byte, kBytes> to) const;
  static StatusOr<FrameHeader> decode(std::span<const std::byte, kBytes> from);
};

/// The bytes of a Failure.
std::string encodeFailure(const Status &why);
Status decodeFailure(std::span<const std::byte> bytes);

} // namespace smp

#endif // SMP_DRIVERS_RANKS_RANKPROTOCOL_H
