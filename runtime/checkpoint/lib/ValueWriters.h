// SPDX-License-Identifier: Apache-2.0
// Which rank writes which value of the application's.

#ifndef SMP_CHECKPOINT_VALUEWRITERS_H
#define SMP_CHECKPOINT_VALUEWRITERS_H

#include "smp/base/Status.h"
#include <map>
#include <span>
#include <vector>

namespace smp {

/// Ranks tell each other which values they have. A value is written by the
/// lowest rank that has it; of one in parts, that is said for each device.
class ValueWriters {
public:
  struct Writer {
    uint32_t rank; ///< The lowest that has the value.
    std::string what;
    std::map<int64_t, uint32_t> rankOfDevice; ///< The same, by id.
  };

  /// This rank has a value. Ranks that have it too must say `what` it is in the
  /// same words, on one line. `devices`: whose parts of it are here.
  void add(const std::string &name, std::string what,
           std::vector<int64_t> devices = {});
  std::string describe() const;
  /// The descriptions of all ranks, of which no two may differ on a value.
  Status shareOut(std::span<const std::string> descriptions);
  /// By name, after shareOut().
  const std::map<std::string, Writer> &all() const { return writers; }

private:
  struct Here {
    std::string what;
    std::vector<int64_t> devices;
  };

  std::map<std::string, Here> here;
  std::map<std::string, Writer> writers;
};

} // namespace smp

#endif // SMP_CHECKPOINT_VALUEWRITERS_H
