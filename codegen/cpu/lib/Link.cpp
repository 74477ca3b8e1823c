// SPDX-License-Identifier: Apache-2.0
// Objects to a shared object, by LLD as a library.

#include "lld/Common/Driver.h"
#include "smp/base/WriteAll.h"
#include "smp/codegen/cpu/Image.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace smp::codegen::cpu {

namespace {
// Nothing touches the disk, which may be full, and nothing is left behind by an
// interrupt: the linker opens descriptors by their paths.

std::string pathOf(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

/// An object in memory.
class MemoryFile {
public:
  explicit MemoryFile(llvm::ArrayRef<char> bytes)
      : descriptor(memfd_create("smp-object", MFD_CLOEXEC)) {
    const int error =
        descriptor < 0
            ? errno
            : writeAll(descriptor,
                       std::as_bytes(std::span(bytes.data(), bytes.size())));
    failure = std::error_code(error, std::generic_category());
  }
  ~MemoryFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  MemoryFile(const MemoryFile &) = delete;

  const int descriptor;
  std::error_code failure;
};

/// What is written to path() until finish(). A pipe: into a file, the linker
/// would go by way of a temporary one beside it.
class Sink {
public:
  Sink() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      failure = std::error_code(errno, std::generic_category());
      return;
    }
    writeEnd = ends[1];
    reader = std::thread([this, from = ends[0]] {
      std::array<std::byte, 1 << 16> piece;
      for (ssize_t count;
           (count = ::read(from, piece.data(), piece.size())) > 0;)
        bytes.insert(bytes.end(), piece.begin(), piece.begin() + count);
      ::close(from);
    });
  }
  ~Sink() { finish(); }
  Sink(const Sink &) = delete;

  std::string path() const { return pathOf(writeEnd); }
  std::vector<std::byte> finish() {
    if (reader.joinable()) {
      ::close(writeEnd);
      reader.join();
    }
    return std::move(bytes);
  }

  std::error_code failure;

private:
  int writeEnd = -1;
  std::vector<std::byte> bytes;
  std::thread reader;
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
linkImage(llvm::ArrayRef<llvm::ArrayRef<char>> objects, std::string &error) {
  Sink image;
  std::error_code failure = image.failure;
  std::vector<std::unique_ptr<MemoryFile>> inputs;
  for (const auto &object : objects) {
    inputs.push_back(std::make_unique<MemoryFile>(object));
    failure = failure ? failure : inputs.back()->failure;
  }
  if (failure) {
    error = "no room for the objects in memory: " + failure.message();
    return std::nullopt;
  }
  std::vector<std::string> words = {
      "ld.lld",      "-shared", "--no-undefined", "--gc-sections",
      "--strip-all", "-z",      "noexecstack",    "-z",
      "now",         "-soname", "smp-kernels",    "--build-id=none",
      "--threads=1", "-o",      image.path(),     "--hash-style=gnu"};
  for (const auto &input : inputs)
    words.push_back(pathOf(input->descriptor));
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  if (!link(arguments, error))
    return std::nullopt;
  return image.finish();
}

} // namespace smp::codegen::cpu
