// SPDX-License-Identifier: Apache-2.0
// A module compiled in memory and run by Sessions.

#ifndef SMP_TESTS_UNIT_CODEGEN_COMPILEDMODULE_H
#define SMP_TESTS_UNIT_CODEGEN_COMPILEDMODULE_H

#include "Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/codegen/export/Export.h"
#include "smp/model/Graph.h"
#include "smp/runtime/Session.h"

namespace smp::test {

/// Random tests print their seed, and take it from SMP_TEST_SEED.
uint32_t chooseSeed();

/// A context with everything that compiling meets, which keeps what it is told.
class CompilerContext {
public:
  CompilerContext();
  mlir::MLIRContext mlir;
  /// All errors so far, one a line.
  const std::string &diagnostics() const { return messages; }

private:
  static mlir::DialectRegistry registry();
  std::string messages;
  mlir::ScopedDiagnosticHandler handler;
};

class CompiledModule {
public:
  /// Compiles `module`, whose contents it consumes, for all levels of the
  /// machine. Null on failure, with errors in `context`.
  static std::unique_ptr<CompiledModule> compile(CompilerContext &context,
                                                 mlir::ModuleOp module,
                                                 uint32_t partitions,
                                                 const Machine &machine);

  /// A Session at `level`, every partition on `cores` cores of the machine.
  StatusOr<Session> open(const Machine &machine, const std::string &level,
                         unsigned cores) const;

  const Program &program() const { return exported.program; }
  /// The shared object of all kernels.
  std::span<const std::byte> image() const { return exported.images.front(); }
  /// The program file.
  std::span<const std::byte> bytes() const { return file; }

private:
  codegen::ExportedProgram exported;
  std::vector<std::byte> file;
};

/// Runs `entry` on inputs i0, i1 ...; copies its outputs, in order.
StatusOr<std::vector<HostTensor>> runStep(Session &session,
                                          const std::string &entry,
                                          std::span<const HostTensor> inputs);

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CODEGEN_COMPILEDMODULE_H
