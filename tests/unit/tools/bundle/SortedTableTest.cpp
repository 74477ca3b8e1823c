// SPDX-License-Identifier: Apache-2.0
#include "SortedTable.h"
#include "MaskedCrc.h"
#include "Varint.h"
#include <gtest/gtest.h>

using namespace smp;
using Entries = std::map<std::string, std::string>;

static Status readAll(std::string_view table, Entries &entries) {
  return readTable(table, [&](std::string_view key, std::string_view value) {
    entries.emplace(key, value);
    return Status();
  });
}

TEST(SortedTable, WhatIsWrittenIsRead) {
  for (const int count : {0, 1, 15, 16, 17, 3000}) {
    Entries entries, read;
    for (int i = 0; i < count; ++i)
      entries["tensor/" + std::to_string(i)] =
          std::string(size_t(i % 40), char(i));
    const Status status = readAll(formatTable(entries), read);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(read, entries) << count;
  }
}

TEST(SortedTable, AnErrorOfTheCallerEndsReading) {
  int calls = 0;
  const Status status =
      readTable(formatTable({{"a", ""}, {"b", ""}}), [&](auto, auto) -> Status {
        ++calls;
        return dataLoss("no");
      });
  EXPECT_EQ(status.message(), "no");
  EXPECT_EQ(calls, 1);
}

namespace {
/// A table of blocks that are made by hand, with right digests.
struct Raw {
  std::string table;

  std::string block(std::string bytes, char compression = 0) {
    std::string handle;
    appendVarint(handle, table.size());
    appendVarint(handle, bytes.size());
    bytes += compression;
    table += bytes;
    appendFixed32(table, maskCrc(crc32c(std::as_bytes(std::span(bytes)))));
    return handle;
  }
  static std::string entry(uint64_t shared, const std::string &key,
                           const std::string &value) {
    std::string bytes;
    appendVarint(bytes, shared);
    appendVarint(bytes, key.size());
    appendVarint(bytes, value.size());
    return bytes + key + value;
  }
  static std::string restarts(uint32_t count = 1) {
    std::string bytes(4, '\0');
    appendFixed32(bytes, count);
    return bytes;
  }
  /// The message of the error of reading the table with these entries in its
  /// index.
  std::string finish(const std::string &index) {
    return finishAt(block(index + restarts()));
  }
  std::string finishAt(const std::string &index) {
    std::string footer = block(restarts()) + index;
    footer.resize(40);
    appendFixed64(footer, 0xdb4775248b80fb57);
    table += footer;
    Entries ignored;
    return readAll(table, ignored).message();
  }
};
} // namespace

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(SortedTable, WrongBlocksAreErrorsThatSayWhere) {
  using R = Raw;
  const std::string end = R::restarts();
  auto ofBlock = [&](const std::string &bytes, char compression = 0) {
    Raw raw;
    const std::string handle = raw.block(bytes, compression);
    return raw.finish(R::entry(0, "z", handle));
  };
  EXPECT_EQ(ofBlock(R::entry(0, "a", "1") + end), "");
  EXPECT_HAS(ofBlock(end), "the block at byte 0 has no entry");
  EXPECT_HAS(ofBlock("abc"), "has 3 bytes, of at least 4");
  EXPECT_HAS(ofBlock(R::entry(0, "a", "1") + R::restarts(9)), "9 restarts");
  EXPECT_HAS(ofBlock(R::entry(0, "a", "1") + end, 1), "compressed by method 1");
  EXPECT_HAS(ofBlock(R::entry(1, "a", "1") + end),
             "the first 1 bytes of one of 0");
  EXPECT_HAS(ofBlock("\xff\xff" + end), "has an entry that is cut");
  EXPECT_HAS(ofBlock(R::entry(0, "a", "1").substr(0, 4) + end),
             "that are left");
  EXPECT_HAS(ofBlock(R::entry(0, "b", "") + R::entry(0, "a", "") + end),
             "the key 'a' out of order");
  EXPECT_HAS(ofBlock(R::entry(0, "zz", "") + end), "the key 'zz' out of order");
}

TEST(SortedTable, WrongPlacesOfBlocksAreErrors) {
  std::string absurd;
  appendVarint(absurd, 0);
  appendVarint(absurd, uint64_t(1) << 60);
  EXPECT_HAS(Raw().finish(Raw::entry(0, "z", absurd)),
             "has 1152921504606846976 bytes; the table has");
  EXPECT_HAS(Raw().finishAt(absurd), "has 1152921504606846976 bytes");
  EXPECT_HAS(Raw().finish(Raw::entry(0, "z", "")), "does not say where");
  Raw twice;
  const std::string handle = twice.block(Raw::entry(0, "a", "") + //
                                         Raw::restarts());
  EXPECT_HAS(
      twice.finish(Raw::entry(0, "b", handle) + Raw::entry(0, "c", handle)),
      "begins in the one before");
}

/// A key that is written as one byte more than the one before it.
TEST(SortedTable, KeysThatGrowBeyondTheTableAreAnError) {
  std::string bytes = Raw::entry(0, std::string(1000, 'a'), "");
  for (uint64_t length = 1000; length < 3000; ++length)
    bytes += Raw::entry(length, "a", "");
  Raw raw;
  const std::string handle = raw.block(bytes + Raw::restarts());
  EXPECT_HAS(raw.finish(Raw::entry(0, "z", handle)), "at most 64 times it");
}
