// SPDX-License-Identifier: Apache-2.0
// Changes a program's table or its sections and makes the digests of the file
// right again, so that what lies behind them is reached.
#include "Mutation.h"
#include "ProgramHeader.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/Version.h"
#include <algorithm>
#include <cstring>
#include <vector>

using namespace smp;

namespace {

using Bytes = std::vector<uint8_t>;

/// A program file, taken apart. Bytes that are none are all table.
struct Parts {
  Parts(const uint8_t *data, size_t size) {
    auto header = decodeHeader(std::as_bytes(std::span(data, size)));
    if (!header.ok()) {
      table.assign(data, data + size);
      return;
    }
    version = header->programVersion;
    const size_t tableEnd = kHeaderBytes + header->tableLength;
    const size_t begin = std::min(size, size_t(roundUpToPage(tableEnd)));
    table.assign(data + kHeaderBytes, data + tableEnd);
    sections.assign(data + begin, data + size);
  }

  Bytes join() const {
    ProgramHeader header{kContainerVersion, version, 0, table.size(),
                         crc32c(std::as_bytes(std::span(table)))};
    const size_t tableEnd = kHeaderBytes + table.size();
    const size_t begin =
        sections.empty() ? tableEnd : size_t(roundUpToPage(tableEnd));
    header.totalSize = begin + sections.size();
    const auto encoded = encodeHeader(header);
    Bytes file(header.totalSize);
    std::memcpy(file.data(), encoded.data(), kHeaderBytes);
    std::copy(table.begin(), table.end(), file.begin() + kHeaderBytes);
    std::copy(sections.begin(), sections.end(), file.begin() + begin);
    return file;
  }

  uint32_t version = kProgramVersion;
  Bytes table, sections;
};

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  Parts parts(data, size);
  const size_t fixed = kHeaderBytes + parts.sections.size() + kPageBytes;
  const size_t room = most > fixed ? most - fixed : 0;
  if (seed % 16 == 0)
    mutate(parts.sections, parts.sections.size());
  else
    mutate(parts.table, std::max(room, size_t(1)));
  const Bytes file = parts.join();
  if (file.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::copy(file.begin(), file.end(), data);
  return file.size();
}
