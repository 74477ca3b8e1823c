// SPDX-License-Identifier: Apache-2.0
// What becomes of the bytes of a .smp file: an error that says what is wrong,
// or a program of which everything can be asked.
#include "PageGraph.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/tools/Inspect.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

namespace {
/// The bytes where the reader wants them, and no byte more.
class Aligned {
public:
  Aligned(const uint8_t *data, size_t size)
      : size(size), storage(static_cast<std::byte *>(::operator new(
                        size, std::align_val_t(kProgramAlignment)))) {
    std::memcpy(storage.get(), data, size);
  }
  std::span<const std::byte> bytes() const { return {storage.get(), size}; }

private:
  struct Free {
    void operator()(std::byte *bytes) const {
      ::operator delete(bytes, std::align_val_t(kProgramAlignment));
    }
  };
  size_t size;
  std::unique_ptr<std::byte, Free> storage;
};
} // namespace

/// What applications and smp-inspect ask of a program.
static void askEverything(std::span<const std::byte> bytes,
                          const LoadedProgram &loaded) {
  auto shared = SharedProgram::read(bytes);
  require(shared.ok());
  require(shared->entries().size() ==
          size_t(std::ranges::count_if(
              loaded.program().entries,
              [](const Entry &entry) { return !entry.twin; })));
  require(shared->variables().size() <= loaded.program().variables.size());
  const FileState file{loaded.checkWeights().ok(), loaded.parts()};
  require(!inspectText(loaded.program(), file).empty());
  require(!inspectJson(loaded.program(), file).empty());
  for (const Entry &entry : loaded.program().entries)
    require(!page::makePageGraph(entry).scopes.empty() ||
            entry.graph.ops.empty());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const Aligned file(data, size);
  StatusOr<LoadedProgram> loaded = readProgram(file.bytes());
  if (!loaded.ok()) {
    require(!loaded.status().message().empty());
    return 0;
  }
  // Whatever was accepted means something: it can be written again.
  require(serializeProgram(loaded->program()).ok());
  askEverything(file.bytes(), *loaded);
  return 0;
}
