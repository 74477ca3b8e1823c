// SPDX-License-Identifier: Apache-2.0
#include "ProgramHeader.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/Version.h"
#include <cstring>

namespace smp {

/// The first byte is no text, and the line ends notice a transfer as text.
static constexpr unsigned char kMagic[8] = {0x89, 'S',  'M',  'P',
                                            '\r', '\n', 0x1a, '\n'};
static constexpr size_t kDigestOffset = 60;

template <typename T>
static void put(std::array<std::byte, kHeaderBytes> &bytes, size_t offset,
                T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes[offset + i] = std::byte(value >> (8 * i));
}

template <typename T>
static T get(std::span<const std::byte> bytes, size_t offset) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= T(uint8_t(bytes[offset + i])) << (8 * i);
  return value;
}

std::array<std::byte, kHeaderBytes> encodeHeader(const ProgramHeader &header) {
  std::array<std::byte, kHeaderBytes> bytes{};
  std::memcpy(bytes.data(), kMagic, sizeof kMagic);
  put(bytes, 8, header.containerVersion);
  put(bytes, 12, header.programVersion);
  put(bytes, 16, header.totalSize);
  put(bytes, 24, header.tableLength);
  put(bytes, 32, header.tableCrc);
  put(bytes, kDigestOffset, crc32c(std::span(bytes).first(kDigestOffset)));
  return bytes;
}

StatusOr<ProgramHeader> decodeHeader(std::span<const std::byte> file) {
  if (file.size() < sizeof kMagic ||
      std::memcmp(file.data(), kMagic, sizeof kMagic) != 0)
    return invalidArgument("this is not a program: it does not begin as a "
                           ".smp file does");
  if (file.size() < kHeaderBytes)
    return dataLoss("the program is cut: it has " +
                    std::to_string(file.size()) + " of at least " +
                    std::to_string(kHeaderBytes) + " bytes");
  if (get<uint32_t>(file, kDigestOffset) != crc32c(file.first(kDigestOffset)))
    return dataLoss("the program's header is damaged: its digest differs");
  ProgramHeader header;
  header.containerVersion = get<uint32_t>(file, 8);
  header.programVersion = get<uint32_t>(file, 12);
  header.totalSize = get<uint64_t>(file, 16);
  header.tableLength = get<uint64_t>(file, 24);
  header.tableCrc = get<uint32_t>(file, 32);
  if (header.containerVersion == 0 ||
      header.containerVersion > kContainerVersion)
    return failedPrecondition(
        "the program has container version " +
        std::to_string(header.containerVersion) + ", this smp reads 1 to " +
        std::to_string(kContainerVersion) + "; use a newer smp");
  if (header.totalSize != file.size())
    return dataLoss("the program has " + std::to_string(file.size()) +
                    " bytes; when it was written it had " +
                    std::to_string(header.totalSize));
  if (header.tableLength > file.size() - kHeaderBytes ||
      header.tableLength > kMaxTableBytes)
    return dataLoss("the program's table has " +
                    std::to_string(header.tableLength) +
                    " bytes of a file of " + std::to_string(file.size()));
  return header;
}

} // namespace smp
