// SPDX-License-Identifier: Apache-2.0
// The C library's file operations, which fail or kill the process when a test
// says so.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_FAILINGDISK_H
#define SMP_TESTS_UNIT_CHECKPOINT_FAILINGDISK_H

namespace smp::test {

/// What happens at the operation of the number. In the middle is one of a
/// write, where only writes are counted.
enum class Trouble { Kill, KillInTheMiddle, Fail };

/// Of this process. Operations are files that are made, written, flushed,
/// renamed and deleted. A process that is killed ends with kKilled.
struct Fuse {
  bool armed = false;
  Trouble trouble = Trouble::Kill;
  int at = 0;      // The operation's number.
  int counted = 0; // Operations so far.
};
extern Fuse fuse;
/// Called when an operation begins, by its thread; null: nothing is.
extern void (*onOperation)();
inline constexpr int kKilled = 9;

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_FAILINGDISK_H
