// SPDX-License-Identifier: Apache-2.0
#include "Shadow.h"
#include "Relaxed.h"
#include <sys/mman.h>

using namespace smp::emulator;

Pages::Pages(uint64_t bytes) : size(bytes) {
  void *got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  memory = got == MAP_FAILED ? nullptr : got;
}

Pages::~Pages() {
  if (memory)
    munmap(memory, size);
}

void Pages::clear() { madvise(memory, size, MADV_DONTNEED); }

Shadow::Shadow(uint64_t capacity)
    : data(capacity), states(capacity), records(capacity * 4),
      chunks((uint64_t(1) << 32) / 16) {
  bytes.base = reinterpret_cast<uint64_t>(data.get());
  bytes.size = capacity;
  bytes.state = static_cast<uint8_t *>(states.get());
  bytes.cells = static_cast<Cell *>(records.get());
}

void Shadow::mark(uint64_t address, uint64_t count, uint8_t state) {
  setAll(bytes.state + (address - bytes.base), count, state);
}

void Shadow::forgetAccesses() {
  records.clear();
  time = kFirstTime;
}
