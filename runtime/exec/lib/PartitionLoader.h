// SPDX-License-Identifier: Apache-2.0
// Makes a Partition.

#ifndef SMP_EXEC_PARTITIONLOADER_H
#define SMP_EXEC_PARTITIONLOADER_H

#include "Partition.h"

namespace smp {

class PartitionLoader {
public:
  explicit PartitionLoader(Partition &partition)
      : partition(partition), program(partition.program),
        device(*partition.owned) {}

  Status load();

private:
  Status loadStage(uint32_t stage);
  Status loadKernel(uint32_t kernel);
  StatusOr<std::shared_ptr<Image>> loadImage(uint32_t image);
  Status takeMemory(const Stage &stage);
  Status takePrepared(uint32_t stage);
  Status takeBuffer(const BufferRef &ref);
  Status takeKept(uint32_t variable);
  void addLaunch(const Stage &stage, const Launch &launch, StageCode &code);
  void addPrepareStage(uint32_t stage);

  Partition &partition;
  const Program &program;
  Device &device;
  std::map<uint32_t, std::shared_ptr<Image>> images;
};

} // namespace smp

#endif // SMP_EXEC_PARTITIONLOADER_H
