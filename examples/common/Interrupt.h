// SPDX-License-Identifier: Apache-2.0
// Ctrl-C ends a program when what it is doing is done.

#ifndef SMP_EXAMPLES_COMMON_INTERRUPT_H
#define SMP_EXAMPLES_COMMON_INTERRUPT_H

namespace examples {

/// What a program returns that was interrupted.
inline constexpr int kInterruptedStatus = 130;

/// From now on Ctrl-C is noticed; the second one ends the program at once.
void watchInterrupts();
bool interrupted();

} // namespace examples

#endif // SMP_EXAMPLES_COMMON_INTERRUPT_H
