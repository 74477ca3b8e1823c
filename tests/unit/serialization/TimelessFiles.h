// SPDX-License-Identifier: Apache-2.0
// What a hook has written, but for when it did.

#ifndef SMP_TESTS_UNIT_SERIALIZATION_TIMELESSFILES_H
#define SMP_TESTS_UNIT_SERIALIZATION_TIMELESSFILES_H

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace smp::test {

/// The time is behind the length, its checksum and the field's number.
inline constexpr size_t kPayloadAt = 12, kTimeAt = kPayloadAt + 1;
inline constexpr size_t kTimeBytes = 8, kSumBytes = 4;

/// Takes the times of records out, and the checksums that cover them.
inline void takeTimesOut(std::string &events) {
  for (size_t at = 0; at + kTimeAt + kTimeBytes <= events.size();) {
    uint64_t payload = 0;
    std::memcpy(&payload, events.data() + at, sizeof(payload));
    events.replace(at + kTimeAt, kTimeBytes, kTimeBytes, '\0');
    const size_t end = at + kPayloadAt + payload;
    events.replace(end, kSumBytes, kSumBytes, '\0');
    at = end + kSumBytes;
  }
}

/// The files of a folder by name, the times of records taken out.
inline std::map<std::string, std::string>
timelessFiles(const std::string &folder) {
  std::map<std::string, std::string> files;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file())
      continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string name = entry.path().lexically_relative(folder);
    if (name.ends_with(".tfevents"))
      takeTimesOut(text);
    files[name] = std::move(text);
  }
  return files;
}

} // namespace smp::test

#endif // SMP_TESTS_UNIT_SERIALIZATION_TIMELESSFILES_H
