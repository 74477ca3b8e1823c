// SPDX-License-Identifier: Apache-2.0
// Changes an entry of a bundle's index or its data, and makes the digests right
// again, so that what lies behind them is reached.
#include "MaskedCrc.h"
#include "Mutation.h"
#include "SortedTable.h"
#include "TensorBundle.pb.h"
#include "smp/tools/TensorBundle.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

using namespace smp;

namespace {

/// An input, taken apart; nothing when its table cannot be read.
struct Parts {
  std::map<std::string, std::string> entries;
  std::string data;

  bool read(std::string_view input) {
    uint32_t length = 0;
    if (input.size() < sizeof(length))
      return false;
    std::memcpy(&length, input.data(), sizeof(length));
    input.remove_prefix(sizeof(length));
    if (length > input.size())
      return false;
    data = input.substr(length);
    return readTable(input.substr(0, length),
                     [&](auto key, auto value) {
                       entries.emplace(key, value);
                       return Status();
                     })
        .ok();
  }

  /// Gives the entries the digests of their bytes; texts keep theirs.
  void repair() {
    for (auto &[key, value] : entries) {
      proto::BundleEntry entry;
      if (!entry.ParseFromString(value) || entry.offset() < 0 ||
          entry.size() < 0 || uint64_t(entry.offset()) > data.size() ||
          uint64_t(entry.size()) > data.size() - uint64_t(entry.offset()) ||
          entry.dtype() == kTensorFlowString || !entry.has_crc32c())
        continue;
      const std::string_view bytes = std::string_view(data).substr(
          size_t(entry.offset()), size_t(entry.size()));
      entry.set_crc32c(maskCrc(crc32c(std::as_bytes(std::span(bytes)))));
      value = entry.SerializeAsString();
    }
  }

  std::string join() const {
    const std::string table = formatTable(entries);
    const auto length = uint32_t(table.size());
    return std::string(reinterpret_cast<const char *>(&length),
                       sizeof(length)) +
           table + data;
  }
};

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  Parts parts;
  if (seed % 8 == 0 ||
      !parts.read({reinterpret_cast<const char *>(data), size}) ||
      parts.entries.empty())
    return LLVMFuzzerMutate(data, size, most);
  const auto chosen = std::next(parts.entries.begin(),
                                ptrdiff_t(seed / 8 % parts.entries.size()));
  if (seed % 8 == 1) {
    mutate(parts.data, parts.data.size() + 64);
  } else if (seed % 8 == 2) {
    auto node = parts.entries.extract(chosen);
    mutate(node.key(), node.key().size() + 16);
    parts.entries.insert(std::move(node));
  } else {
    mutate(chosen->second, chosen->second.size() + 64);
  }
  parts.repair();
  const std::string input = parts.join();
  if (input.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::copy(input.begin(), input.end(), data);
  return input.size();
}
