// SPDX-License-Identifier: Apache-2.0
// The ranks that save or restore together.

#ifndef SMP_CHECKPOINT_RANKGROUP_H
#define SMP_CHECKPOINT_RANKGROUP_H

#include "smp/checkpoint/Checkpoint.h"
#include "smp/exec/RankMeeting.h"
#include <optional>

namespace smp {

/// The ranks of a Checkpoint's Session, as one of them sees them in one save or
/// restore; without a Session this process alone. All of them make the same
/// calls.
class RankGroup {
public:
  static StatusOr<RankGroup> meet(const Checkpoint &checkpoint);

  uint32_t rank() const { return meeting ? meeting->rank() : 0; }
  uint32_t size() const { return meeting ? meeting->size() : 1; }
  bool isFirst() const { return rank() == 0; }

  /// Tells all ranks how it went here, and `text` if well. If it went well
  /// everywhere, gives the texts of all, by rank; else the error of this rank,
  /// or of the first that has one.
  StatusOr<std::vector<std::string>>
  agree(const Status &mine, std::string_view text, double moreSeconds = 0);
  /// The same, and gives what each rank told, errors too, the same to all.
  StatusOr<std::vector<StatusOr<std::string>>>
  tell(const Status &mine, std::string_view text, double moreSeconds = 0);
  /// Of those, the error of this rank, or of the first that has one.
  Status firstError(const std::vector<StatusOr<std::string>> &told) const;
  /// Tells all ranks how it went on rank 0, whose `mine` it is. On rank 0 the
  /// result says whether they could be told.
  Status hearFirst(const Status &mine);

private:
  std::optional<RankMeeting> meeting;
};

/// For how much longer ranks are waited for that read or write so many bytes.
double secondsFor(uint64_t bytes);

} // namespace smp

#endif // SMP_CHECKPOINT_RANKGROUP_H
