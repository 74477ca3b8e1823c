// SPDX-License-Identifier: Apache-2.0
#include "StepQueue.h"
#include <new>

namespace smp {

std::byte *StepQueue::take(uint64_t bytes, bool waits) {
  while (true) {
    const uint32_t seen = changes.now();
    {
      std::lock_guard<std::mutex> hold(lock);
      if (std::byte *block = ring.push(sizeof(Header) + bytes)) {
        last = new (block) Header;
        return block + sizeof(Header);
      }
      if (!waits || given == 0)
        return nullptr;
    }
    changes.waitBeyond(seen);
  }
}

void StepQueue::give() {
  {
    std::lock_guard<std::mutex> hold(lock);
    if (!last)
      return;
    last->endsStep = true;
    last = nullptr;
    given = ring.count();
  }
  changes.note();
}

void StepQueue::drain() {
  give();
  while (true) {
    const uint32_t seen = changes.now();
    {
      std::lock_guard<std::mutex> hold(lock);
      if (given == 0)
        return;
    }
    changes.waitBeyond(seen);
  }
}

void StepQueue::close() {
  give();
  {
    std::lock_guard<std::mutex> hold(lock);
    isClosed = true;
  }
  changes.note();
}

StepQueue::Block StepQueue::next() {
  while (true) {
    const uint32_t seen = changes.now();
    {
      std::lock_guard<std::mutex> hold(lock);
      if (given > 0) {
        const std::span<const std::byte> block = ring.front();
        const auto *header = reinterpret_cast<const Header *>(block.data());
        return {block.subspan(sizeof(Header)), header->endsStep != 0};
      }
      if (isClosed)
        return {};
    }
    changes.waitBeyond(seen);
  }
}

void StepQueue::release() {
  {
    std::lock_guard<std::mutex> hold(lock);
    ring.pop();
    --given;
  }
  changes.note();
}

} // namespace smp
