// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/CommandLine.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/base/AtomicFile.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Smp.h"
#include "smp/tools/VersionText.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace smp {

static std::string targetsText() {
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadDialect<ir::SmpDialect>();
  return codegen::TargetRegistry::of(&context)->namesWithLevels();
}

/// An error that stays in one of LLVM's streams ends the process by a signal.
static Status finishOutput() {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  const std::error_code error = out.error();
  out.clear_error();
  return error ? unavailable("cannot write the standard output: " +
                             error.message())
               : Status();
}

static llvm::StringRef nameOfTool;

/// After --help and --version LLVM leaves the process by exit(), and main()
/// never hears of it.
static void endByExit() {
  const Status output = finishOutput();
  if (output.ok())
    return;
  llvm::errs() << nameOfTool << ": " << output.message() << "\n";
  std::_Exit(1);
}

void startTool(llvm::StringRef tool) {
  nameOfTool = tool;
  llvm::outs(), llvm::errs(); // Made before, so that they are there at the end.
  std::atexit(endByExit);
  llvm::cl::SetVersionPrinter([tool](llvm::raw_ostream &out) {
    out << versionText(tool) << "\ntargets: " << targetsText() << "\nLLVM "
        << LLVM_VERSION_STRING << "\n";
  });
}

Status writeOutput(llvm::StringRef text, const std::string &path) {
  if (path != "-")
    return writeFile(path, std::string_view(text));
  llvm::outs() << text;
  return Status();
}

int endTool(Status status) {
  Status output = finishOutput();
  if (status.ok())
    status = std::move(output);
  if (!status.ok())
    llvm::errs() << nameOfTool << ": " << status.message() << "\n";
  llvm::errs().clear_error(); // There is nobody left to tell.
  return status.ok() ? 0 : 1;
}

} // namespace smp
