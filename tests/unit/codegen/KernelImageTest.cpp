// SPDX-License-Identifier: Apache-2.0
// What kernel images are made of: nothing from outside, no fast-math, and the
// same bytes whenever the input is the same.

#include "CompiledModule.h"
#include "mlir/Parser/Parser.h"
#include "smp/codegen/cpu/Image.h"
#include "llvm/Object/ELFObjectFile.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

/// Products, rows, loops and sequential kernels in one program of two devices.
static constexpr llvm::StringLiteral kModel = R"mlir(
module attributes {smp.partitions = 2 : i64} {
  smp.variable @w parameter : tensor<24x40xf32> = #smp.uniform<-1.0, 1.0, 7>
  smp.entry @predict(%x: tensor<9x24xf32> {smp.name = "x"},
                     %i: tensor<5xi64> {smp.name = "i"})
      -> (tensor<9x40xf32> {smp.name = "y"}, tensor<5x40xf16> {smp.name = "z"}) {
    %w = smp.read @w : tensor<24x40xf32>
    %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>,
           lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
       : (tensor<9x24xf32>, tensor<24x40xf32>) -> tensor<9x40xf32>
    %1 = smp.gelu %0 : tensor<9x40xf32>
    %2 = smp.softmax %1 {axis = 1 : i64, smp.placement = #smp.placement<1, user>} : tensor<9x40xf32>
    %3 = smp.scan sum %2 {axis = 0 : i64} : tensor<9x40xf32>
    %4 = smp.gather %3, %i {axis = 0 : i64} : (tensor<9x40xf32>, tensor<5xi64>) -> tensor<5x40xf32>
    %5 = smp.sin %4 : tensor<5x40xf32>
    %6 = smp.convert %5 : tensor<5x40xf32> to tensor<5x40xf16>
    smp.return %2, %6 : tensor<9x40xf32>, tensor<5x40xf16>
  }
}
)mlir";

static std::unique_ptr<CompiledModule> compileModel(bool threads) {
  CompilerContext context;
  context.mlir.enableMultithreading(threads);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kModel, &context.mlir);
  if (!module) {
    ADD_FAILURE() << context.diagnostics();
    return nullptr;
  }
  auto compiled =
      CompiledModule::compile(context, *module, /*partitions=*/2, cpuMachine());
  EXPECT_TRUE(compiled) << context.diagnostics();
  return compiled;
}

TEST(KernelImage, SameInputGivesTheSameBytes) {
  auto first = compileModel(/*threads=*/true);
  auto second = compileModel(/*threads=*/true);
  auto alone = compileModel(/*threads=*/false);
  ASSERT_TRUE(first && second && alone);
  ASSERT_GT(first->program().kernels.size(), 4u);
  auto isSame = [&](const CompiledModule &other) {
    return std::equal(first->bytes().begin(), first->bytes().end(),
                      other.bytes().begin(), other.bytes().end());
  };
  EXPECT_TRUE(isSame(*second)) << "compiled twice";
  EXPECT_TRUE(isSame(*alone)) << "compiled on one thread";
}

TEST(KernelImage, NeedsNothingFromOutside) {
  auto compiled = compileModel(/*threads=*/true);
  ASSERT_TRUE(compiled);
  std::span<const std::byte> image = compiled->image();
  auto elf = llvm::object::ELFObjectFile<llvm::object::ELF64LE>::create(
      llvm::MemoryBufferRef(
          llvm::StringRef(reinterpret_cast<const char *>(image.data()),
                          image.size()),
          "image"));
  ASSERT_TRUE(bool(elf)) << llvm::toString(elf.takeError());
  auto dynamic = elf->getELFFile().dynamicEntries();
  ASSERT_TRUE(bool(dynamic));
  for (const auto &entry : *dynamic)
    EXPECT_NE(entry.getTag(), llvm::ELF::DT_NEEDED);
  size_t kernels = 0;
  for (const auto &symbol : elf->getDynamicSymbolIterators()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    ASSERT_TRUE(bool(flags) && bool(name));
    EXPECT_FALSE(*flags & llvm::object::SymbolRef::SF_Undefined)
        << name->str() << " is undefined";
    ++kernels;
  }
  // One symbol per kernel and level.
  EXPECT_EQ(kernels,
            compiled->program().kernels.size() * cpuMachine().levels.size());
}

static std::string compileWithFlag(const std::string &flag) {
  CompilerContext context;
  std::string text = "llvm.func @kernel(%a: f32, %b: f32, %p: !llvm.ptr) {\n"
                     "  %0 = llvm.fadd %a, %b " +
                     flag +
                     " : f32\n"
                     "  llvm.store %0, %p : f32, !llvm.ptr\n"
                     "  llvm.return\n}\n";
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, &context.mlir);
  if (!module)
    return "does not parse: " + context.diagnostics();
  auto object =
      codegen::cpu::compileObject(*module, codegen::cpu::levels().back());
  return failed(object) ? context.diagnostics() : "";
}

TEST(KernelImage, FastMathIsRefused) {
  EXPECT_EQ(compileWithFlag(""), "");
  for (std::string flag : {"contract", "reassoc", "fast", "nnan", "nsz"})
    EXPECT_NE(compileWithFlag("{fastmathFlags = #llvm.fastmath<" + flag + ">}")
                  .find("fast-math flag in the final IR"),
              std::string::npos)
        << flag;
}
