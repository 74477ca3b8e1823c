// SPDX-License-Identifier: Apache-2.0
// TensorProto to checked bytes.

#ifndef SMP_IMPORT_LIB_TENSORS_H
#define SMP_IMPORT_LIB_TENSORS_H

#include "smp/ir/WeightStore.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace onnx {
class TensorProto;
} // namespace onnx

namespace smp::frontend {

/// The files of external data beside a model, mapped once each.
class ExternalFiles {
public:
  explicit ExternalFiles(llvm::StringRef folder) : folder(folder) {}
  /// Bytes [offset, offset + length) of file `location`, a path below the
  /// model's folder. An owner of null: the reason is in `error`.
  ir::Weight read(llvm::StringRef location, uint64_t offset, uint64_t length,
                  std::string &error);

private:
  std::shared_ptr<const llvm::MemoryBuffer> open(llvm::StringRef location,
                                                 std::string &error);

  std::string folder;
  llvm::StringMap<std::shared_ptr<const llvm::MemoryBuffer>> files;
};

/// The tensor's bytes, taken out of `tensor` where they are raw. Nothing, with
/// the reason in `error`, when type, shape and data do not agree.
std::optional<ir::Weight> readTensor(onnx::TensorProto &tensor,
                                     ExternalFiles &files, std::string &error);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_TENSORS_H
