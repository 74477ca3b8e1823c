// SPDX-License-Identifier: Apache-2.0
// Makes a DevicePartition.

#ifndef SMP_EXEC_PARTITIONLOADER_H
#define SMP_EXEC_PARTITIONLOADER_H

#include "DevicePartition.h"

namespace smp {

class PartitionLoader {
public:
  PartitionLoader(DevicePartition &partition, const PartitionLayout &layout)
      : partition(partition), program(partition.program),
        device(*partition.owned), layout(layout) {}

  Status load();

private:
  Status loadStage(uint32_t stage);
  Status loadKernel(uint32_t kernel);
  StatusOr<std::shared_ptr<Image>> loadImage(uint32_t image);
  void listPrepareStages();
  Status takeMemory();
  Status takeVariables();
  Status takeConstants();
  void addLaunch(const Stage &stage, const Launch &launch, StageCode &code);
  Status takePrepared();
  DevicePartition::PrepareStage describePrepareStage(uint32_t stage) const;
  bool isShareable(const DevicePartition::PrepareStage &prepare) const;

  DevicePartition &partition;
  const Program &program;
  Device &device;
  const PartitionLayout &layout;
  std::map<uint32_t, std::shared_ptr<Image>> images;
};

} // namespace smp

#endif // SMP_EXEC_PARTITIONLOADER_H
