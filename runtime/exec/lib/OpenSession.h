// SPDX-License-Identifier: Apache-2.0
// Opening a Session: devices, memory, plans, variables, threads.

#ifndef SMP_EXEC_OPENSESSION_H
#define SMP_EXEC_OPENSESSION_H

#include "SessionState.h"

namespace smp {

class SessionOpener {
public:
  explicit SessionOpener(SessionCore::State &state);
  Status open();

private:
  Status openDevices();
  MemoryTraits memoryTraits() const;
  Status loadPartitions();
  Status agreeWithOtherRanks();
  void planMessages();
  Status checkOffer(uint32_t from, std::span<const std::byte> bytes);
  std::string makeOffer() const;
  Status checkOptions() const;
  bool wants(uint32_t rank, uint32_t entry, uint32_t output) const;
  Status makePlans();
  Status makeNumericsPieces();
  Status fillVariables();
  Status startThreads();

  SessionCore::State &state;
  const Program &program;
  uint32_t rank, size;
  /// By partition; null on another rank, and once its partition is loaded.
  std::vector<std::unique_ptr<Device>> devices;
  ProgramLayout layout;
  std::string kinds;                            // Of this rank's devices.
  std::vector<std::vector<std::string>> wanted; // By rank; empty: all.
};

} // namespace smp

#endif // SMP_EXEC_OPENSESSION_H
