// SPDX-License-Identifier: Apache-2.0
// PTX to machine code, by NVIDIA's assembler.

#include "smp/base/WriteAll.h"
#include "smp/codegen/cuda/CudaTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <unistd.h>

using namespace mlir;

namespace smp::codegen::cuda {

namespace {

/// Files of one run, which end with it.
class Files {
public:
  ~Files() {
    for (const SmallString<128> *path : {&ptx, &cubin, &log})
      if (!path->empty())
        llvm::sys::fs::remove(*path);
  }

  /// Makes them, with the text in the first.
  std::error_code make(ArrayRef<std::byte> text) {
    using llvm::sys::fs::createTemporaryFile;
    int descriptor = -1;
    if (auto error = createTemporaryFile("smp", "ptx", descriptor, ptx))
      return error;
    const int error = writeAll(descriptor, {text.data(), text.size()});
    ::close(descriptor);
    if (error)
      return std::error_code(error, std::generic_category());
    if (auto error = createTemporaryFile("smp", "cubin", cubin))
      return error;
    return createTemporaryFile("smp", "log", log);
  }

  SmallString<128> ptx, cubin, log;
};

} // namespace

/// What a file holds; nothing where it cannot be read.
static std::string readAll(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

/// By what `ptxas -v` says: "Function properties for k" and behind it a line
/// "8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads".
static std::vector<std::pair<std::string, uint64_t>> spillsIn(StringRef log) {
  std::vector<std::pair<std::string, uint64_t>> spills;
  StringRef kernel;
  for (StringRef line : llvm::split(log, '\n')) {
    if (auto [before, name] = line.split("Function properties for ");
        !name.empty())
      kernel = name.trim();
    auto [before, after] = line.split(" bytes spill stores");
    uint64_t bytes = 0;
    if (before.size() < line.size() &&
        !before.rsplit(' ').second.getAsInteger(10, bytes) && bytes > 0)
      spills.push_back({kernel.str(), bytes});
  }
  return spills;
}

namespace {
class Ptxas final : public Assembler {
public:
  explicit Ptxas(std::string command) : command(std::move(command)) {}

  ArrayRef<StringRef> architectures() const override {
    static constexpr StringRef names[] = {"sm_80", "sm_90a"};
    return names;
  }

  FailureOr<AssembledCode> assemble(Location where, ArrayRef<std::byte> image,
                                    StringRef architecture) const override {
    Files files;
    if (std::error_code error = files.make(image))
      return emitError(where)
             << "cannot write PTX for '" << command << "': " << error.message();
    const std::string arch = "-arch=" + architecture.str();
    std::string why;
    const int result = llvm::sys::ExecuteAndWait(
        command, {command, arch, "-v", files.ptx, "-o", files.cubin},
        std::nullopt, {"", StringRef(files.log), StringRef(files.log)}, 0, 0,
        &why);
    const std::string log = readAll(files.log);
    if (result != 0)
      return emitError(where)
             << "'" << command << "' does not assemble the PTX of kernels for "
             << architecture << ": "
             << (why.empty() ? "it ended with " + std::to_string(result) : why)
             << (log.empty() ? "" : ": ") << StringRef(log).trim();
    const std::string code = readAll(files.cubin);
    if (code.empty())
      return emitError(where)
             << "'" << command << "' wrote no cubin for " << architecture;
    AssembledCode assembled;
    const auto bytes = llvm::ArrayRef(
        reinterpret_cast<const std::byte *>(code.data()), code.size());
    assembled.bytes.assign(bytes.begin(), bytes.end());
    assembled.spills = spillsIn(log);
    return assembled;
  }

private:
  std::string command;
};
} // namespace

FailureOr<std::unique_ptr<Assembler>>
CudaTarget::findAssembler(Location where, StringRef command) const {
  auto found =
      llvm::sys::findProgramByName(command.empty() ? "ptxas" : command);
  if (!found || !llvm::sys::fs::can_execute(*found))
    return emitError(where)
           << (command.empty() ? "ptxas is not on the PATH"
                               : "'" + command.str() + "' is no command")
           << ", and cubins are made by it; name NVIDIA's ptxas, or leave the "
              "cubins to the GPU's driver, which makes them of the PTX";
  return std::unique_ptr<Assembler>(std::make_unique<Ptxas>(*found));
}

} // namespace smp::codegen::cuda
