// SPDX-License-Identifier: Apache-2.0
#include "PlainDisk.h"
#include "ProcessMemory.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <unistd.h>

namespace smp::bench {

static constexpr size_t kBlock = 8 << 20;

void require(bool isGood, const std::string &what) {
  if (isGood)
    return;
  std::fprintf(stderr, "checkpoint_times: %s\n", what.c_str());
  std::exit(1);
}

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
struct Free {
  void operator()(void *memory) const { std::free(memory); }
};

/// A block that direct reads and writes may use.
class Block {
public:
  Block() : memory(std::aligned_alloc(4096, kBlock)) {
    std::memset(memory.get(), 1, kBlock);
  }
  void *data() const { return memory.get(); }

private:
  std::unique_ptr<void, Free> memory;
};

class File {
public:
  File(const std::string &path, int flags, Way way)
      : descriptor(::open(path.c_str(),
                          flags | (way == Way::Direct ? O_DIRECT : 0), 0666)) {
    require(descriptor >= 0,
            "cannot open '" + path + "': " + std::strerror(errno));
  }
  ~File() { ::close(descriptor); }
  const int descriptor;
};
} // namespace

double plainWrite(const std::string &path, uint64_t bytes, Way way) {
  const Block block;
  const double start = now();
  {
    const File file(path, O_WRONLY | O_CREAT | O_EXCL, way);
    for (uint64_t at = 0; at < bytes; at += kBlock)
      require(::pwrite(file.descriptor, block.data(), kBlock, off_t(at)) ==
                  ssize_t(kBlock),
              "cannot write '" + path + "'");
    require(::fsync(file.descriptor) == 0, "cannot sync '" + path + "'");
  }
  const double seconds = now() - start;
  std::filesystem::remove(path);
  return seconds;
}

double plainRead(const std::vector<std::string> &paths, Way way) {
  forgetFiles(paths);
  const Block block;
  const double start = now();
  for (const std::string &path : paths) {
    const File file(path, O_RDONLY, way);
    ssize_t some = 1;
    for (off_t at = 0; some > 0; at += some)
      some = ::pread(file.descriptor, block.data(), kBlock, at);
    require(some == 0, "cannot read '" + path + "'");
  }
  return now() - start;
}

void forgetFiles(const std::vector<std::string> &paths) {
  for (const std::string &path : paths) {
    const File file(path, O_RDONLY, Way::Buffered);
    ::fdatasync(file.descriptor);
    ::posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED);
  }
}

std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file())
      paths.push_back(entry.path());
  return paths;
}

uint64_t bytesOf(const std::vector<std::string> &paths) {
  uint64_t sum = 0;
  for (const std::string &path : paths)
    sum += std::filesystem::file_size(path);
  return sum;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void forgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }
uint64_t peakBytes() { return test::statusBytes("VmHWM:"); }
uint64_t currentBytes() { return test::statusBytes("VmRSS:"); }

} // namespace smp::bench
