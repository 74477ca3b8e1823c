// SPDX-License-Identifier: Apache-2.0
// How two ranks find out about each other what they are.

#ifndef SMP_DRIVERS_RANKS_HANDSHAKE_H
#define SMP_DRIVERS_RANKS_HANDSHAKE_H

#include "RankProtocol.h"
#include <functional>

namespace smp {

/// What a rank says of itself, and what it knows.
struct Introduction {
  uint32_t rank = 0;
  uint32_t size = 1;
  uint64_t program = 0;
  std::string programName;
  Digest job = {};
  std::string secret;

  static Introduction of(const SocketOptions &options);
};

/// One side of the beginning of a conversation, without the connection: takes
/// bytes, and gives those to be sent. Each side proves that it knows the secret
/// for a number that the other drew for this connection, so that no proof is of
/// use elsewhere; the one that calls proves first, so that a stranger who calls
/// learns nothing to guess by. What one side takes for wrong the other is told.
class Handshake {
public:
  /// Whether a rank that has proved itself is awaited: Welcome, NotAwaited or
  /// CameTwice.
  using Admit = std::function<Verdict(uint32_t rank)>;

  /// Calls rank `callee` and tells it where this rank listens, if it does.
  static Handshake call(const Introduction &self, const Digest &number,
                        uint32_t callee, std::string address);
  /// Is called by some rank, or by anybody.
  static Handshake answer(const Introduction &self, const Digest &number,
                          Admit admit);

  /// Where the next bytes go that are received; empty: none are awaited.
  std::span<std::byte> room();
  void filled(size_t bytes);
  /// What is to be sent next; empty: nothing.
  std::span<const std::byte> toSend() const;
  void sent(size_t bytes) { outAt += bytes; }

  /// Nothing is left to be sent or received.
  bool over() const { return ended && outAt == outSize; }
  /// Once over: ok when both are welcome to each other.
  const Status &status() const { return outcome; }
  /// With an error: the other side may be none of this job's, so that its error
  /// is no reason to end anything but the connection.
  bool byStranger() const { return stranger; }
  bool isWelcome() const { return ended && outcome.ok(); }
  /// Of the other side, once it is welcome.
  uint32_t otherRank() const { return other.rank; }
  const std::string &otherAddress() const { return address; }

private:
  enum class Next : uint8_t { HelloStart, HelloRest, Proof, Answer };
  Handshake(const Introduction &self, const Digest &number, bool calls);
  void await(Next what, size_t bytes);
  template <typename Message>
  void send(const Message &message);
  void fail(Status why, bool isStranger);
  void heardVersion();
  void heardHello();
  void heardProof();
  void heardAnswer();
  void sendProof();
  void sendAnswer(Verdict verdict);
  Verdict compareOpenly() const;
  Verdict compare() const;
  Status explain(Verdict verdict) const;
  Digest proofDigest() const;
  Digest answerDigest(std::span<const std::byte> answer) const;

  const Introduction *self; // Borrowed.
  bool calls;
  uint32_t callee = 0;
  Admit admit;
  std::string address; // This side's when it calls, else the other's.
  Hello other;

  std::array<std::byte, Hello::kBytes> callerHello = {}, calleeHello = {};
  std::array<std::byte, Proof::kBytes> proofBytes = {};
  std::array<std::byte, Answer::kBytes> answerBytes = {};
  std::array<std::byte, Hello::kBytes + Proof::kBytes> out = {}; // All of it.
  Next next = Next::HelloStart;
  size_t inAt = 0, inSize = 0, outAt = 0, outSize = 0;
  bool ended = false, stranger = false;
  Status outcome;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_HANDSHAKE_H
