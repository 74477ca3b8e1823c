// SPDX-License-Identifier: Apache-2.0
#include "MaskedCrc.h"
#include "SortedTable.h"
#include "TableFormat.h"
#include "Varint.h"
#include <algorithm>
#include <vector>

namespace smp {

/// A block that has so many bytes gets no further entry.
static constexpr size_t kBlockBytes = 16 << 10;

namespace {

class BlockWriter {
public:
  /// Every `restartInterval`th key is written whole.
  explicit BlockWriter(size_t restartInterval)
      : restartInterval(restartInterval) {}

  void add(const std::string &key, std::string_view value) {
    size_t shared = 0;
    if (count++ % restartInterval == 0)
      restarts.push_back(uint32_t(bytes.size()));
    else
      shared = size_t(
          std::mismatch(key.begin(), key.end(), lastKey.begin(), lastKey.end())
              .first -
          key.begin());
    appendVarint(bytes, shared);
    appendVarint(bytes, key.size() - shared);
    appendVarint(bytes, value.size());
    bytes.append(key, shared);
    bytes += value;
    lastKey = key;
  }

  bool isFull() const { return bytes.size() >= kBlockBytes; }
  bool isEmpty() const { return count == 0; }
  const std::string &last() const { return lastKey; }

  /// Appends the block to the table and tells where it is there.
  std::string finish(std::string &table) {
    if (restarts.empty())
      restarts.push_back(0);
    for (const uint32_t restart : restarts)
      appendFixed32(bytes, restart);
    appendFixed32(bytes, uint32_t(restarts.size()));
    std::string handle;
    appendVarint(handle, table.size());
    appendVarint(handle, bytes.size());
    bytes += kNoCompression;
    const uint32_t digest = crc32c(std::as_bytes(std::span(bytes)));
    appendFixed32(bytes, maskCrc(digest));
    table += bytes;
    *this = BlockWriter(restartInterval);
    return handle;
  }

private:
  size_t restartInterval;
  size_t count = 0;
  std::string bytes, lastKey;
  std::vector<uint32_t> restarts;
};

} // namespace

std::string formatTable(const std::map<std::string, std::string> &entries) {
  std::string table;
  BlockWriter block(/*restartInterval=*/16), index(/*restartInterval=*/1);
  auto finishBlock = [&] {
    const std::string last = block.last();
    index.add(last, block.finish(table));
  };
  for (const auto &[key, value] : entries) {
    block.add(key, value);
    if (block.isFull())
      finishBlock();
  }
  if (!block.isEmpty())
    finishBlock();
  std::string footer = BlockWriter(1).finish(table); // Of filters: none.
  footer += index.finish(table);
  footer.resize(kTableFooterBytes - 8);
  appendFixed64(footer, kTableMagic);
  return table + footer;
}

} // namespace smp
