// SPDX-License-Identifier: Apache-2.0
// The last values of an output, in memory.

#ifndef SMP_CAPTURE_KEPTVALUES_H
#define SMP_CAPTURE_KEPTVALUES_H

#include "ByteRing.h"
#include "PackedValue.h"
#include "smp/capture/Hook.h"
#include "smp/serialization/EventTemplate.h"

namespace smp {

/// Memory is taken for all of them when the first value comes, and when one
/// comes that is larger than all before.
class KeptValues {
public:
  /// Keeps at most so many values, in so many bytes.
  KeptValues(uint64_t mostValues, uint64_t mostBytes)
      : mostValues(mostValues), mostBytes(mostBytes) {}

  /// In the place of the oldest, where there is no room. A value that alone is
  /// larger than the room is not kept. Fails without memory.
  Status keep(std::string_view entry, const EventStep &step,
              const GivenValue &value);
  /// The oldest first.
  std::vector<CapturedValue> all() const;

private:
  Status growFor(uint64_t blockBytes);

  const uint64_t mostValues, mostBytes;
  ByteRing ring;
};

} // namespace smp

#endif // SMP_CAPTURE_KEPTVALUES_H
