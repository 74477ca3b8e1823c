// SPDX-License-Identifier: Apache-2.0
#include "BundleNaming.h"
#include "Sources.h"
#include <cstring>
#include <set>

namespace smp {

namespace {

class BundleSource : public StoredTensors {
public:
  BundleSource(TensorBundle opened, const BundleNaming &naming,
               BundleNames names)
      : bundle(std::move(opened)) {
    for (const BundleTensor &tensor : bundle.tensors())
      if (tensor.key != kObjectGraphKey)
        entries.push_back({naming.nameOf(tensor.key, names), tensor.key,
                           nameOfTensorFlowType(tensor.type), tensor.shape,
                           tensor.bytes});
  }

  StatusOr<std::optional<TensorType>> typeOf(size_t index) override {
    const BundleTensor &tensor = tensorOf(index);
    if (isText(tensor)) {
      SMP_RETURN_IF_ERROR(readText(index));
      return std::optional(TensorType{DType::U8, {int64_t(text.size())}});
    }
    const std::optional<DType> dtype = fromTensorFlow(tensor.type);
    if (!dtype)
      return std::optional<TensorType>();
    return std::optional(TensorType{*dtype, tensor.shape});
  }

  Status read(size_t index, const TensorSlice &box,
              std::span<std::byte> bytes) override {
    const BundleTensor &tensor = tensorOf(index);
    if (isText(tensor)) {
      SMP_RETURN_IF_ERROR(readText(index));
      std::memcpy(bytes.data(), text.data() + box.offset.front(), bytes.size());
      return Status();
    }
    if (!checked.contains(index))
      SMP_RETURN_IF_ERROR(bundle.check(tensor));
    checked.insert(index);
    bundle.copy(tensor, box, bytes);
    return Status();
  }

  StatusOr<std::vector<std::string>> readTexts(size_t index) override {
    return bundle.readTexts(tensorOf(index));
  }
  StatusOr<std::span<const std::byte>> readBits(size_t index) override {
    return bundle.readBits(tensorOf(index));
  }

private:
  const BundleTensor &tensorOf(size_t index) const {
    return *bundle.find(entries[index].key);
  }
  static bool isText(const BundleTensor &tensor) {
    return tensor.type == kTensorFlowString && tensor.shape.empty();
  }
  Status readText(size_t index) {
    if (textOf == index)
      return Status();
    SMP_ASSIGN_OR_RETURN(auto texts, bundle.readTexts(tensorOf(index)));
    text = std::move(texts.front());
    textOf = index;
    return Status();
  }

  TensorBundle bundle;
  std::set<size_t> checked;
  std::string text; // The last that was read.
  std::optional<size_t> textOf;
};

} // namespace

StatusOr<std::unique_ptr<StoredTensors>> openBundle(const std::string &prefix,
                                                    BundleNames names) {
  SMP_ASSIGN_OR_RETURN(TensorBundle bundle, TensorBundle::open(prefix));
  SMP_ASSIGN_OR_RETURN(const BundleNaming naming,
                       BundleNaming::read(bundle, prefix));
  return std::unique_ptr<StoredTensors>(
      std::make_unique<BundleSource>(std::move(bundle), naming, names));
}

} // namespace smp
