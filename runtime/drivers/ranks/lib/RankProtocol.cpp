// SPDX-License-Identifier: Apache-2.0
#include "RankProtocol.h"
#include <algorithm>
#include <cstring>

namespace smp {

static constexpr uint32_t kHelloMark = 0x72504d53; // "SMPr"
static constexpr uint32_t kFrameMark = 0x66504d53; // "SMPf"

namespace {

/// Writes one field after the other.
class Writer {
public:
  explicit Writer(std::span<std::byte> to) : at(to.data()) {}
  void number(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
      *at++ = std::byte(value >> (8 * i));
  }
  void bytes(const void *from, size_t size) {
    if (size)
      std::memcpy(at, from, size);
    at += size;
  }

private:
  std::byte *at;
};

/// Reads them again.
class Reader {
public:
  explicit Reader(std::span<const std::byte> from) : at(from.data()) {}
  uint64_t number(int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value |= uint64_t(*at++) << (8 * i);
    return value;
  }
  uint32_t word() { return uint32_t(number(4)); }
  void bytes(void *to, size_t size) {
    if (size)
      std::memcpy(to, at, size);
    at += size;
  }

private:
  const std::byte *at;
};

} // namespace

//===----------------------------------------------------------------------===//
// Before two ranks know each other
//===----------------------------------------------------------------------===//

void Hello::encode(std::span<std::byte, kBytes> to) const {
  Writer out(to);
  out.number(kHelloMark, 4);
  out.number(version, 4);
  out.number(rank, 4);
  out.number(size, 4);
  out.number(program, 8);
  out.number(hasSecret, 4);
  out.number(0, 4);
  out.bytes(job.data(), job.size());
  out.bytes(number.data(), number.size());
}

StatusOr<uint32_t>
Hello::versionOf(std::span<const std::byte, kStartBytes> start) {
  Reader in(start);
  if (in.word() != kHelloMark)
    return dataLoss("it does not speak as a rank of smp does");
  return in.word();
}

StatusOr<Hello> Hello::decode(std::span<const std::byte, kBytes> from) {
  Hello hello;
  SMP_ASSIGN_OR_RETURN(hello.version, versionOf(from.first<kStartBytes>()));
  Reader in(from.subspan<kStartBytes>());
  hello.rank = in.word();
  hello.size = in.word();
  hello.program = in.number(8);
  const uint32_t secret = in.word();
  const uint32_t zero = in.word();
  hello.hasSecret = secret == 1;
  in.bytes(hello.job.data(), hello.job.size());
  in.bytes(hello.number.data(), hello.number.size());
  if (hello.version != kRankProtocol || secret > 1 || zero != 0)
    return dataLoss("its hello is damaged");
  return hello;
}

void Proof::encode(std::span<std::byte, kBytes> to) const {
  std::fill(to.begin(), to.end(), std::byte(0));
  Writer(to).number(address.size(), 4);
  Writer(to.subspan<4>()).bytes(address.data(), address.size());
  Writer(to.subspan<kProvedBytes>()).bytes(digest.data(), digest.size());
}

StatusOr<Proof> Proof::decode(std::span<const std::byte, kBytes> from) {
  const uint32_t size = Reader(from).word();
  if (size > kMostAddress)
    return dataLoss("it says that its address has " + std::to_string(size) +
                    " bytes; at most " + std::to_string(kMostAddress));
  Proof proof;
  proof.address.resize(size);
  Reader(from.subspan<4>()).bytes(proof.address.data(), size);
  Reader(from.subspan<kProvedBytes>())
      .bytes(proof.digest.data(), sizeof(Digest));
  return proof;
}

void Answer::encode(std::span<std::byte, kBytes> to) const {
  Writer out(to);
  out.number(uint32_t(verdict), 4);
  out.number(0, 4);
  out.bytes(digest.data(), digest.size());
}

StatusOr<Answer> Answer::decode(std::span<const std::byte, kBytes> from) {
  Reader in(from);
  const uint32_t verdict = in.word();
  const uint32_t zero = in.word();
  if (verdict < uint32_t(Verdict::Welcome) ||
      verdict > uint32_t(Verdict::CameTwice) || zero != 0)
    return dataLoss("its answer is damaged");
  Answer answer;
  answer.verdict = Verdict(verdict);
  in.bytes(answer.digest.data(), sizeof(Digest));
  return answer;
}

//===----------------------------------------------------------------------===//
// Afterwards
//===----------------------------------------------------------------------===//

void FrameHeader::encode(std::span<std::byte, kBytes> to) const {
  Writer out(to);
  out.number(kFrameMark, 4);
  out.number(uint32_t(kind), 4);
  out.number(tag.epoch, 8);
  out.number(tag.key, 8);
  out.number(tag.index, 4);
  out.number(lane, 4);
  out.number(bytes, 8);
}

StatusOr<FrameHeader>
FrameHeader::decode(std::span<const std::byte, kBytes> from) {
  Reader in(from);
  FrameHeader header;
  const uint32_t mark = in.word();
  const uint32_t kind = in.word();
  header.tag.epoch = in.number(8);
  header.tag.key = in.number(8);
  header.tag.index = in.word();
  header.lane = in.word();
  header.bytes = in.number(8);
  if (mark != kFrameMark || kind < uint32_t(Kind::Table) ||
      kind > uint32_t(Kind::Bye))
    return dataLoss("sent bytes that are no message");
  header.kind = Kind(kind);
  return header;
}

std::string encodeFailure(const Status &why) {
  std::string text = char('0' + int(why.code())) + why.message();
  text.resize(std::min<size_t>(text.size(), FrameHeader::kMostFailureBytes));
  return text;
}

Status decodeFailure(std::span<const std::byte> bytes) {
  const int code = bytes.empty() ? 0 : int(bytes[0]) - '0';
  const bool known = code > 0 && code <= int(StatusCode::Internal);
  std::string text;
  for (std::byte byte : bytes.subspan(bytes.empty() ? 0 : 1))
    text += char(byte);
  return {known ? StatusCode(code) : StatusCode::Unavailable, std::move(text)};
}

} // namespace smp
