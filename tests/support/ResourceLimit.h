// SPDX-License-Identifier: Apache-2.0
// What the shell's `ulimit` sets, for a while.

#ifndef SMP_TESTS_SUPPORT_RESOURCELIMIT_H
#define SMP_TESTS_SUPPORT_RESOURCELIMIT_H

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace smp::test {

/// While it lives, this process has no more of what RLIMIT_... says.
class ResourceLimit {
public:
  ResourceLimit(__rlimit_resource resource, rlim_t limit) : resource(resource) {
    EXPECT_EQ(getrlimit(resource, &before), 0);
    const rlimit few = {limit, before.rlim_max};
    EXPECT_EQ(setrlimit(resource, &few), 0);
  }
  ~ResourceLimit() { setrlimit(resource, &before); }
  ResourceLimit(const ResourceLimit &) = delete;

private:
  const __rlimit_resource resource;
  rlimit before = {};
};

} // namespace smp::test

#endif // SMP_TESTS_SUPPORT_RESOURCELIMIT_H
