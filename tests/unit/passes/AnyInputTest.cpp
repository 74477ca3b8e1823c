// SPDX-License-Identifier: Apache-2.0
// Every pass takes every module that the verifier accepts, in whatever state:
// it does its work or says why not.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "smp/compile/Compile.h"
#include "smp/ir/Smp.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Regex.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;

namespace {

std::string readText(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// As the Passes.td of all rooms name them.
std::vector<std::string> listPasses() {
  std::string text;
  for (const char *top : {"/../passes", "/../codegen"})
    for (const auto &file : std::filesystem::recursive_directory_iterator(
             SMP_TEST_SOURCE_DIR + std::string(top)))
      if (file.path().filename() == "Passes.td")
        text += readText(file.path().string());
  llvm::Regex definition("Pass<\"(smp-[a-z-]+)\"");
  std::vector<std::string> names;
  SmallVector<StringRef> found;
  for (StringRef rest = text; definition.match(rest, &found);
       rest = rest.substr(size_t(found[1].end() - rest.begin())))
    names.push_back(found[1].str());
  return names;
}

/// The modules of the lit tests of dialect and passes.
std::vector<std::string> listModules() {
  std::vector<std::string> modules;
  for (const char *folder : {"codegen", "ir", "passes"})
    for (const auto &file : std::filesystem::directory_iterator(
             std::string(SMP_TEST_SOURCE_DIR "/lit/") + folder)) {
      if (file.path().extension() != ".mlir")
        continue;
      const std::string text = readText(file.path().string());
      SmallVector<StringRef> parts;
      StringRef(text).split(parts, "// -----");
      for (StringRef part : parts)
        modules.push_back("// " + file.path().filename().string() + "\n" +
                          part.str());
    }
  return modules;
}

class AnyInput : public testing::Test {
protected:
  AnyInput() {
    static const bool once = [] {
      compile::registerPasses();
      llvm::EnablePrettyStackTrace();
      return true;
    }();
    (void)once;
    context.loadDialect<ir::SmpDialect, func::FuncDialect>();
    handler.emplace(&context, [this](Diagnostic &diagnostic) {
      isTold |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return success();
    });
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// Runs the passes over a copy.
  void run(ModuleOp module, const std::string &text,
           const std::vector<std::string> &passes) {
    OwningOpRef<ModuleOp> copy = module.clone();
    PassManager manager(&context);
    for (const std::string &pass : passes)
      ASSERT_TRUE(succeeded(parsePassPipeline(pass, manager))) << pass;
    const std::string what =
        passes.back() + " over " + text.substr(0, text.find('\n'));
    llvm::PrettyStackTraceString trace(what.c_str()); // What a crash shows.
    isTold = false;
    EXPECT_TRUE(succeeded(manager.run(*copy)) || isTold)
        << what << " fails without an error";
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::optional<ScopedDiagnosticHandler> handler;
  bool isTold = false;
};

TEST_F(AnyInput, EachPassAlone) {
  const std::vector<std::string> passes = listPasses();
  ASSERT_GT(passes.size(), 20u);
  size_t modules = 0;
  for (const std::string &text : listModules()) {
    OwningOpRef<ModuleOp> module = parse(text);
    modules += bool(module);
    for (const std::string &pass : module ? passes : std::vector<std::string>())
      for (const char *before :
           {"", "smp-decompose", "smp-place", "smp-place,smp-ladder"}) {
        std::vector<std::string> both{pass};
        if (*before)
          both.insert(both.begin(), before);
        run(*module, text, both);
      }
  }
  EXPECT_GT(modules, 100u);
}

/// What takes the last of a chain: a backward op on another partition, and one
/// that runs once per step.
const std::string kBackward = R"({smp.unit = #smp.unit<backward_input>,
      smp.placement = #smp.placement<1, user>})",
                  kOnce = "";

/// A chain of ops, from an input or from a variable. `each` is the text of an
/// op behind its operand, `end` what is said of the op that takes the last.
std::string chainOf(const std::string &first, const std::string &mnemonic,
                    const std::string &each,
                    const std::string &end = kBackward) {
  constexpr int kOps = 50000; // At 160 bytes of stack each no stack has them.
  std::string text = "// a chain of " + mnemonic + each + "\n" + R"(
module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<2x2xf32> = #smp.splat<1.0>
smp.entry @f(%x: tensor<2x2xf32> {smp.name = "x"}) -> (tensor<2x2xf32> {smp.name = "y"})
    attributes {smp.microbatches = 1 : i64} {
  %w = smp.read @w : tensor<2x2xf32> {smp.placement = #smp.placement<all, user>}
)";
  std::string last = first;
  for (int i = 0; i < kOps; ++i) {
    const std::string next = "%" + std::to_string(i);
    text += "  " + next + " = " + mnemonic + " " + last + each + "\n";
    last = next;
  }
  return text + "  %a = smp.accumulate %x : tensor<2x2xf32>\n  %y = smp.mul " +
         last + ", " + (end == kOnce ? "%a" : last) + end +
         R"( : tensor<2x2xf32>
  smp.return %y : tensor<2x2xf32>
}
})";
}

TEST_F(AnyInput, NoPassCallsItselfFromOpToOp) {
  const std::string home = "smp.placement = #smp.placement<0, user>",
                    everywhere = "smp.placement = #smp.placement<all, user>",
                    type = " : tensor<2x2xf32>";
  for (const std::string &text :
       {chainOf("%x", "smp.tanh", " {" + home + "}" + type),
        chainOf("%w", "smp.tanh", " {" + home + "}" + type),
        chainOf("%x", "smp.tanh", " {" + everywhere + "}" + type),
        chainOf("%x", "smp.tanh", " {smp.recompute, " + home + "}" + type),
        chainOf("%w", "smp.tanh", type, kOnce),
        chainOf("%x", "smp.silu", " {" + home + "}" + type),
        chainOf("%w", "smp.transpose",
                " {permutation = array<i64: 1, 0>, " + everywhere +
                    "} : (tensor<2x2xf32>) -> tensor<2x2xf32>")}) {
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module) << text.substr(0, text.find('\n'));
    for (const std::string &pass : listPasses())
      run(*module, text, {pass});
  }
}

} // namespace
