// SPDX-License-Identifier: Apache-2.0
// A module compiled in memory and run by Sessions.

#ifndef SMP_TESTS_UNIT_CODEGEN_COMPILEDMODULE_H
#define SMP_TESTS_UNIT_CODEGEN_COMPILEDMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/codegen/export/Export.h"
#include "smp/model/Graph.h"
#include "smp/runtime/Session.h"

namespace smp::test {

/// Random tests print their seed, and take it from SMP_TEST_SEED.
uint32_t chooseSeed();

/// The levels that this machine runs, ascending.
std::vector<std::string> supportedLevels();
/// 1, and 2 where the process may use two cores.
std::vector<unsigned> usableCoreCounts();

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
  /// Compiles `module`, whose contents it consumes, for all levels that this
  /// machine runs. Null on failure, with errors in `context`.
  static std::unique_ptr<CompiledModule>
  compile(CompilerContext &context, mlir::ModuleOp module, uint32_t partitions);

  /// A Session at `level`, every partition on the first `cores` cores.
  StatusOr<Session> open(const std::string &level, unsigned cores) const;

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
