// SPDX-License-Identifier: Apache-2.0
#include "Shards.h"
#include "smp/base/Lists.h"
#include <set>

namespace smp {

namespace {

/// Collects what is wrong.
class Validation {
public:
  Validation(const ShardingCallback &callback,
             const std::vector<ShardableTensor> &tensors)
      : description(callback.description()) {
    for (const ShardableTensor &tensor : tensors)
      originals[tensor.checkpointKey].push_back({&tensor, {}});
  }

  Status run(const std::vector<Shard> &shards) {
    for (const Shard &shard : shards) {
      first = nullptr;
      for (const auto &[key, slices] : shard)
        for (const auto &[spec, tensor] : slices)
          check(key, spec, tensor);
    }
    for (const auto &[key, list] : originals)
      for (const Original &original : list)
        checkCover(original);
    return problems.empty() ? Status() : invalidArgument(problems);
  }

private:
  struct Original {
    const ShardableTensor *tensor;
    std::vector<TensorSlice> found; ///< In the shards, from its begin on.
  };

  void report(const std::string &what, const std::string &key,
              const std::string &spec, const std::string &more = {}) {
    problems += (problems.empty() ? "" : "\n") +
                std::string("After executing the checkpoint sharding "
                            "callback, ") +
                what + ":\n  callback_description: " + description +
                "\n  checkpoint_key: " + key + "\n  slice_spec: " + spec + more;
  }
  static std::string change(const std::string &name, const std::string &before,
                            const std::string &after) {
    return "\n  original " + name + ": " + before + "\n  new " + name + ": " +
           after;
  }

  void check(const std::string &key, const std::string &spec,
             const ShardTensor &tensor) {
    if (!seen.insert({key, spec}).second)
      report("multiple tensors with the same checkpoint key and slice spec "
             "were found",
             key, spec);
    else
      compare(key, spec, tensor);
    if (!first) {
      first = &tensor;
      firstKey = key;
      firstSpec = spec;
    } else if (tensor.task != first->task && !tensor.task.empty() &&
               !first->task.empty()) {
      report("tensors with different tasks were found in the same shard", key,
             spec,
             block(1, firstKey, firstSpec, first->task) +
                 block(2, key, spec, tensor.task));
    }
  }
  static std::string block(int number, const std::string &key,
                           const std::string &spec, const std::string &task) {
    return "\n  tensor #" + std::to_string(number) +
           ":\n    checkpoint_key: " + key + "\n    slice_spec: " + spec +
           "\n    task: " + task;
  }

  void compare(const std::string &key, const std::string &spec,
               const ShardTensor &tensor) {
    const auto found = originals.find(key);
    if (found == originals.end())
      return report("a tensor not originally in the object graph was found in "
                    "the checkpoint shards",
                    key, spec);
    Original *original = findAround(found->second, tensor.slice);
    const ShardableTensor &before =
        *(original ? original->tensor : found->second.front().tensor);
    if (!original || tensor.shape != tensor.slice.extent ||
        spec != specOf(tensor.slice, before.shape)) {
      report("a tensor was found with an altered shape", key, spec,
             change("tensor_shape", "[" + join(before.tensor.shape, ",") + "]",
                    "[" + join(tensor.shape, ",") + "]"));
      original = nullptr;
    }
    if (tensor.dtype != before.dtype)
      report("a tensor was found with an altered dtype", key, spec,
             change("tensor_dtype", std::string(toString(before.dtype)),
                    std::string(toString(tensor.dtype))));
    if (tensor.task != before.tensor.task)
      report("a tensor was found with an altered task", key, spec,
             change("tensor_task", before.tensor.task, tensor.task));
    if (!original)
      return;
    TensorSlice inside = tensor.slice;
    for (size_t d = 0; d < inside.offset.size(); ++d)
      inside.offset[d] -= before.tensor.slice.offset[d];
    original->found.push_back(std::move(inside));
  }

  /// That has all of the slice; else null.
  static Original *findAround(std::vector<Original> &list,
                              const TensorSlice &slice) {
    for (Original &original : list) {
      const TensorSlice &all = original.tensor->tensor.slice;
      const size_t rank = all.offset.size();
      bool isInside =
          slice.offset.size() == rank && slice.extent.size() == rank;
      for (size_t d = 0; isInside && d < rank; ++d) {
        const int64_t before = slice.offset[d] - all.offset[d];
        isInside = before >= 0 && slice.extent[d] >= 0 &&
                   before <= all.extent[d] &&
                   slice.extent[d] <= all.extent[d] - before;
      }
      if (isInside)
        return &original;
    }
    return nullptr;
  }

  void checkCover(const Original &original) {
    const ShardableTensor &tensor = *original.tensor;
    const auto fault = findCoverFault(tensor.tensor.shape, original.found);
    if (!fault && !original.found.empty())
      return;
    const bool isTwice = fault && fault->times > 1;
    std::string where;
    if (fault && !original.found.empty()) {
      Shape element = fault->element;
      for (size_t d = 0; d < element.size(); ++d)
        element[d] += tensor.tensor.slice.offset[d];
      where = "\n  element: [" + join(element, ",") + "], " +
              std::to_string(fault->times) + " times";
    }
    report(isTwice ? "multiple tensors with the same checkpoint key and slice "
                     "spec were found"
                   : "tensors in the object graph were not found in the "
                     "checkpoint shards",
           tensor.checkpointKey, tensor.sliceSpec, where);
  }

  const std::string description;
  std::map<std::string, std::vector<Original>> originals;
  std::set<std::pair<std::string, std::string>> seen;
  const ShardTensor *first = nullptr; // Of the shard.
  std::string firstKey, firstSpec;
  std::string problems;
};

} // namespace

Status validateShards(const ShardingCallback &callback,
                      const std::vector<ShardableTensor> &tensors,
                      const std::vector<Shard> &shards) {
  return Validation(callback, tensors).run(shards);
}

} // namespace smp
