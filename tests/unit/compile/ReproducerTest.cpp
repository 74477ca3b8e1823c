// SPDX-License-Identifier: Apache-2.0
// What a pass that fails leaves behind.
#include "Reproducer.h"
#include "TemporaryFolder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace {

struct Fail : PassWrapper<Fail, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fail)
  StringRef getArgument() const override { return "fail"; }
  void runOnOperation() override { signalPassFailure(); }
};

/// Runs a pass that fails; what was said of it.
std::string runFailing(const std::string &path) {
  MLIRContext context;
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      said += note.str() + "\n";
  });
  PassManager passes(&context);
  passes.addPass(std::make_unique<Fail>());
  smp::compile::leaveReproducer(passes, path);
  auto module = OwningOpRef<ModuleOp>(
      ModuleOp::create(UnknownLoc::get(&context), "lost"));
  EXPECT_TRUE(failed(passes.run(*module)));
  return said;
}

TEST(Reproducer, IsThereWhenAPassFails) {
  smp::TemporaryFolder folder;
  folder.write("file", "old");
  std::filesystem::create_symlink("file", folder.file("link"));
  const std::string said = runFailing(folder.file("link"));
  EXPECT_NE(said.find(folder.file("link")), std::string::npos) << said;
  const std::string text = folder.read("file");
  EXPECT_NE(text.find("module @lost"), std::string::npos) << text;
  EXPECT_NE(text.find("fail"), std::string::npos) << text;
}

TEST(Reproducer, SaysWhenItIsLost) {
  smp::TemporaryFolder folder;
  const std::string path = folder.file("none/r.mlir");
  const std::string said = runFailing(path);
  EXPECT_NE(said.find("the reproducer is lost: cannot write '" + path +
                      "': No such file or directory"),
            std::string::npos)
      << said;
}

} // namespace
