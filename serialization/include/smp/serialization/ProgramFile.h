// SPDX-License-Identifier: Apache-2.0
// Programs to bytes and back. A program is executable code: load it only from
// whom you would load a shared library from. The digests notice accidents, and
// no bytes whatever make the reader crash; authenticity is the caller's matter.

#ifndef SMP_SERIALIZATION_PROGRAMFILE_H
#define SMP_SERIALIZATION_PROGRAMFILE_H

#include "smp/base/Status.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/Program.h"

namespace smp {

/// Alignment that readProgram wants of the first byte.
inline constexpr size_t kProgramAlignment = 16;

/// Checks the program, then writes it; the file appears complete or not at all.
/// The same program gives the same bytes. Digests are computed here, but for
/// weights beside the program: theirs is `program.weights.crc32c`.
Status writeProgram(const Program &program, const std::string &path,
                    FileSystem &files = FileSystem::disk());

/// The same in memory.
StatusOr<std::vector<std::byte>> serializeProgram(const Program &program);

/// Some bytes of a program file, and what they are for: "header", "table",
/// "padding", "images[0]", "constants" or "weights".
struct FilePart {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// A program whose structure and meaning were checked, and what its spans refer
/// to. Immutable: several sessions on several threads may share one.
class LoadedProgram {
public:
  const Program &program() const { return contents; }

  /// The weights' safetensors blob, inside the program or beside it; empty when
  /// there is none, or when it is beside a program that was read from memory.
  std::span<const std::byte> weightBytes() const { return blob; }

  /// Every byte of the file, in order: each part begins where the one before
  /// ends.
  std::vector<FilePart> parts() const;

  /// The digest of the file's table, in which are those of all sections: two
  /// files that differ hardly have the same.
  uint32_t tableDigest() const { return digest; }

  /// Must be called, and be ok, before the weights are used; it reads all of
  /// them: that is why loading does not. Checks size and digest, and that each
  /// stored variable is there with its type.
  Status checkWeights() const;

private:
  friend StatusOr<LoadedProgram> readProgram(std::span<const std::byte>,
                                             std::span<const std::byte>);
  friend StatusOr<LoadedProgram> openProgram(const std::string &);

  Program contents;
  uint32_t digest = 0;
  uint64_t tableLength = 0;
  std::span<const std::byte> blob;
  MappedFile programFile, weightsFile; ///< Empty when read from memory.
};

/// Reads a program. `bytes` must be aligned to kProgramAlignment and outlive
/// the result: images, constants and weights stay where they are.
/// `besideWeights` are the bytes of Weights::file where the weights are not
/// inside. Checks everything but the weights: digests, structure, and with
/// verifyProgram the meaning. O(bytes).
StatusOr<LoadedProgram>
readProgram(std::span<const std::byte> bytes,
            std::span<const std::byte> besideWeights = {});

/// Where the weights are of a program in the file `path`, if they are beside
/// it; empty where they are not.
std::string pathOfWeights(const Program &program, const std::string &path);

/// Maps the file, and the weights beside it where it names some, and reads it.
StatusOr<LoadedProgram> openProgram(const std::string &path);

} // namespace smp

#endif // SMP_SERIALIZATION_PROGRAMFILE_H
