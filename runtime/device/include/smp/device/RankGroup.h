// SPDX-License-Identifier: Apache-2.0
// Ranks that talk to each other beside their steps.

#ifndef SMP_DEVICE_RANKGROUP_H
#define SMP_DEVICE_RANKGROUP_H

#include "smp/device/Communicator.h"

namespace smp {

/// One conversation of ranks on a lane, as one of them sees it: a save, a
/// restore, the end of a step. All of them make the same calls. One that fails
/// ends the conversation for all, with an error of all later calls.
class SMP_API RankGroup {
public:
  /// The next `epoch` of the lane, which is borrowed; null: one rank alone,
  /// which talks to itself. Ranks are waited for as long as `deadlineSeconds`
  /// say; 0: for ever. `first` is the rank that does what one rank does.
  RankGroup(Communicator *lane, uint64_t epoch, double deadlineSeconds,
            uint32_t first = 0);

  uint32_t rank() const { return lane ? lane->rank() : 0; }
  uint32_t size() const { return lane ? lane->size() : 1; }
  uint32_t first() const { return firstRank; }
  bool isFirst() const { return rank() == firstRank; }

  /// Tells all ranks how it went here, and `text` if well. If it went well
  /// everywhere, gives the texts of all, by rank; else the error of this rank,
  /// or of the first that has one. `name` is what it is called when ranks do
  /// not come; the others are waited for so many seconds more than else.
  StatusOr<std::vector<std::string>> agree(std::string_view name,
                                           const Status &mine,
                                           std::string_view text,
                                           double moreSeconds = 0);
  /// The same, and gives what each rank told, errors too, the same to all.
  StatusOr<std::vector<StatusOr<std::string>>> tell(std::string_view name,
                                                    const Status &mine,
                                                    std::string_view text,
                                                    double moreSeconds = 0);
  /// Of those, the error of this rank, or of the first that has one.
  Status firstError(const std::vector<StatusOr<std::string>> &told) const;
  /// Tells all ranks how it went on the first, whose `mine` it is, and its
  /// `text` if well. On that rank the result says whether they could be told,
  /// which is waited for so many seconds more than else.
  StatusOr<std::string> hearFirst(const Status &mine, std::string_view text,
                                  double moreSeconds = 0);
  /// Any number of bytes, which the first rank receives as often.
  Status sendFirst(std::span<const std::byte> bytes);
  Status receive(uint32_t from, std::span<std::byte> bytes);
  /// Ends the conversation for all, and gives the reason.
  Status fail(Status why) const;

private:
  Deadline deadlineIn(double moreSeconds) const;

  Communicator *lane; // Borrowed.
  uint64_t epoch;
  double deadlineSeconds;
  uint32_t firstRank;
  uint32_t calls = 0;
};

} // namespace smp

#endif // SMP_DEVICE_RANKGROUP_H
