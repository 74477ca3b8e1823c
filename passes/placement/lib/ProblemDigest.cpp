// SPDX-License-Identifier: Apache-2.0
#include "ProblemDigest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <type_traits>

namespace smp::passes {
namespace {

/// The bytes of what is added, each list and text behind its length.
class Bytes {
public:
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) {
    text.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void add(const std::string &value) {
    add(value.size());
    text += value;
  }
  template <typename T>
  void add(const std::vector<T> &list) {
    add(list.size());
    for (const T &value : list)
      add(value);
  }
  void add(const TransferCost &cost) {
    add(cost.senderSeconds);
    add(cost.receiverSeconds);
    add(cost.latencySeconds);
  }
  void add(const PartitionItem &item) {
    add(item.seconds);
    add(item.residentBytes);
    add(item.workBytes);
    add(item.stashBytes);
    add(item.secondsOfKind);
    add(item.allowed);
    add(item.isBackward);
  }
  void add(const PartitionProblem::Tensor &tensor) {
    add(tensor.producer);
    add(tensor.consumers);
    add(tensor.seconds);
    add(tensor.bytes);
    add(tensor.costOfLink);
  }
  void add(const PartitionProblem::Pin &pin) {
    add(pin.item);
    add(pin.partition);
  }
  void add(const PartitionProblem::Tie &tie) {
    add(tie.a);
    add(tie.b);
  }

  uint64_t digest() const { return llvm::xxh3_64bits(text); }

private:
  std::string text;
};

} // namespace

std::string digestOf(const ModuleProblem &question,
                     const PlacementRequest &request) {
  const PartitionProblem &problem = question.problem;
  Bytes bytes;
  for (llvm::ArrayRef<mlir::Operation *> ops : question.ops) {
    bytes.add(ops.size());
    for (mlir::Operation *op : ops) {
      bytes.add(describe(op));
      bytes.add(op->getName().getStringRef().str());
    }
  }
  bytes.add(problem.getNumPartitions());
  bytes.add(problem.getItems());
  bytes.add(problem.getTensors());
  bytes.add(problem.getPins());
  bytes.add(problem.getTies());
  bytes.add(request.mode);
  bytes.add(request.defaultPartition);
  bytes.add(request.memoryLimit);
  bytes.add(request.memoryWeight);
  bytes.add(request.contiguous);
  bytes.add(request.pipeline.kind);
  bytes.add(request.pipeline.active ? request.pipeline.active
                                    : usualActive(request.pipeline.kind,
                                                  problem.getNumPartitions()));
  return llvm::utohexstr(bytes.digest(), /*LowerCase=*/true, /*Width=*/16);
}

} // namespace smp::passes
