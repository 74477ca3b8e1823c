// SPDX-License-Identifier: Apache-2.0
// What PTX kernels are made of: nothing from outside, nothing that rounds
// otherwise than ops say, and the same text whenever the input is the same.

#include "Models.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/codegen/cuda/Ptx.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/compile/Compile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;
using codegen::cuda::checkPtx;

namespace {

/// The program of a model for GPUs.
codegen::ExportedProgram
compileForCuda(const std::string &text, bool threads = true,
               std::optional<std::string> assembler = {}) {
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.enableMultithreading(threads);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  compile::CompileOptions options;
  options.targets = {"cuda"};
  options.exporting.assembler = std::move(assembler);
  auto exported = compile::compile(*module, {}, options);
  EXPECT_TRUE(succeeded(exported));
  return succeeded(exported) ? std::move(*exported)
                             : codegen::ExportedProgram();
}

std::vector<std::string> textsOf(const codegen::ExportedProgram &program) {
  std::vector<std::string> texts;
  for (const std::vector<std::byte> &image : program.images)
    texts.emplace_back(reinterpret_cast<const char *>(image.data()),
                       image.size());
  return texts;
}

size_t countOf(llvm::StringRef text, llvm::StringRef word) {
  return text.count(word);
}

class CudaImages : public testing::TestWithParam<std::string (*)()> {};

TEST_P(CudaImages, ComputeAsOpsSay) {
  const codegen::ExportedProgram exported = compileForCuda(GetParam()());
  size_t entries = 0, rounded = 0;
  for (const std::string &text : textsOf(exported)) {
    EXPECT_EQ(checkPtx(text), "");
    entries += countOf(text, ".visible .entry");
    rounded += countOf(text, ".rn.f32");
  }
  EXPECT_EQ(entries, exported.program.kernels.size());
  EXPECT_GT(rounded, 0u);
  std::printf("%zu kernels, %zu instructions that round f32\n", entries,
              rounded);
  for (const Kernel &kernel : exported.program.kernels) {
    ASSERT_EQ(kernel.variants.size(), 1u) << kernel.name;
    ASSERT_TRUE(kernel.variants[0].blocks) << kernel.name;
    EXPECT_EQ(kernel.variants[0].blocks->threads[0] % 32, 0u) << kernel.name;
  }
}

TEST_P(CudaImages, AreTheSameForTheSameInput) {
  const auto first = textsOf(compileForCuda(GetParam()()));
  EXPECT_EQ(first, textsOf(compileForCuda(GetParam()(), /*threads=*/false)));
  EXPECT_FALSE(first.empty());
}

/// Runs ptxas on a text; what it says.
std::string assemble(const std::string &ptxas, const std::string &text,
                     const std::string &architecture) {
  llvm::SmallString<128> input, output;
  int descriptor = -1;
  if (llvm::sys::fs::createTemporaryFile("kernels", "ptx", descriptor, input) ||
      llvm::sys::fs::createTemporaryFile("kernels", "log", output)) {
    ADD_FAILURE() << "no temporary file";
    return {};
  }
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << text;
  const std::string arch = "-arch=" + architecture;
  const int rc = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, arch, "-v", input, "-o", "/dev/null"}, std::nullopt,
      {"", llvm::StringRef(output), llvm::StringRef(output)});
  auto said = llvm::MemoryBuffer::getFile(output);
  std::string log = said ? (*said)->getBuffer().str() : "";
  EXPECT_EQ(rc, 0) << log;
  llvm::sys::fs::remove(input);
  llvm::sys::fs::remove(output);
  return log;
}

