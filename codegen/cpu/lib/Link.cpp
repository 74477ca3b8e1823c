// SPDX-License-Identifier: Apache-2.0
// Objects to a shared object, by LLD as a library.

#include "lld/Common/Driver.h"
#include "smp/codegen/cpu/Image.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <mutex>

LLD_HAS_DRIVER(elf)

namespace smp::codegen::cpu {

namespace {
/// A file in the system's temporary folder that goes with the object.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix) {
    failure = llvm::sys::fs::createTemporaryFile("smp-kernels", suffix,
                                                 descriptor, path);
    if (!failure)
      remover.setFile(path);
  }
  std::error_code failure;
  int descriptor = -1;
  llvm::SmallString<128> path;

private:
  llvm::FileRemover remover;
};
} // namespace

/// Runs the linker; its messages go to `error`. LLD keeps global state, so one
/// link runs at a time.
static bool link(llvm::ArrayRef<const char *> arguments, std::string &error) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string output;
  llvm::raw_string_ostream out(output), err(error);
  lld::Result result =
      lld::lldMain(arguments, out, err, {{lld::Gnu, &lld::elf::link}});
  return result.retCode == 0;
}

std::optional<std::vector<std::byte>>
linkImage(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects,
          std::string &error) {
  std::vector<std::unique_ptr<TemporaryFile>> inputs;
  for (const auto &object : objects) {
    auto file = std::make_unique<TemporaryFile>("o");
    if (!file->failure) {
      llvm::raw_fd_ostream stream(file->descriptor, /*shouldClose=*/true);
      stream << llvm::StringRef(object.data(), object.size());
      stream.close();
      file->failure = stream.error();
      stream.clear_error();
    }
    if (file->failure) {
      error = "cannot write " + file->path.str().str() + ": " +
              file->failure.message();
      return std::nullopt;
    }
    inputs.push_back(std::move(file));
  }
  TemporaryFile output("so");
  if (output.failure) {
    error = "cannot make a temporary file: " + output.failure.message();
    return std::nullopt;
  }
  llvm::sys::fs::closeFile(output.descriptor);
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "--no-undefined",
                                         "--gc-sections",
                                         "--strip-all",
                                         "--build-id=none",
                                         "--hash-style=gnu",
                                         "-z",
                                         "noexecstack",
                                         "-z",
                                         "now",
                                         "-soname",
                                         "smp-kernels",
                                         "--threads=1",
                                         "-o",
                                         output.path.c_str()};
  for (const auto &input : inputs)
    arguments.push_back(input->path.c_str());
  if (!link(arguments, error))
    return std::nullopt;
  auto image = llvm::MemoryBuffer::getFile(output.path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!image) {
    error = "cannot read " + output.path.str().str() + ": " +
            image.getError().message();
    return std::nullopt;
  }
  std::vector<std::byte> bytes((*image)->getBufferSize());
  std::memcpy(bytes.data(), (*image)->getBufferStart(), bytes.size());
  return bytes;
}

} // namespace smp::codegen::cpu
