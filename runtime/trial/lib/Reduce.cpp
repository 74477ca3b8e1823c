// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Reduce.h"
#include "TrialState.h"
#include "smp/base/Quote.h"

namespace smp {

static std::optional<TensorReduction> find(const StoredReduction &reduction) {
  return parseReduction(reduction.text(), ReductionWords::Stored);
}

Status checkReduction(const StoredReduction &reduction) {
  if (find(reduction))
    return Status();
  return invalidArgument("no reduction " + quote(reduction.text()) +
                         "; there are " +
                         listReductions(ReductionWords::Stored));
}

double reduce(const StoredReduction &reduction, const EventRecord &record) {
  return reduce(*find(reduction), record.type.dtype, record.bytes);
}

} // namespace smp