TEST_P(CudaImages, AssembleWithoutSpills) {
  auto ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    GTEST_SKIP() << "ptxas is not on the PATH: nothing was assembled";
  const codegen::ExportedProgram exported = compileForCuda(GetParam()());
  for (const char *architecture : {"sm_80", "sm_90a"}) {
    size_t kernels = 0;
    for (const std::string &text : textsOf(exported)) {
      const std::string log = assemble(*ptxas, text, architecture);
      const size_t functions = countOf(log, "Function properties");
      EXPECT_EQ(countOf(log, " 0 bytes spill stores, 0 bytes spill loads"),
                functions)
          << log;
      kernels += functions;
    }
    EXPECT_EQ(kernels, exported.program.kernels.size());
    std::printf("ptxas accepts %zu kernels for %s, none spills\n", kernels,
                architecture);
  }
}

TEST_P(CudaImages, HaveCubinsBesideThemWhereThatIsAskedFor) {
  if (!llvm::sys::findProgramByName("ptxas"))
    GTEST_SKIP() << "ptxas is not on the PATH: no cubin was made";
  const codegen::ExportedProgram alone = compileForCuda(GetParam()());
  const codegen::ExportedProgram both =
      compileForCuda(GetParam()(), /*threads=*/true, "");
  const codegen::ExportedProgram again =
      compileForCuda(GetParam()(), /*threads=*/false, "");
  EXPECT_EQ(both.images, again.images);
  const size_t texts = alone.images.size();
  ASSERT_EQ(both.images.size(), 3 * texts);
  for (size_t i = 0; i < both.images.size(); ++i) {
    const ImageInfo &info = both.program.imageInfos[i];
    if (i < texts) {
      EXPECT_EQ(info.kind, ImageKind::Ptx);
      EXPECT_EQ(both.images[i], alone.images[i]);
      continue;
    }
    EXPECT_EQ(info.kind, ImageKind::Cubin);
    EXPECT_EQ(info.ptx, (i - texts) / 2);
    EXPECT_EQ(info.architecture, (i - texts) % 2 ? "sm_90a" : "sm_80");
    EXPECT_EQ(both.images[i][1], std::byte('E')); // Of an ELF file.
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CudaImages,
                         testing::Values(transformer, network, products,
                                         sequences));

TEST(CheckPtx, RefusesWhatKernelsMustNotHave) {
  auto refusal = [](const std::string &line) {
    return checkPtx(".visible .entry k(\n)\n{\n\t" + line + "\n\tret;\n}\n");
  };
  EXPECT_EQ(refusal("add.rn.f32 \t%f1, %f2, %f3;"), "");
  EXPECT_EQ(refusal("@%p1 fma.rn.f64 %d1, %d2, %d3, %d4;"), "");
  EXPECT_EQ(refusal("add.s64 \t%rd1, %rd2, 4;"), "");
  EXPECT_EQ(refusal("mul.wide.u32 %rd1, %r2, 4;"), "");
  EXPECT_EQ(refusal("atom.global.min.s64 %rd1, [%rd2], %rd3;"), "");
  EXPECT_EQ(refusal("add.f32 %f1, %f2, %f3;"),
            "'add.f32 %f1, %f2, %f3;' is not rounded explicitly");
  EXPECT_EQ(refusal("@%p1 mul.f64 %d1, %d2, %d3;"),
            "'@%p1 mul.f64 %d1, %d2, %d3;' is not rounded explicitly");
  EXPECT_EQ(refusal("mul.rn.ftz.f32 %f1, %f2, %f3;"),
            "'mul.rn.ftz.f32 %f1, %f2, %f3;' flushes subnormal numbers");
  EXPECT_EQ(refusal("ex2.approx.f32 %f1, %f2;"),
            "'ex2.approx.f32 %f1, %f2;' approximates");
  EXPECT_EQ(refusal("div.full.f32 %f1, %f2, %f3;"),
            "'div.full.f32 %f1, %f2, %f3;' approximates");
  EXPECT_EQ(refusal("atom.global.add.f32 %f1, [%rd1], %f2;"),
            "'atom.global.add.f32 %f1, [%rd1], %f2;' depends on the order of "
            "arrival");
  EXPECT_EQ(checkPtx(".extern .func (.param .b32 r) __nv_expf (\n"),
            "'.extern .func (.param .b32 r) __nv_expf (' is not in the image");
}

} // namespace
