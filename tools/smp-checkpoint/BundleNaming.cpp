// SPDX-License-Identifier: Apache-2.0
#include "BundleNaming.h"
#include "smp/base/Quote.h"

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

} // namespace smp
