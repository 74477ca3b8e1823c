// SPDX-License-Identifier: Apache-2.0
#include "Diff.h"
#include "Blocks.h"
#include "DiffValues.h"
#include "StoredTensors.h"
#include "smp/base/Quote.h"
#include <map>
#include <set>

namespace smp {

namespace {

/// A checkpoint, and where its tensors are by name.
struct Side {
  std::string prefix;
  std::unique_ptr<StoredTensors> source;
  std::map<std::string, size_t> byName;

  Status open() {
    SMP_ASSIGN_OR_RETURN(source, StoredTensors::open(prefix));
    for (size_t i = 0; i < source->tensors().size(); ++i) {
      const TensorEntry &tensor = source->tensors()[i];
      const auto [other, isNew] = byName.emplace(tensor.name, i);
      if (!isNew)
        return invalidArgument(prefix + ": the tensors " +
                               quote(source->tensors()[other->second].key) +
                               " and " + quote(tensor.key) +
                               " are both called " + quote(tensor.name));
    }
    return Status();
  }

  /// Nothing when there is none of the name.
  std::optional<size_t> find(const std::string &name) const {
    const auto found = byName.find(name);
    return found == byName.end() ? std::nullopt : std::optional(found->second);
  }
  const TensorEntry &entryOf(size_t tensor) const {
    return source->tensors()[tensor];
  }
  /// "f32[2x3]", "complex64[3]".
  StatusOr<std::string> typeText(size_t tensor) const {
    SMP_ASSIGN_OR_RETURN(const auto type, source->typeOf(tensor));
    if (type)
      return toString(*type);
    const auto &[name, key, dtype, shape, bytes] = entryOf(tensor);
    return dtype + "[" + (shape.empty() ? std::string() : toString(shape)) +
           "]";
  }
};

class Differing {
public:
  Differing(const std::string &one, const std::string &other, Watch &watch)
      : one{one, {}, {}}, other{other, {}, {}}, watch(watch) {}

  StatusOr<CheckpointDifference> run() {
    SMP_RETURN_IF_ERROR(one.open());
    SMP_RETURN_IF_ERROR(other.open());
    std::set<std::string> names;
    uint64_t bytes = 0;
    for (const Side *side : {&one, &other})
      for (const auto &[name, tensor] : side->byName)
        if (!names.insert(name).second)
          bytes += side->entryOf(tensor).bytes;
    watch.begin(bytes);
    CheckpointDifference result{names.size(), {}};
    for (const std::string &name : names) {
      SMP_ASSIGN_OR_RETURN(auto difference, diff(name));
      if (difference)
        result.differences.push_back(std::move(*difference));
    }
    return result;
  }

private:
  StatusOr<std::optional<TensorDifference>> diff(const std::string &name) {
    const auto first = one.find(name), second = other.find(name);
    TensorDifference difference{name, {}, {}, {}};
    if (first) {
      SMP_ASSIGN_OR_RETURN(difference.one, one.typeText(*first));
    }
    if (second) {
      SMP_ASSIGN_OR_RETURN(difference.other, other.typeText(*second));
    }
    if (difference.one != difference.other)
      return std::optional(std::move(difference));
    SMP_ASSIGN_OR_RETURN(difference.values, diffValues(*first, *second));
    if (difference.values->differing == 0)
      return std::optional<TensorDifference>();
    return std::optional(std::move(difference));
  }

  /// Both are of one type.
  StatusOr<ValueDifference> diffValues(size_t first, size_t second) {
    SMP_ASSIGN_OR_RETURN(const auto type, one.source->typeOf(first));
    if (type)
      return diffNumbers(*type, first, second);
    const auto &[name, key, dtype, shape, bytes] = one.entryOf(first);
    if (dtype == "string") {
      SMP_ASSIGN_OR_RETURN(const auto texts, one.source->readTexts(first));
      SMP_ASSIGN_OR_RETURN(const auto others, other.source->readTexts(second));
      return diffTexts(shape, texts, others);
    }
    SMP_ASSIGN_OR_RETURN(const auto bits, one.source->readBits(first));
    SMP_ASSIGN_OR_RETURN(const auto others, other.source->readBits(second));
    if (bits.size() != others.size())
      return dataLoss(quote(name) + " has " + std::to_string(bits.size()) +
                      " bytes in the one and " + std::to_string(others.size()) +
                      " in the other");
    return diffBits(shape, bits, others);
  }

  StatusOr<ValueDifference> diffNumbers(const TensorType &type, size_t first,
                                        size_t second) {
    const size_t elementBytes = sizeOf(type.dtype);
    ValueDifference difference;
    SMP_RETURN_IF_ERROR(forEachBlock(
        wholeOf(type.shape), elementBytes, [&](const TensorSlice &block) {
          const auto size = size_t(numElements(block.extent)) * elementBytes;
          ours.resize(size);
          theirs.resize(size);
          SMP_RETURN_IF_ERROR(one.source->read(first, block, ours));
          SMP_RETURN_IF_ERROR(other.source->read(second, block, theirs));
          addBox(difference, type.dtype, block, ours, theirs);
          return watch.advance(size, one.entryOf(first).name);
        }));
    return difference;
  }

  Side one, other;
  Watch &watch;
  std::vector<std::byte> ours, theirs; // Of a block.
};

} // namespace

StatusOr<CheckpointDifference> diffCheckpoints(const std::string &one,
                                               const std::string &other,
                                               Watch &watch) {
  return Differing(one, other, watch).run();
}

} // namespace smp
