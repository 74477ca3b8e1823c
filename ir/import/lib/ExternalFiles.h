// SPDX-License-Identifier: Apache-2.0
// The files beside a model that it keeps tensors in.

#ifndef SMP_IMPORT_LIB_EXTERNALFILES_H
#define SMP_IMPORT_LIB_EXTERNALFILES_H

#include "smp/base/Status.h"
#include "smp/ir/WeightStore.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace smp::frontend {

/// Regular files below the model's folder, or below another that the user
/// allows. Wherever the model's paths and the links in them lead, nothing else
/// is opened. Each file is mapped once.
class ExternalFiles {
public:
  /// `allowed` is the other folder; empty: there is none.
  ExternalFiles(llvm::StringRef folder, llvm::StringRef allowed);
  /// Bytes [offset, offset + length) of the file `location`: a path from the
  /// model's folder or, where that has no such file, from the other. The error
  /// is said of a tensor: "has external data in ...".
  StatusOr<ir::Weight> read(llvm::StringRef location, uint64_t offset,
                            uint64_t length);

  /// Paths of those that were read.
  std::vector<std::string> paths() const;

private:
  using Buffer = std::shared_ptr<const llvm::MemoryBuffer>;
  StatusOr<std::string> resolve(llvm::StringRef location) const;
  StatusOr<Buffer> map(const std::string &path) const;
  Status isOutside(const std::string &path) const;

  std::vector<std::string> folders; ///< The model's, then the other.
  llvm::StringMap<Buffer> files;    ///< By location.
};

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_EXTERNALFILES_H
