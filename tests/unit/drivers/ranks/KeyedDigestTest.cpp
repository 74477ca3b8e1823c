// SPDX-License-Identifier: Apache-2.0
#include "KeyedDigest.h"
#include <cstdio>
#include <gtest/gtest.h>

using namespace smp;

namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string inHex(const Digest &digest) {
  std::string text;
  for (std::byte byte : digest) {
    char two[3];
    std::snprintf(two, sizeof(two), "%02x", unsigned(byte));
    text += two;
  }
  return text;
}

/// RFC 4231, test cases 1, 2 and 6.
TEST(KeyedDigest, IsHmacSha256) {
  EXPECT_EQ(inHex(keyedDigest(std::string(20, '\x0b'), {bytesOf("Hi There")})),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(inHex(keyedDigest("Jefe", {bytesOf("what do ya want "),
                                       bytesOf("for nothing?")})),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      inHex(keyedDigest(
          std::string(131, '\xaa'),
          {bytesOf("Test Using Larger Than Block-Size Key - Hash Key First")})),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(KeyedDigest, EveryBitCounts) {
  const Digest digest = keyedDigest("", {});
  EXPECT_TRUE(sameDigest(digest, digest));
  for (size_t bit = 0; bit < 8 * sizeof(Digest); ++bit) {
    Digest other = digest;
    other[bit / 8] ^= std::byte(1 << bit % 8);
    EXPECT_FALSE(sameDigest(digest, other)) << bit;
  }
}

TEST(KeyedDigest, NumbersAreDrawnAnew) {
  auto one = drawNumber(), other = drawNumber();
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_FALSE(sameDigest(*one, *other));
}

} // namespace
