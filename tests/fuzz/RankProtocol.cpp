// SPDX-License-Identifier: Apache-2.0
// What a rank does with bytes from a network, without the network. The first
// byte says who hears them: 0 a rank that is called, 1 one that calls, 2 one
// that has met the sender; the second how many come at a time. The rest is what
// is said.
#include "Handshake.h"
#include "Mailbox.h"
#include <algorithm>
#include <cstdlib>

using namespace smp;

namespace {

class Input {
public:
  Input(std::span<const std::byte> bytes, size_t atOnce)
      : bytes(bytes), atOnce(atOnce) {}
  /// Fills `room`, or a part of it; 0: nothing is left.
  size_t give(std::span<std::byte> room) {
    const size_t count = std::min({room.size(), bytes.size(), atOnce});
    std::copy_n(bytes.begin(), count, room.begin());
    bytes = bytes.subspan(count);
    return count;
  }

private:
  std::span<const std::byte> bytes;
  size_t atOnce;
};

void require(bool holds) {
  if (!holds)
    std::abort();
}

Introduction introduceRank1() {
  SocketOptions options;
  options.rank = 1;
  options.size = 3;
  options.secret = "what only the ranks know";
  return Introduction::of(options);
}

void shakeHands(Handshake shake, Input input) {
  size_t said = 0;
  while (true) {
    said += shake.toSend().size();
    shake.sent(shake.toSend().size());
    const size_t count = input.give(shake.room());
    if (count == 0)
      break;
    shake.filled(count);
  }
  require(said <= Hello::kBytes + Proof::kBytes);
  require(!shake.over() || shake.isWelcome() == shake.status().ok());
  require(!shake.isWelcome() || shake.otherRank() < 3);
}

void hearFrames(Input input) {
  Mailbox box(1, 3);
  box.planMessages(2, std::vector<MessageSize>{{0, 5, 64}, {0, 6, 0}});
  bool isOver = false;
  FrameReader reader([&](const FrameHeader &header) -> StatusOr<MessageBytes> {
    if (header.kind == FrameHeader::Kind::Data)
      return box.accept(0, header.tag, header.bytes);
    if (header.bytes > FrameHeader::kMostFailureBytes)
      return dataLoss("too long");
    return MessageBytes(header.bytes);
  });
  while (!isOver) {
    const size_t count = input.give(reader.room());
    if (count == 0)
      break;
    StatusOr<bool> whole = reader.filled(count);
    isOver = !whole.ok();
    if (isOver || !*whole)
      continue;
    const FrameHeader &header = reader.header();
    MessageBytes bytes = reader.takeBytes();
    require(bytes.size() == header.bytes);
    switch (header.kind) {
    case FrameHeader::Kind::Data:
      box.deliver(0, header.tag, std::move(bytes));
      break;
    case FrameHeader::Kind::Failure:
      box.fail(0, header.tag.epoch, decodeFailure(bytes));
      break;
    case FrameHeader::Kind::Bye:
      box.leave(0, header.tag.epoch);
      break;
    case FrameHeader::Kind::Table:
      box.beginEpoch(header.tag.epoch);
      break;
    }
  }
  box.beginEpoch(~uint64_t(0));
  require(box.waitingBytes(1) == 0 && box.waitingBytes(2) == 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  const auto bytes = std::as_bytes(std::span(data, size));
  const Input input(bytes.subspan(2), size_t(data[1]) + 1);
  static const Introduction self = introduceRank1();
  Digest number;
  number.fill(std::byte(1));
  switch (data[0] % 3) {
  case 0:
    shakeHands(Handshake::answer(self, number,
                                 [](uint32_t rank) {
                                   return rank == 2 ? Verdict::Welcome
                                                    : Verdict::NotAwaited;
                                 }),
               input);
    break;
  case 1:
    shakeHands(Handshake::call(self, number, 0, "tcp:127.0.0.1:77"), input);
    break;
  default:
    hearFrames(input);
  }
  return 0;
}
