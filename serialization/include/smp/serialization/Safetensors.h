// SPDX-License-Identifier: Apache-2.0
// safetensors: named tensors in a file that every tool of the field reads.

#ifndef SMP_SERIALIZATION_SAFETENSORS_H
#define SMP_SERIALIZATION_SAFETENSORS_H

#include "smp/base/Status.h"
#include "smp/model/Shape.h"
#include "smp/serialization/ByteSource.h"
#include "smp/serialization/FileDigest.h"
#include "smp/serialization/MappedFile.h"
#include <map>
#include <span>
#include <string_view>

namespace smp {

/// The "__metadata__" of a file.
using SafetensorsMetadata = std::map<std::string, std::string>;

/// A tensor of a file or for a file. Bytes are row-major and borrowed; they are
/// aligned only as well as the file is: a file of another tool may be odd.
struct SafetensorsTensor {
  std::string name;
  TensorType type;
  std::span<const std::byte> bytes;
};

/// A tensor for a file whose bytes, row-major, come piece by piece. They are
/// asked for once, in the order of the file.
struct SafetensorsSource {
  std::string name;
  TensorType type;
  ByteSource bytes;
};

/// The directory of a file whose bytes were checked: types are known, ranges
/// lie inside, fit their types, and cover the data without hole or overlap.
class Safetensors {
public:
  /// `bytes` must outlive the result. O(header); tensor bytes are not read.
  static StatusOr<Safetensors> parse(std::span<const std::byte> bytes);
  /// Maps the file; messages begin with its path.
  static StatusOr<Safetensors> open(const std::string &path);

  /// Sorted by name.
  const std::vector<SafetensorsTensor> &tensors() const { return directory; }
  /// Null when there is none of the name.
  const SafetensorsTensor *find(std::string_view name) const;
  const SafetensorsMetadata &metadata() const { return extra; }

private:
  std::vector<SafetensorsTensor> directory;
  SafetensorsMetadata extra;
  MappedFile file; ///< Empty when the bytes are borrowed.
};

/// How many bytes of a file are not data, as its first 8 bytes say; 0 when they
/// say what cannot be.
uint64_t safetensorsHeaderBytes(std::span<const std::byte> file);

/// Writes the tensors, first those whose size is a multiple of 4096 bytes, then
/// of 2048 and so on, and else by name; the file appears complete or not at
/// all. The data begins at a multiple of 64 bytes, or with a large tensor of
/// what its size is a multiple of, so that each begins at a multiple of its
/// element size, and of 4096 where it can. Names must be unique and
/// not "__metadata__"; bytes must fit their types. The same tensors give the
/// same bytes, in whatever order they are given.
StatusOr<FileDigest>
writeSafetensors(std::span<const SafetensorsTensor> tensors,
                 const SafetensorsMetadata &metadata, const std::string &path,
                 FileSystem &files = FileSystem::disk());
StatusOr<FileDigest>
writeSafetensors(std::span<const SafetensorsSource> tensors,
                 const SafetensorsMetadata &metadata, const std::string &path,
                 FileSystem &files = FileSystem::disk());

/// The same in memory.
StatusOr<std::vector<std::byte>>
serializeSafetensors(std::span<const SafetensorsTensor> tensors,
                     const SafetensorsMetadata &metadata);

} // namespace smp

#endif // SMP_SERIALIZATION_SAFETENSORS_H
