// SPDX-License-Identifier: Apache-2.0
#include "BundleNaming.h"
#include "smp/base/Quote.h"
#include <map>

namespace smp {

StatusOr<BundleNaming> BundleNaming::read(const TensorBundle &bundle,
                                          const std::string &prefix) {
  BundleNaming naming;
  const BundleTensor *graph = bundle.find(kObjectGraphKey);
  if (!graph)
    return naming;
  const std::string where = prefix + ": " + std::string(kObjectGraphKey);
  SMP_ASSIGN_OR_RETURN(const auto texts, bundle.readTexts(*graph));
  if (texts.size() != 1)
    return dataLoss(where + " has " + std::to_string(texts.size()) +
                    " texts, not 1");
  SMP_ASSIGN_OR_RETURN(naming.objects,
                       readObjectGraph(texts.front()).in(where));
  return naming;
}

std::string BundleNaming::nameOf(const std::string &key,
                                 BundleNames names) const {
  const auto object = objects.find(key);
  if (object == objects.end())
    return key;
  if (names == BundleNames::FullNames && !object->second.fullName.empty())
    return object->second.fullName;
  return object->second.path;
}

namespace {

class BundleReading {
public:
  BundleReading(const std::string &prefix, BundleNames names, Renames &renames)
      : prefix(prefix), names(names), renames(renames) {}

  StatusOr<NamedTensors> read() {
    SMP_ASSIGN_OR_RETURN(TensorBundle opened, TensorBundle::open(prefix));
    const auto shared = std::make_shared<TensorBundle>(std::move(opened));
    result.owners.push_back(shared);
    SMP_ASSIGN_OR_RETURN(naming, BundleNaming::read(*shared, prefix));
    for (const BundleTensor &tensor : shared->tensors())
      if (tensor.key != kObjectGraphKey)
        SMP_RETURN_IF_ERROR(add(*shared, tensor));
    return std::move(result);
  }

private:
  Status add(const TensorBundle &bundle, const BundleTensor &tensor) {
    const std::string before = naming.nameOf(tensor.key, names);
    const std::optional<std::string> name = renames.apply(before);
    if (!name)
      return Status();
    const auto [other, isNew] = keys.emplace(*name, tensor.key);
    if (!isNew)
      return invalidArgument(prefix + ": the tensors " + quote(other->second) +
                             " and " + quote(tensor.key) +
                             " would both be called " + quote(*name) +
                             "; rename one with --rename");
    if (tensor.type == kTensorFlowString && tensor.shape.empty())
      return addText(bundle, tensor, *name);
    if (!fromTensorFlow(tensor.type))
      return invalidArgument(
          prefix + ": " + quote(*name) + " is " +
          nameOfTensorFlowType(tensor.type) + " of shape " +
          toString(tensor.shape) +
          ", which a checkpoint of smp cannot have; leave it out with --rename "
          "and {\"" +
          renames.nameInFile(before) + "\": null}");
    SMP_ASSIGN_OR_RETURN(BundleBytes read, bundle.read(tensor));
    result.tensors.push_back(
        {*name, {*fromTensorFlow(tensor.type), tensor.shape}, read.bytes});
    if (read.joined)
      result.owners.push_back(
          std::shared_ptr<std::byte[]>(std::move(read.joined)));
    return Status();
  }

  Status addText(const TensorBundle &bundle, const BundleTensor &tensor,
                 const std::string &name) {
    SMP_ASSIGN_OR_RETURN(auto texts, bundle.readTexts(tensor));
    const auto text = std::make_shared<std::string>(std::move(texts.front()));
    result.tensors.push_back({name,
                              {DType::U8, {int64_t(text->size())}},
                              std::as_bytes(std::span(*text))});
    result.owners.push_back(text);
    return Status();
  }

  const std::string &prefix;
  const BundleNames names;
  Renames &renames;
  BundleNaming naming;
  std::map<std::string, std::string> keys; // By name.
  NamedTensors result;
};

} // namespace

StatusOr<NamedTensors> readBundle(const std::string &prefix, BundleNames names,
                                  Renames &renames) {
  return BundleReading(prefix, names, renames).read();
}

} // namespace smp
