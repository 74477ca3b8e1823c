// SPDX-License-Identifier: Apache-2.0
#include "MaskedCrc.h"
#include "SortedTable.h"
#include "TableFormat.h"
#include "Varint.h"
#include "smp/base/Quote.h"

namespace smp {

namespace {

/// Where a block is, without its trailer.
struct Handle {
  uint64_t offset = 0, size = 0;
};

/// How many bytes all keys together may have, for each byte of the table: a key
/// is written as what differs from the one before it.
constexpr uint64_t kMaxKeyGrowth = 64;

std::optional<Handle> takeHandle(std::string_view &from) {
  const auto offset = takeVarint(from), size = takeVarint(from);
  if (!offset || !size)
    return std::nullopt;
  return Handle{*offset, *size};
}

Status inBlock(const Handle &block, const std::string &what) {
  return dataLoss("the block at byte " + std::to_string(block.offset) + " " +
                  what);
}

/// The entries of a block, one after the other.
class BlockEntries {
public:
  BlockEntries(const Handle &block, std::string_view entries)
      : block(block), rest(entries) {}

  bool isAtEnd() const { return rest.empty(); }

  Status take() {
    const auto shared = takeVarint(rest), added = takeVarint(rest),
               length = takeVarint(rest);
    if (!shared || !added || !length)
      return inBlock(block, "has an entry that is cut");
    if (*shared > key.size())
      return inBlock(block, "has a key with the first " +
                                std::to_string(*shared) + " bytes of one of " +
                                std::to_string(key.size()));
    if (*added > rest.size() || *length > rest.size() - *added)
      return inBlock(block, "has an entry of " + std::to_string(*added) +
                                " and " + std::to_string(*length) +
                                " bytes, of " + std::to_string(rest.size()) +
                                " that are left");
    key.resize(*shared);
    key += rest.substr(0, *added);
    value = rest.substr(*added, *length);
    rest.remove_prefix(*added + *length);
    return Status();
  }

  std::string key;
  std::string_view value;

private:
  const Handle block;
  std::string_view rest;
};

class TableReader {
public:
  TableReader(std::string_view table, const TableEntry &each)
      : table(table), each(each) {}

  Status read() {
    SMP_ASSIGN_OR_RETURN(const Handle index, readFooter());
    SMP_ASSIGN_OR_RETURN(const std::string_view text, readBlock(index));
    BlockEntries blocks(index, text);
    while (!blocks.isAtEnd()) {
      SMP_RETURN_IF_ERROR(blocks.take());
      std::string_view value = blocks.value;
      const std::optional<Handle> block = takeHandle(value);
      if (!block)
        return inBlock(index, "does not say where a block is");
      if (block->offset < end)
        return inBlock(*block, "begins in the one before, which ends at byte " +
                                   std::to_string(end));
      SMP_RETURN_IF_ERROR(readEntries(*block, blocks.key));
    }
    return Status();
  }

private:
  StatusOr<Handle> readFooter() const {
    if (table.size() < kTableFooterBytes)
      return dataLoss("it is no sorted table: it has " +
                      std::to_string(table.size()) + " bytes, of at least " +
                      std::to_string(kTableFooterBytes));
    std::string_view footer = table.substr(table.size() - kTableFooterBytes);
    if (loadFixed64(footer, kTableFooterBytes - 8) != kTableMagic)
      return dataLoss("it is no sorted table, or it is cut: its last 8 bytes "
                      "are not those of one");
    footer.remove_suffix(8);
    const auto filters = takeHandle(footer), index = takeHandle(footer);
    if (!filters || !index || footer.find_first_not_of('\0') != footer.npos)
      return dataLoss("its last 48 bytes do not say where its index is");
    SMP_RETURN_IF_ERROR(readBlock(*filters).status()); // For its digest.
    return *index;
  }

  /// The entries of a block, whose digest is right.
  StatusOr<std::string_view> readBlock(const Handle &block) const {
    const uint64_t most = table.size() - kTableFooterBytes;
    if (block.offset > most || most - block.offset < kBlockTrailerBytes ||
        block.size > most - block.offset - kBlockTrailerBytes)
      return inBlock(block, "has " + std::to_string(block.size) +
                                " bytes; the table has " +
                                std::to_string(most) + " bytes of blocks");
    const std::string_view bytes =
        table.substr(block.offset, block.size + kBlockTrailerBytes);
    const std::string_view digested = bytes.substr(0, block.size + 1);
    const uint32_t digest = maskCrc(crc32c(std::as_bytes(std::span(digested))));
    const uint32_t wanted = loadFixed32(bytes, block.size + 1);
    if (digest != wanted)
      return inBlock(block, "has the CRC-32C " + std::to_string(digest) +
                                "; that of what was written is " +
                                std::to_string(wanted));
    if (const char compression = bytes[block.size];
        compression != kNoCompression)
      return inBlock(block, "is compressed by method " +
                                std::to_string(int(compression)) +
                                "; TensorFlow's bundles are not compressed");
    return withoutRestarts(block, bytes.substr(0, block.size));
  }

  /// The entries of a block, without the list of those that stand alone.
  static StatusOr<std::string_view> withoutRestarts(const Handle &block,
                                                    std::string_view bytes) {
    if (bytes.size() < 4)
      return inBlock(block, "has " + std::to_string(bytes.size()) +
                                " bytes, of at least 4");
    const uint64_t restarts = loadFixed32(bytes, bytes.size() - 4);
    if (restarts > (bytes.size() - 4) / 4)
      return inBlock(block, "has " + std::to_string(restarts) +
                                " restarts in " + std::to_string(bytes.size()) +
                                " bytes");
    return bytes.substr(0, bytes.size() - 4 - 4 * restarts);
  }

  /// `bound`: at least the last key of the block.
  Status readEntries(const Handle &block, const std::string &bound) {
    SMP_ASSIGN_OR_RETURN(const std::string_view text, readBlock(block));
    end = block.offset + block.size + kBlockTrailerBytes;
    BlockEntries entries(block, text);
    if (entries.isAtEnd())
      return inBlock(block, "has no entry");
    while (!entries.isAtEnd()) {
      SMP_RETURN_IF_ERROR(entries.take());
      keyBytes += entries.key.size();
      if (keyBytes > kMaxKeyGrowth * table.size())
        return inBlock(block, "has keys that make " + std::to_string(keyBytes) +
                                  " bytes of a table of " +
                                  std::to_string(table.size()) + "; at most " +
                                  std::to_string(kMaxKeyGrowth) + " times it");
      if ((hasKey && entries.key <= lastKey) || entries.key > bound)
        return inBlock(block,
                       "has the key " + quote(entries.key) + " out of order");
      SMP_RETURN_IF_ERROR(each(entries.key, entries.value));
      lastKey = entries.key;
      hasKey = true;
    }
    return Status();
  }

  const std::string_view table;
  const TableEntry &each;
  uint64_t end = 0;      // Of the block before.
  uint64_t keyBytes = 0; // Of all keys so far.
  std::string lastKey;
  bool hasKey = false;
};

} // namespace

Status readTable(std::string_view table, const TableEntry &each) {
  return TableReader(table, each).read();
}

} // namespace smp
