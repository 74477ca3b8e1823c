// SPDX-License-Identifier: Apache-2.0
// Saves of which each is some steps after the last.

#ifndef SMP_CHECKPOINT_SAVEINTERVAL_H
#define SMP_CHECKPOINT_SAVEINTERVAL_H

#include <cstdint>
#include <optional>

namespace smp {

/// Says which saves are due: TensorFlow's checkpoint_interval. Not for several
/// threads at once.
class SaveInterval {
public:
  /// Borrows the counter. Without an interval every save is due.
  SaveInterval(const int64_t *counter, std::optional<int64_t> interval)
      : counter(interval ? counter : nullptr), interval(interval.value_or(0)) {}

  /// Whether it is, now. A step is never saved twice; `checkInterval` asks for
  /// a whole interval since the last one.
  bool isDue(bool checkInterval) const {
    if (!counter || !last)
      return true;
    if (*counter == *last)
      return false;
    return !checkInterval ||
           (*counter > *last &&
            uint64_t(*counter) - uint64_t(*last) >= uint64_t(interval));
  }
  /// The step of now is saved or restored. What was the last one before.
  std::optional<int64_t> note() {
    const std::optional<int64_t> before = last;
    if (counter)
      last = *counter;
    return before;
  }
  /// What note() noted did not come to be: `before` is what it gave.
  void takeBack(std::optional<int64_t> noted, std::optional<int64_t> before) {
    if (last == noted)
      last = before;
  }
  std::optional<int64_t> lastStep() const { return last; }

private:
  const int64_t *counter; // Null: every save is due.
  int64_t interval;
  std::optional<int64_t> last;
};

} // namespace smp

#endif // SMP_CHECKPOINT_SAVEINTERVAL_H
