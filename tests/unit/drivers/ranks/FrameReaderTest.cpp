// SPDX-License-Identifier: Apache-2.0
#include "FrameReader.h"
#include "Seed.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;

namespace {

std::vector<std::byte> frame(const FrameHeader &header,
                             const std::string &text) {
  std::vector<std::byte> bytes(FrameHeader::kBytes + text.size());
  header.encode(std::span(bytes).first<FrameHeader::kBytes>());
  if (!text.empty())
    std::memcpy(bytes.data() + FrameHeader::kBytes, text.data(), text.size());
  return bytes;
}

FrameHeader data(uint32_t index, uint64_t bytes) {
  return {FrameHeader::Kind::Data, {1, 2, index}, bytes};
}

TEST(FrameReader, FramesComeInPiecesOfAnySize) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<std::byte> stream;
  std::vector<std::string> sent;
  for (uint32_t i = 0; i < 200; ++i) {
    sent.push_back(std::string(i % 3 ? random() % 300 : 0, char('a' + i % 26)));
    const auto bytes = frame(data(i, sent.back().size()), sent.back());
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  FrameReader reader(
      [](const FrameHeader &header) { return MessageBytes(header.bytes); });
  std::vector<std::string> got;
  for (size_t at = 0; at < stream.size();) {
    const std::span<std::byte> room = reader.room();
    ASSERT_FALSE(room.empty());
    const size_t count =
        std::min({room.size(), stream.size() - at, size_t(1 + random() % 100)});
    std::memcpy(room.data(), stream.data() + at, count);
    at += count;
    auto whole = reader.filled(count);
    ASSERT_TRUE(whole.ok()) << whole.status().message();
    if (!*whole)
      continue;
    EXPECT_EQ(reader.header().tag.index, got.size());
    const MessageBytes bytes = reader.takeBytes();
    got.emplace_back(reinterpret_cast<const char *>(bytes.data()),
                     bytes.size());
  }
  EXPECT_EQ(got, sent);
}

TEST(FrameReader, NothingIsTakenForWhatIsNotAccepted) {
  uint64_t asked = 0;
  FrameReader reader([&](const FrameHeader &header) -> StatusOr<MessageBytes> {
    asked = header.bytes;
    return dataLoss("too long");
  });
  const auto bytes = frame(data(0, 40000000000), "");
  std::memcpy(reader.room().data(), bytes.data(), bytes.size());
  EXPECT_EQ(reader.filled(bytes.size()).status().message(), "too long");
  EXPECT_EQ(asked, 40000000000u);
}

/// Whatever a header says: no more than twice what has come.
TEST(FrameReader, MemoryGrowsWithWhatComes) {
  constexpr size_t kFirst = 100;
  std::string text(12345, ' ');
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = char('a' + i % 26);
  const auto bytes = frame(data(0, text.size()), text);
  FrameReader reader([](const FrameHeader &) { return MessageBytes(kFirst); });
  size_t at = 0;
  bool isWhole = false;
  while (at < bytes.size()) {
    const std::span<std::byte> room = reader.room();
    ASSERT_FALSE(room.empty());
    EXPECT_LE(room.size(), std::max(at, kFirst));
    ASSERT_FALSE(isWhole);
    std::memcpy(room.data(), bytes.data() + at, room.size());
    at += room.size();
    isWhole = *reader.filled(room.size());
  }
  ASSERT_TRUE(isWhole);
  const MessageBytes got = reader.takeBytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(got.data()), got.size()),
            text);
}

TEST(FrameReader, WhatIsNoFrameIsRefused) {
  FrameReader reader(
      [](const FrameHeader &header) { return MessageBytes(header.bytes); });
  std::memset(reader.room().data(), 'x', FrameHeader::kBytes);
  EXPECT_EQ(reader.filled(FrameHeader::kBytes).status().code(),
            StatusCode::DataLoss);
}

} // namespace
