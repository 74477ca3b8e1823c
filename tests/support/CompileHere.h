// SPDX-License-Identifier: Apache-2.0
// Compiling for the machine under test, in the process of the test.

#ifndef SMP_TESTS_SUPPORT_COMPILEHERE_H
#define SMP_TESTS_SUPPORT_COMPILEHERE_H

#include "smp/compile/Compile.h"
#include <memory>
#include <optional>
#include <span>

namespace smp::test {

/// A program's bytes, aligned as its reader wants them.
class ProgramBytes {
public:
  explicit ProgramBytes(const std::vector<std::byte> &bytes);
  std::span<const std::byte> get() const { return {storage.get(), size}; }

private:
  struct Free {
    void operator()(std::byte *bytes) const;
  };
  size_t size;
  std::unique_ptr<std::byte, Free> storage;
};

/// Compiles the module for the best level of the machine under test
/// (Machine.h), and no other. Nothing when it fails, or when the program is too
/// large (ProgramSize.h), with the first error in `error`.
std::optional<ProgramBytes> compileHere(mlir::ModuleOp module,
                                        const ir::WeightStore &weights,
                                        compile::CompileOptions options,
                                        std::string &error);

} // namespace smp::test

#endif // SMP_TESTS_SUPPORT_COMPILEHERE_H
