// SPDX-License-Identifier: Apache-2.0
// The kinds of changes that ModelMutator makes, and what they choose by.

#ifndef SMP_TESTS_SUPPORT_MUTATIONS_H
#define SMP_TESTS_SUPPORT_MUTATIONS_H

#include <cstdint>
#include <onnx/onnx_pb.h>
#include <random>
#include <span>
#include <vector>

namespace smp {

using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Makes choices. `mt19937` alone is used, so that they are the same
/// everywhere.
class Dice {
public:
  explicit Dice(std::mt19937 &random) : random(random) {}

  /// 0 to `bound` - 1.
  int below(int64_t bound) { return int(random() % uint64_t(bound)); }

  /// An item, or null where there is none.
  template <typename T>
  T *pick(google::protobuf::RepeatedPtrField<T> *items) {
    return items->empty() ? nullptr : items->Mutable(below(items->size()));
  }
  template <typename T>
  T *pick(std::vector<T *> items) {
    return items.empty() ? nullptr : items[size_t(below(items.size()))];
  }

  /// A number near `value`, or one that is often too large, small or negative.
  int64_t numberBeside(int64_t value);

private:
  std::mt19937 &random;
};

/// What a model holds, at every depth.
struct ModelView {
  explicit ModelView(onnx::ModelProto &model);

  onnx::ModelProto &model;
  std::vector<NodeList *> lists; ///< Of the graph, bodies and functions.
  std::vector<onnx::GraphProto *> graphs;
  std::vector<onnx::NodeProto *> nodes;
  std::vector<onnx::AttributeProto *> attributes;
  std::vector<onnx::TensorProto *> tensors;
  std::vector<onnx::ValueInfoProto *> infos;
  std::vector<std::string *> names; ///< Of values, where they are defined.

private:
  void add(NodeList &list);
  void add(onnx::GraphProto &graph);
};

/// Makes one change, where the model has what it changes.
using Mutation = void (*)(ModelView &, Dice &);

std::span<const Mutation> nodeMutations();
std::span<const Mutation> attributeMutations();
std::span<const Mutation> tensorMutations();
std::span<const Mutation> graphMutations();

} // namespace smp

#endif // SMP_TESTS_SUPPORT_MUTATIONS_H
