// SPDX-License-Identifier: Apache-2.0
// How the tensors of a checkpoint are divided into files. Since 0.1.
//
//   smp::CheckpointManager manager(
//       checkpoint,
//       {.sharding = std::make_shared<smp::MaxShardSizePolicy>(1 << 30)});

#ifndef SMP_CHECKPOINT_SHARDING_H
#define SMP_CHECKPOINT_SHARDING_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include "smp/model/Slices.h"
#include <map>
#include <memory>

namespace smp {

/// A part of a tensor that goes into a shard. `bytes` are its value, row-major
/// with `strides` in bytes per dimension, and borrowed.
struct SMP_API ShardTensor {
  DType dtype = DType::F32;
  Shape shape;       ///< Of this part.
  TensorSlice slice; ///< Where it is in the tensor.
  std::string task;  ///< "/job:smp/replica:0/task:0"
  const std::byte *bytes = nullptr;
  Shape strides;
};

/// What a policy is asked to divide: a tensor that is to be saved, or the slice
/// of it that this task has.
struct SMP_API ShardableTensor {
  std::string saveSpec; ///< The name in a file: "w" for "model/w".
  ShardTensor tensor;
  DType dtype = DType::F32;
  std::string device;    ///< The task, and ":partition:<n>" where it has one.
  std::string name;      ///< The variable's: "w".
  Shape shape;           ///< Of the tensor; tensor.shape of what is here of it.
  std::string sliceSpec; ///< toString(tensor.slice), or empty: all of it.
  std::string checkpointKey; ///< "model/w"
  std::string trackable;     ///< The root: "model".

  /// Of name, dtype, device and key.
  size_t hash() const;
  /// All nine, for a person.
  std::string toString() const;
  /// The part of it that the slice is; all that `slice` names is here.
  ShardTensor part(const TensorSlice &slice) const;
  int64_t bytes() const;
};

/// By key and by slice: toString(slice), or empty for all of a tensor.
using Shard = std::map<std::string, std::map<std::string, ShardTensor>>;

/// Divides the tensors that one task has.
class SMP_API ShardingCallback {
public:
  virtual ~ShardingCallback() = default;
  virtual std::string description() const = 0;
  /// What it was made with, by name: for its hash and for messages.
  virtual std::map<std::string, std::string> arguments() const { return {}; }
  /// Whether it looks at `bytes` of tensors: then it is called when all have
  /// been read from the devices, and not while they are.
  virtual bool readsBytes() const { return true; }
  /// Called once per save and task. Every element is to be in one shard; the
  /// order of the shards is that of the files.
  virtual StatusOr<std::vector<Shard>>
  operator()(const std::vector<ShardableTensor> &tensors) const = 0;

  size_t hash() const;
};

/// One shard per task: the default.
class SMP_API ShardByTaskPolicy : public ShardingCallback {
public:
  std::string description() const override;
  bool readsBytes() const override { return false; }
  StatusOr<std::vector<Shard>>
  operator()(const std::vector<ShardableTensor> &tensors) const override;
};

/// One shard per partition of a task; what is of none goes with the first.
class SMP_API ShardByPartitionPolicy : public ShardingCallback {
public:
  std::string description() const override;
  bool readsBytes() const override { return false; }
  StatusOr<std::vector<Shard>>
  operator()(const std::vector<ShardableTensor> &tensors) const override;
};

/// Shards of at most so many bytes of tensors, which are cut along the axis
/// that needs fewest cuts; a scalar that is larger has a shard of its own,
/// after all others.
class SMP_API MaxShardSizePolicy : public ShardingCallback {
public:
  explicit MaxShardSizePolicy(int64_t maxShardBytes) : most(maxShardBytes) {}
  std::string description() const override;
  bool readsBytes() const override { return false; }
  std::map<std::string, std::string> arguments() const override;
  /// InvalidArgument: an element is larger than a shard.
  StatusOr<std::vector<Shard>>
  operator()(const std::vector<ShardableTensor> &tensors) const override;

private:
  const int64_t most;
};

/// That the shards are the tensors of one task, each element once and as it
/// was. The error lists all that is not so; InvalidArgument.
SMP_API Status validateShards(const ShardingCallback &callback,
                              const std::vector<ShardableTensor> &tensors,
                              const std::vector<Shard> &shards);

} // namespace smp

#endif // SMP_CHECKPOINT_SHARDING_H
