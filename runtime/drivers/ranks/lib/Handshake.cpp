// SPDX-License-Identifier: Apache-2.0
#include "Handshake.h"
#include <algorithm>
#include <cstdio>

namespace smp {

static std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

Introduction Introduction::of(const SocketOptions &options) {
  return {options.rank,
          options.size,
          options.program,
          options.programName,
          keyedDigest("smp job", {bytesOf(options.job)}),
          options.secret};
}

Handshake::Handshake(const Introduction &self, const Digest &number, bool calls)
    : self(&self), calls(calls) {
  const Hello mine{kRankProtocol, self.rank, self.size, !self.secret.empty(),
                   self.program,  self.job,  number};
  mine.encode(calls ? callerHello : calleeHello);
  await(Next::HelloStart, Hello::kStartBytes);
}

Handshake Handshake::call(const Introduction &self, const Digest &number,
                          uint32_t callee, std::string address) {
  Handshake made(self, number, true);
  made.callee = callee;
  made.address = std::move(address);
  made.send(made.callerHello);
  return made;
}

Handshake Handshake::answer(const Introduction &self, const Digest &number,
                            Admit admit) {
  Handshake made(self, number, false);
  made.admit = std::move(admit);
  return made;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

void Handshake::await(Next what, size_t bytes) {
  next = what;
  inAt = what == Next::HelloRest ? Hello::kStartBytes : 0;
  inSize = bytes;
}

template <typename Message>
void Handshake::send(const Message &message) {
  std::copy(message.begin(), message.end(), out.begin() + ptrdiff_t(outSize));
  outSize += message.size();
}

std::span<const std::byte> Handshake::toSend() const {
  return std::span(out).subspan(outAt, outSize - outAt);
}

std::span<std::byte> Handshake::room() {
  if (ended)
    return {};
  std::span<std::byte> all;
  switch (next) {
  case Next::HelloStart:
  case Next::HelloRest:
    all = calls ? calleeHello : callerHello;
    break;
  case Next::Proof:
    all = proofBytes;
    break;
  case Next::Answer:
    all = answerBytes;
    break;
  }
  return all.subspan(inAt, inSize - inAt);
}

void Handshake::filled(size_t bytes) {
  inAt += bytes;
  if (inAt < inSize)
    return;
  switch (next) {
  case Next::HelloStart:
    return heardVersion();
  case Next::HelloRest:
    return heardHello();
  case Next::Proof:
    return heardProof();
  case Next::Answer:
    return heardAnswer();
  }
}

//===----------------------------------------------------------------------===//
// What is heard
//===----------------------------------------------------------------------===//

void Handshake::fail(Status why, bool isStranger) {
  ended = true;
  outcome = std::move(why);
  stranger = isStranger;
}

void Handshake::heardVersion() {
  const auto &heard = calls ? calleeHello : callerHello;
  StatusOr<uint32_t> version =
      Hello::versionOf(std::span(heard).first<Hello::kStartBytes>());
  if (version.ok() && *version == kRankProtocol)
    return await(Next::HelloRest, Hello::kBytes);
  if (!calls)
    send(calleeHello); // What is spoken here.
  if (!version.ok())
    return fail(version.status(), true);
  fail(invalidArgument("it speaks version " + std::to_string(*version) +
                       " of the protocol of ranks, rank " +
                       std::to_string(self->rank) + " version " +
                       std::to_string(kRankProtocol) +
                       "; give every rank the same version of smp"),
       true);
}

void Handshake::heardHello() {
  StatusOr<Hello> hello = Hello::decode(calls ? calleeHello : callerHello);
  if (!calls)
    send(calleeHello);
  if (!hello.ok())
    return fail(hello.status(), true);
  other = *hello;
  const Verdict verdict = compareOpenly();
  if (verdict != Verdict::Welcome) {
    if (!calls)
      sendAnswer(verdict);
    return fail(explain(verdict), true);
  }
  if (!calls)
    return await(Next::Proof, Proof::kBytes);
  sendProof();
  await(Next::Answer, Answer::kBytes);
}

void Handshake::heardProof() {
  StatusOr<Proof> heard = Proof::decode(proofBytes);
  Verdict verdict = Verdict::OtherSecret;
  if (heard.ok() && sameDigest(heard->digest, proofDigest()))
    verdict = compare();
  sendAnswer(verdict);
  if (verdict != Verdict::Welcome)
    return fail(explain(verdict), verdict == Verdict::OtherSecret);
  address = heard->address;
  ended = true;
}

void Handshake::heardAnswer() {
  StatusOr<Answer> heard = Answer::decode(answerBytes);
  if (!heard.ok())
    return fail(heard.status(), true);
  if (heard->verdict < Verdict::OtherCount &&
      heard->verdict != Verdict::Welcome)
    return fail(explain(heard->verdict), true);
  if (!sameDigest(
          heard->digest,
          answerDigest(std::span(answerBytes).first<Answer::kProvedBytes>())))
    return fail(dataLoss("rank " + std::to_string(other.rank) +
                         " did not prove that it knows the secret"),
                true);
  if (heard->verdict != Verdict::Welcome)
    return fail(explain(heard->verdict), false);
  if (const Verdict mine = compare(); mine != Verdict::Welcome)
    return fail(explain(mine), false);
  ended = true;
}

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

void Handshake::sendProof() {
  Proof mine{address, {}};
  mine.encode(proofBytes);
  mine.digest = proofDigest();
  mine.encode(proofBytes);
  send(proofBytes);
}

/// Who did not prove itself gets no digest.
void Handshake::sendAnswer(Verdict what) {
  Answer mine{what, {}};
  mine.encode(answerBytes);
  if (what == Verdict::Welcome || what >= Verdict::OtherCount) {
    mine.digest =
        answerDigest(std::span(answerBytes).first<Answer::kProvedBytes>());
    mine.encode(answerBytes);
  }
  send(answerBytes);
}

Digest Handshake::proofDigest() const {
  return keyedDigest(self->secret,
                     {bytesOf("smp rank calls  "), callerHello, calleeHello,
                      std::span(proofBytes).first<Proof::kProvedBytes>()});
}

Digest Handshake::answerDigest(std::span<const std::byte> answer) const {
  return keyedDigest(self->secret, {bytesOf("smp rank answers"), callerHello,
                                    calleeHello, proofBytes, answer});
}

//===----------------------------------------------------------------------===//
// What is thought of it
//===----------------------------------------------------------------------===//

/// Without a proof.
Verdict Handshake::compareOpenly() const {
  if (other.job != self->job)
    return Verdict::OtherJob;
  if (other.hasSecret == self->secret.empty())
    return Verdict::OneHasNoSecret;
  return Verdict::Welcome;
}

Verdict Handshake::compare() const {
  if (other.size != self->size)
    return Verdict::OtherCount;
  if (other.program != self->program)
    return Verdict::OtherProgram;
  if (calls)
    return other.rank == callee ? Verdict::Welcome : Verdict::NotAwaited;
  return admit(other.rank);
}

static std::string inHex(uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%016llx", (unsigned long long)number);
  return text;
}

Status Handshake::explain(Verdict what) const {
  const std::string mine = "rank " + std::to_string(self->rank);
  const std::string theirs = "rank " + std::to_string(other.rank);
  const std::string caller = (calls ? mine : theirs) + " of " +
                             std::to_string(calls ? self->size : other.size);
  switch (what) {
  case Verdict::OtherJob:
    return invalidArgument(theirs + " is of another job than " + mine);
  case Verdict::OneHasNoSecret:
    return invalidArgument((self->secret.empty() ? theirs : mine) +
                           " was given a secret and " +
                           (self->secret.empty() ? mine : theirs) +
                           " was not; give every rank the same one");
  case Verdict::OtherSecret:
    if (self->secret.empty())
      return dataLoss("what " + mine + " and " + theirs +
                      " said was altered on its way");
    return invalidArgument(
        (calls ? mine : theirs) + " does not know the secret of " +
        (calls ? theirs : mine) + "; give every rank the same one");
  case Verdict::OtherCount:
    return invalidArgument(theirs + " says there are " +
                           std::to_string(other.size) + " ranks, " + mine +
                           " says " + std::to_string(self->size));
  case Verdict::OtherProgram:
    return invalidArgument(
        theirs + " runs another program: its fingerprint is " +
        inHex(other.program) + ", that of " + mine + " is " +
        inHex(self->program) +
        (self->programName.empty() ? "" : " (" + self->programName + ")") +
        "; give every rank the same file");
  case Verdict::NotAwaited:
    return invalidArgument(caller + " is not awaited by " +
                           (calls ? theirs : mine) +
                           "; give each process a rank of its own");
  case Verdict::CameTwice:
    return invalidArgument(caller +
                           " came twice; give each process a rank of its own");
  case Verdict::Welcome:
    break;
  }
  return internalError("a rank that is welcome was turned away");
}

} // namespace smp
