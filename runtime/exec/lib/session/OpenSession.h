// SPDX-License-Identifier: Apache-2.0
// Opening a Session: devices, memory, plans, variables, threads.

#ifndef SMP_EXEC_OPENSESSION_H
#define SMP_EXEC_OPENSESSION_H

#include "AgreeRanks.h"
#include "SessionState.h"

namespace smp {

class SessionOpener {
public:
  explicit SessionOpener(SessionCore::State &state);
  Status open();

private:
  Status checkOptions() const;
  Status openDevices();
  MemoryTraits memoryTraits() const;
  Status checkRoom(std::span<const uint32_t> spaces) const;
  Status loadPartitions();
  Status agreeWithOtherRanks();
  bool wants(uint32_t rank, uint32_t entry, uint32_t output) const;
  Status makePlans();
  Status makeNumericsPieces();
  void planMessages();
  Status fillVariables();
  Status startThreads();

  SessionCore::State &state;
  const Program &program;
  LogSink log;
  uint32_t rank, size;
  /// By partition; null on another rank, and once its partition is loaded.
  std::vector<std::unique_ptr<Device>> devices;
  ProgramLayout layout;
  std::vector<RankOffer> offers; // By rank: what each opens.
};

} // namespace smp

#endif // SMP_EXEC_OPENSESSION_H
