// SPDX-License-Identifier: Apache-2.0
// A file of tensors whose bytes are in memory.

#ifndef SMP_SERIALIZATION_SAFETENSORSCONTENT_H
#define SMP_SERIALIZATION_SAFETENSORSCONTENT_H

#include "smp/base/Borrowed.h"
#include "smp/serialization/Safetensors.h"

namespace smp {

/// What the file has where, checked. Any thread may ask.
class SafetensorsContent {
public:
  /// Borrows the tensors' bytes, which only a lender may have. Fails where
  /// writeSafetensors() does.
  static StatusOr<SafetensorsContent>
  make(std::span<const SafetensorsTensor> tensors,
       const SafetensorsMetadata &metadata);

  /// Of the file, in bytes.
  uint64_t size() const { return runs.back().end; }
  /// Where in the file the tensors begin, in the order they were given in.
  const std::vector<uint64_t> &offsets() const { return starts; }

  /// Some bytes from `offset` on, a multiple of kDirectAlignment; at most as
  /// many as there is room for. What can pass by the page cache from where it
  /// lies is given there, the rest is put into the room. What is of tensors is
  /// the lender's, or there if that is null.
  StatusOr<Borrowed> next(uint64_t offset, std::span<std::byte> room,
                          ByteLender *lender) const;
  /// Copies the bytes from `offset` on.
  Status copy(uint64_t offset, std::span<std::byte> bytes,
              ByteLender *lender = nullptr) const;

private:
  /// What lies in memory as it does in the file. The first one is the head.
  struct Run {
    uint64_t begin, end; ///< In the file.
    const std::byte *data;

    std::span<const std::byte> bytes(uint64_t from, uint64_t to) const {
      return {data + (from - begin), size_t(to - from)};
    }
  };
  using Runs = std::vector<Run>;

  void add(std::span<const std::byte> bytes);
  Runs::const_iterator runAt(uint64_t offset) const;
  uint64_t directBytes(const Run &run, uint64_t offset, uint64_t end) const;

  std::vector<char> head; ///< It stays where it is when this is moved.
  Runs runs;
  std::vector<uint64_t> starts;
};

/// Writes the file, which appears complete or not at all. The lender has bytes
/// of tensors, and waits for none of them while the disk does; null: they are
/// there.
StatusOr<FileDigest> writeSafetensors(const SafetensorsContent &content,
                                      const std::string &path,
                                      FileSystem &files,
                                      ByteLender *lender = nullptr);

} // namespace smp

#endif // SMP_SERIALIZATION_SAFETENSORSCONTENT_H
