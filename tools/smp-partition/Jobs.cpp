// SPDX-License-Identifier: Apache-2.0
#include "Jobs.h"
#include "smp/base/Thread.h"
#include <atomic>

namespace smp {

passes::JobRunner jobsOnThreads(uint32_t threads) {
  return [threads](uint32_t count, const std::function<void(uint32_t)> &job) {
    std::atomic<uint32_t> next = 0;
    auto work = [&] {
      for (uint32_t i = next++; i < count; i = next++)
        job(i);
    };
    std::vector<std::unique_ptr<Thread>> others;
    for (uint32_t i = 1; i < threads && i < count; ++i)
      if (auto started = Thread::start("smp-partition", work); started.ok())
        others.push_back(started.take());
    work();
  };
}

} // namespace smp
