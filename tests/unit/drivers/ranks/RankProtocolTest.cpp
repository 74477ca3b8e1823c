// SPDX-License-Identifier: Apache-2.0
#include "RankProtocol.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

template <typename Message>
std::array<std::byte, Message::kBytes> encoded(const Message &message) {
  std::array<std::byte, Message::kBytes> bytes;
  message.encode(bytes);
  return bytes;
}

Digest digestOf(uint8_t first) {
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i)
    digest[i] = std::byte(first + i);
  return digest;
}

TEST(RankProtocol, MessagesComeBack) {
  const Hello hello{kRankProtocol,      3,           17,          true,
                    0x123456789abcdefu, digestOf(1), digestOf(99)};
  auto heard = Hello::decode(encoded(hello));
  ASSERT_TRUE(heard.ok()) << heard.status().message();
  EXPECT_EQ(heard->rank, 3u);
  EXPECT_EQ(heard->size, 17u);
  EXPECT_TRUE(heard->hasSecret);
  EXPECT_EQ(heard->program, 0x123456789abcdefu);
  EXPECT_EQ(heard->job, digestOf(1));
  EXPECT_EQ(heard->number, digestOf(99));

  for (const std::string &address : {std::string(), std::string("unix:/x.1"),
                                     std::string(Proof::kMostAddress, 'a')}) {
    auto proof = Proof::decode(encoded(Proof{address, digestOf(7)}));
    ASSERT_TRUE(proof.ok()) << proof.status().message();
    EXPECT_EQ(proof->address, address);
    EXPECT_EQ(proof->digest, digestOf(7));
  }

  auto answer =
      Answer::decode(encoded(Answer{Verdict::CameTwice, digestOf(9)}));
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->verdict, Verdict::CameTwice);
  EXPECT_EQ(answer->digest, digestOf(9));

  FrameHeader header;
  header.kind = FrameHeader::Kind::Bye;
  header.tag = {1ull << 40, ~0ull, 77};
  header.bytes = 1ull << 63;
  header.lane = 1u << 31;
  auto frame = FrameHeader::decode(encoded(header));
  ASSERT_TRUE(frame.ok()) << frame.status().message();
  EXPECT_EQ(frame->kind, FrameHeader::Kind::Bye);
  EXPECT_EQ(frame->tag, header.tag);
  EXPECT_EQ(frame->bytes, header.bytes);
  EXPECT_EQ(frame->lane, header.lane);
}

/// Layout is what other versions and machines see.
TEST(RankProtocol, EveryVersionBeginsAlike) {
  const auto bytes = encoded(Hello{.version = 0x04030201});
  const char start[] = {'S', 'M', 'P', 'r', 1, 2, 3, 4};
  for (size_t i = 0; i < sizeof(start); ++i)
    EXPECT_EQ(char(bytes[i]), start[i]) << i;
  auto version = Hello::versionOf(std::span(bytes).first<Hello::kStartBytes>());
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(*version, 0x04030201u);
}

/// The places where any other byte is damage. What is decoded elsewhere is
/// compared, and all of it is proved.
TEST(RankProtocol, DamageThatCanBeSeenIsSeen) {
  const auto hello = encoded(Hello{.hasSecret = true});
  for (size_t i = 0; i < hello.size(); ++i) {
    auto damaged = hello;
    damaged[i] ^= std::byte(0x40);
    const bool isFixed = i < 8 || (i >= 24 && i < 32);
    EXPECT_EQ(Hello::decode(damaged).ok(), !isFixed) << i;
  }
  const auto answer = encoded(Answer());
  for (size_t i = 0; i < Answer::kProvedBytes; ++i) {
    auto damaged = answer;
    damaged[i] ^= std::byte(0x40);
    EXPECT_FALSE(Answer::decode(damaged).ok()) << i;
  }
  const auto header = encoded(FrameHeader());
  for (size_t i = 0; i < header.size(); ++i) {
    auto damaged = header;
    damaged[i] ^= std::byte(0x40);
    const bool isFixed = i < 8;
    EXPECT_EQ(FrameHeader::decode(damaged).ok(), !isFixed) << i;
  }
  auto proof = encoded(Proof());
  proof[0] = std::byte(Proof::kMostAddress + 1);
  EXPECT_EQ(Proof::decode(proof).status().message(),
            "it says that its address has 125 bytes; at most 124");
}

TEST(RankProtocol, FailuresKeepCodeAndText) {
  const Status why = invalidArgument("it broke");
  const std::string text = encodeFailure(why);
  const Status heard = decodeFailure(std::as_bytes(std::span(text)));
  EXPECT_EQ(heard.code(), why.code());
  EXPECT_EQ(heard.message(), why.message());
  // Whatever comes is an error.
  for (const std::string &odd : {std::string(), std::string("0ok"),
                                 std::string("9"), std::string(1, '\xff')})
    EXPECT_EQ(decodeFailure(std::as_bytes(std::span(odd))).code(),
              StatusCode::Unavailable);
  EXPECT_EQ(encodeFailure(unavailable(std::string(1 << 20, 'x'))).size(),
            FrameHeader::kMostFailureBytes);
}

} // namespace
