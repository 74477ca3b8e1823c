// SPDX-License-Identifier: Apache-2.0
#include "MathImage.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "smp/codegen/cpu/Image.h"
#include "llvm/Object/ObjectFile.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

/// The element or vector that a function works on.
static Type typeOf(MLIRContext *context, const MathFunction &function,
                   StringRef element) {
  Type type = parseType(element, context);
  return function.lanes ? VectorType::get({int64_t(function.lanes)}, type)
                        : type;
}

static void build(ModuleOp module, const MathFunction &function) {
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = b.getUnknownLoc();
  Type pointer = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
  auto type = b.getFunctionType({pointer, pointer, pointer, i64}, {});
  auto func = func::FuncOp::create(b, loc, function.name, type);
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  auto loop = scf::ForOp::create(b, loc, constant(0), entry->getArgument(3),
                                 constant(std::max(1u, function.lanes)));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  auto place = [&](unsigned argument, StringRef element) -> Value {
    return LLVM::GEPOp::create(b, loc, pointer, parseType(element, context),
                               entry->getArgument(argument),
                               ArrayRef<LLVM::GEPArg>{loop.getInductionVar()});
  };
  const auto alignment = [&](StringRef element) {
    return parseType(element, context).getIntOrFloatBitWidth() / 8;
  };
  SmallVector<Value> operands;
  for (unsigned i = 0; i < function.operands; ++i)
    operands.push_back(LLVM::LoadOp::create(
        b, loc, typeOf(context, function, function.input),
        place(i, function.input), alignment(function.input)));
  Value result = function.body(b, loc, operands);
  LLVM::StoreOp::create(b, loc, result, place(2, function.output),
                        alignment(function.output));
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, loc);
}

static std::vector<std::string> undefinedIn(ArrayRef<char> object) {
  std::vector<std::string> names;
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(StringRef(object.data(), object.size()), "object"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return {"<unreadable object>"};
  }
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) &&
        !name->empty())
      names.push_back(name->str());
  }
  return names;
}

std::unique_ptr<MathImage>
MathImage::load(const std::vector<MathFunction> &functions,
                const codegen::cpu::Level &level, std::string &error) {
  DialectRegistry registry;
  registry
      .insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
              LLVM::LLVMDialect, scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  for (const MathFunction &function : functions)
    build(*module, function);
  error = "lowering failed";
  if (failed(codegen::cpu::lowerKernels(*module)))
    return nullptr;
  auto object = codegen::cpu::compileObject(*module, level);
  if (failed(object))
    return nullptr;
  std::unique_ptr<MathImage> image(new MathImage());
  image->undefined = undefinedIn(*object);
  auto bytes = codegen::cpu::linkImage(llvm::ArrayRef<char>(*object), error);
  if (!bytes)
    return nullptr;
  image->file = memfd_create("math", 0);
  const bool written = write(image->file, bytes->data(), bytes->size()) ==
                       ssize_t(bytes->size());
  const std::string path = "/proc/self/fd/" + std::to_string(image->file);
  image->handle =
      written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!image->handle) {
    error = written ? dlerror() : "cannot write the image";
    return nullptr;
  }
  return image;
}

MathImage::~MathImage() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}

MathPointer MathImage::find(const std::string &name) const {
  return reinterpret_cast<MathPointer>(dlsym(handle, name.c_str()));
}

bool smp::test::isSupported(const codegen::cpu::Level &level) {
  if (level.name == "v4")
    return __builtin_cpu_supports("x86-64-v4");
  if (level.name == "v3")
    return __builtin_cpu_supports("x86-64-v3");
  return __builtin_cpu_supports("x86-64-v2");
}
