// SPDX-License-Identifier: Apache-2.0
// One partition of the program on its device: code, memory and stream.

#ifndef SMP_EXEC_DEVICEPARTITION_H
#define SMP_EXEC_DEVICEPARTITION_H

#include "SharedParts.h"
#include "StageCode.h"
#include "VariableStore.h"
#include "smp/exec/SessionTypes.h"
#include "smp/serialization/PartitionLayout.h"
#include <map>

namespace smp {

class DevicePartition {
public:
  /// Loads the kernels that the partition's stages use and takes the memory
  /// that `layout` says. Nothing is filled yet.
  static StatusOr<std::unique_ptr<DevicePartition>>
  load(VariableStore &variables, uint32_t index, std::unique_ptr<Device> device,
       const PartitionLayout &layout);

  uint32_t number() const { return index; }
  Device &device() { return *owned; }
  const Device &device() const { return *owned; }
  Stream &stream() { return *work; }
  const Stream &stream() const { return *work; }
  /// The code of Program::stages[stage], which is of this partition.
  StageCode &code(uint32_t stage) { return *codes[stage]; }
  /// Bytes of the program and its weights that are used where they are.
  uint64_t importedBytes() const { return imported; }
  /// Bytes of prepared values that are also those of other Sessions.
  uint64_t sharedBytes() const;

  /// The variable's host value is new; true when this partition uses it.
  bool markChanged(uint32_t variable);
  /// Brings changed variables to the device; what is prepared from them becomes
  /// stale.
  Status refreshVariables();
  /// Whether some stage of the partition reads or writes the variable.
  bool uses(uint32_t variable) const { return variableBuffers.count(variable); }
  /// Whether the device has the only value of the variable.
  bool owns(uint32_t variable) const {
    return variables.isAssigned(variable) && variableBuffers.count(variable) &&
           !changed[variable];
  }
  /// Copies the value of a variable that it owns.
  Status readVariable(uint32_t variable, std::span<std::byte> bytes);
  /// Where the host may read such a value while no work changes it; null: only
  /// streams can.
  const std::byte *valueInPlace(uint32_t variable) const {
    return owned->readableInPlace(*variableBuffers.at(variable));
  }
  /// Puts into a stream of the device that such a value is copied.
  void putRead(Stream &stream, uint32_t variable, std::span<std::byte> bytes);
  /// Puts into the stream that the values of these variables, of
  /// assignedPerMicrobatch(), are copied as they are when a step begins.
  void saveRollback(std::span<const uint32_t> variables);
  /// Gives them the values that were copied last.
  Status rollBack();
  /// Where prepared values are.
  const std::map<uint32_t, std::unique_ptr<Buffer>> &prepared() const {
    return preparedBuffers;
  }
  /// Makes prepared values that are stale, or takes them from another Session.
  Status prepare();
  /// What its device has counted of its kernels.
  void addWork(std::vector<KernelWork> &list) const;
  /// Waits until the stream has done what was put into it; its error.
  Status waitForWork();

private:
  friend class PartitionLoader;
  DevicePartition(VariableStore &variables, uint32_t index,
                  std::unique_ptr<Device> device);
  Status refreshVariable(uint32_t variable, Buffer &buffer);

  /// A stage and the values that it prepares.
  struct PrepareStage {
    uint32_t stage;
    bool stale = true;
    std::vector<uint32_t> variables; // That it reads.
    std::vector<uint32_t> makers;    // Prepare stages whose values it reads.
    // Its values may be shared: it reads no variable that a stage assigns, nor
    // any value that is not to be shared, and the device shares.
    bool isShareable = false;
    std::vector<uint32_t> outputs; // Numbers of its values.
    // Where they are, if it is shareable; else in their buffers.
    std::shared_ptr<const SharedParts::Values> values;
    bool isShared = false; // With other Sessions.
  };
  bool isStale(const PrepareStage &prepare,
               std::span<PrepareStage *const> remade) const;
  bool readsFirstValues(const PrepareStage &prepare) const;
  Status remake(PrepareStage &prepare);
  StatusOr<std::shared_ptr<const SharedParts::Values>>
  makeValues(const PrepareStage &prepare);
  void pointAt(const PrepareStage &prepare, const SharedParts::Values &values);
  void runPrepare(const PrepareStage &prepare);

  VariableStore &variables; // Borrowed from the Session.
  const Program &program;
  uint32_t index;
  std::unique_ptr<Device> owned;
  std::map<uint32_t, std::unique_ptr<DeviceKernel>> kernels;
  std::map<uint32_t, std::unique_ptr<Buffer>> variableBuffers, preparedBuffers;
  std::map<uint32_t, std::unique_ptr<Buffer>> rollbackBuffers; // By variable.
  std::span<const uint32_t> rollback; // The variables copied last.
  std::unique_ptr<Buffer> arena, constants, workspace; // Null when not used.
  std::vector<std::unique_ptr<StageCode>> codes; // By stage; null: elsewhere.
  std::vector<PrepareStage> prepareStages; // In an order that respects makers.
  std::vector<bool> changed;               // By variable.
  uint64_t imported = 0;
  std::unique_ptr<Event> settled;
  std::unique_ptr<Stream> work; // Ends before what its work uses.
};

} // namespace smp

#endif // SMP_EXEC_DEVICEPARTITION_H
