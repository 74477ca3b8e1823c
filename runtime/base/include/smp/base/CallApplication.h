// SPDX-License-Identifier: Apache-2.0
// Calls into an application, which may have exceptions. The runtime has none:
// one that passed through it would leave locks held and a step under way.

#ifndef SMP_BASE_CALLAPPLICATION_H
#define SMP_BASE_CALLAPPLICATION_H

#include <optional>
#include <string>
#include <type_traits>

namespace smp {

/// What an exception says of itself: ": too late", or "" where it says nothing.
using Thrown = std::optional<std::string>;

/// Calls `call(callee)`. Not inline: of what the runtime is compiled from,
/// compilers take for granted that it throws nothing.
[[gnu::noinline]] Thrown catchThrown(void (*call)(void *callee), void *callee);

/// Makes a call into the application, and returns what it throws, if it does.
/// An end of the thread by pthread_exit() goes on.
template <typename Call>
Thrown callApplication(Call &&call) {
  using Callee = std::remove_reference_t<Call>;
  return catchThrown([](void *callee) { (*static_cast<Callee *>(callee))(); },
                     &call);
}

} // namespace smp

#endif // SMP_BASE_CALLAPPLICATION_H
