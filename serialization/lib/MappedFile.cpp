// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/MappedFile.h"

namespace smp {

StatusOr<MappedFile> MappedFile::open(const std::string &path,
                                      FileSystem &files) {
  MappedFile file;
  SMP_ASSIGN_OR_RETURN(file.mapping, files.read(path));
  return file;
}

MappedFile::MappedFile(MappedFile &&) noexcept = default;
MappedFile &MappedFile::operator=(MappedFile &&) noexcept = default;
MappedFile::~MappedFile() = default;

} // namespace smp
