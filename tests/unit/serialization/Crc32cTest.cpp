// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/Crc32c.h"
#include "Crc32cParts.h"
#include "smp/serialization/FileDigest.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string_view>
#include <vector>

using namespace smp;

static std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

static std::vector<std::byte> randomBytes(size_t size) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes(size);
  for (std::byte &byte : bytes)
    byte = std::byte(random());
  return bytes;
}

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc32c(bytesOf("123456789")), 0xe3069283u);
  std::vector<std::byte> zeros(32), ones(32, std::byte(0xff));
  EXPECT_EQ(crc32c(zeros), 0x8a9136aau);
  EXPECT_EQ(crc32c(ones), 0x62a8ab43u);
}

TEST(Crc32c, ContinuesWhereItStopped) {
  std::vector<std::byte> bytes = randomBytes(40000);
  uint32_t whole = crc32c(bytes);
  for (size_t cut : {0, 1, 7, 8, 12287, 12288, 12289, 39999, 40000}) {
    std::span<const std::byte> all(bytes);
    EXPECT_EQ(crc32c(all.subspan(cut), crc32c(all.first(cut))), whole) << cut;
    EXPECT_EQ(crc32cJoined(crc32c(all.first(cut)), crc32c(all.subspan(cut)),
                           all.size() - cut),
              whole)
        << cut;
  }
}

TEST(Crc32c, HardwareAndSoftwareAgree) {
  if (!detail::hasCrc32cHardware())
    GTEST_SKIP() << "this processor has no CRC-32C instruction";
  std::vector<std::byte> bytes = randomBytes(50000);
  std::span<const std::byte> all(bytes);
  for (size_t offset : {0, 1, 3})
    for (size_t size :
         {0, 1, 7, 8, 9, 100, 4096, 12287, 12288, 12296, 36865, 49000})
      EXPECT_EQ(detail::crc32cHardware(all.subspan(offset, size), 17),
                detail::crc32cSoftware(all.subspan(offset, size), 17))
          << offset << " " << size;
}

TEST(FileDigest, IsThatOfThePiecesHoweverItGrows) {
  const std::vector<std::byte> bytes = randomBytes(2 * kPieceBytes + 77);
  std::span<const std::byte> all(bytes);
  for (size_t step : {size_t(1000), size_t(kPieceBytes), all.size()}) {
    FileDigest digest;
    for (size_t at = 0; at < all.size(); at += step)
      digest.add(all.subspan(at, std::min(step, all.size() - at)));
    EXPECT_EQ(digest.size, all.size());
    EXPECT_EQ(digest.crc32c, crc32c(all));
    EXPECT_EQ(digest.joinedPieces(), crc32c(all));
    ASSERT_EQ(digest.pieces.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      const size_t begin = i * kPieceBytes;
      EXPECT_EQ(digest.pieces[i],
                crc32c(all.subspan(
                    begin, std::min<size_t>(kPieceBytes, all.size() - begin))));
    }
  }
  EXPECT_EQ(FileDigest().joinedPieces(), 0u);
}
