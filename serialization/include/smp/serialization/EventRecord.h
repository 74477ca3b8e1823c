// SPDX-License-Identifier: Apache-2.0
// A record of an events file: one tensor, or list of texts, of one step, framed
// as a TFRecord.

#ifndef SMP_SERIALIZATION_EVENTRECORD_H
#define SMP_SERIALIZATION_EVENTRECORD_H

#include "smp/base/Status.h"
#include "smp/model/Mode.h"
#include "smp/model/Shape.h"
#include <span>
#include <string_view>

namespace smp {

/// What one record says. Text and bytes are the caller's, or those of the
/// record that was decoded.
struct EventRecord {
  std::string_view name; ///< The tensor's; not empty.
  double wallTime = 0;   ///< Seconds since 1970.
  uint64_t step = 0;     ///< Among all steps.
  Mode mode = Mode::Global;
  uint64_t modeStep = 0; ///< Among those of the mode.
  /// Of `bytes`: row-major, little endian, one element or more.
  TensorType type = {};
  std::span<const std::byte> bytes = {};
  /// One or more: the record holds these, and neither type nor bytes.
  std::vector<std::string_view> texts = {};
};

/// The type to which elements are converted before they are written: readers
/// take F64, F32, F16, I64, I32, U8 and Bool for what they are. Only numbers
/// beyond I64 of a U64 are lost.
constexpr DType storedEventType(DType type) {
  switch (type) {
  case DType::BF16:
    return DType::F32;
  case DType::I16:
  case DType::I8:
  case DType::U16:
    return DType::I32;
  case DType::U32:
  case DType::U64:
    return DType::I64;
  default:
    return type;
  }
}

/// Appends the record to `file`; on an error nothing.
/// Fails with InvalidArgument for what readers would not read: no name, no
/// element, a type that is not its storedEventType(), bytes that are more or
/// fewer than the type's, a number that is no int64.
Status appendEventRecord(const EventRecord &record,
                         std::vector<std::byte> &file);

/// What `bytes`, exactly one record, say. Fails with DataLoss: the message says
/// what is damaged, and at which byte of the record.
StatusOr<EventRecord> decodeEventRecord(std::span<const std::byte> bytes);

/// How many bytes the record has with which `bytes` begin, from its first 12.
/// Fails with DataLoss where they are too few or damaged.
StatusOr<uint64_t> eventRecordBytes(std::span<const std::byte> bytes);

} // namespace smp

#endif // SMP_SERIALIZATION_EVENTRECORD_H
