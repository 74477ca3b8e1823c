// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Reduce.h"
#include "TrialState.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include <algorithm>

namespace smp {

namespace {
using Kind = TensorReduction::Kind;

struct Operation {
  std::string_view name;
  Kind kind;
};
constexpr Operation kOperations[] = {
    {"min", Kind::Min},
    {"max", Kind::Max},
    {"mean", Kind::Mean},
    {"std", Kind::Std},
    {"variance", Kind::Variance},
    {"sum", Kind::Sum},
    {"prod", Kind::Prod},
    {"l1", Kind::L1},
    {"l2", Kind::L2},
};

const Operation *find(const StoredReduction &reduction) {
  const auto *found =
      std::ranges::find(kOperations, reduction.operation, &Operation::name);
  return found == std::end(kOperations) ? nullptr : found;
}
} // namespace

Status checkReduction(const StoredReduction &reduction) {
  if (find(reduction))
    return Status();
  return invalidArgument(
      "no reduction " + quote(reduction.text()) + "; there are " +
      join(kOperations, ", ",
           [](const Operation &one) { return std::string(one.name); }) +
      ", also with abs_ before");
}

StoredReduction StoredReduction::of(const TensorReduction &reduction) {
  const auto *found =
      std::ranges::find(kOperations, reduction.kind, &Operation::kind);
  return {std::string(found->name), reduction.ofAbsolute};
}

double reduce(const StoredReduction &reduction, const EventRecord &record) {
  return reduce(TensorReduction{find(reduction)->kind, reduction.isAbsolute},
                record.type.dtype, record.bytes);
}

} // namespace smp
