// SPDX-License-Identifier: Apache-2.0
// Runs pieces of work in processes of their own.

#ifndef SMP_CONFORMANCE_ISOLATED_H
#define SMP_CONFORMANCE_ISOLATED_H

#include <functional>
#include <string>

namespace smp::conformance {

/// Calls `work(i)` for each i below `count`, each in a forked process, at most
/// `jobs` at a time, and `done(i, result)` here, in the order in which they
/// end. A process that crashes or takes longer than `seconds` has its fate as
/// result. To be called before there are threads.
void runIsolated(size_t count, unsigned jobs, unsigned seconds,
                 const std::function<std::string(size_t)> &work,
                 const std::function<void(size_t, std::string)> &done);

} // namespace smp::conformance

#endif // SMP_CONFORMANCE_ISOLATED_H
