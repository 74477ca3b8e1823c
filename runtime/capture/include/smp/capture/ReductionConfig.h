// SPDX-License-Identifier: Apache-2.0
// What is saved of a tensor in its place, or beside it. Since 0.1.

#ifndef SMP_CAPTURE_REDUCTIONCONFIG_H
#define SMP_CAPTURE_REDUCTIONCONFIG_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include "smp/model/TensorReduction.h"
#include <string_view>
#include <vector>

namespace smp {

/// As ReductionWords::Configured names them: "min", "abs_l2_norm", "median",
/// "quantile_0.05".
SMP_API StatusOr<TensorReduction> parseReduction(std::string_view name);
SMP_API std::string toString(const TensorReduction &reduction);

struct ReductionConfig {
  std::vector<TensorReduction> reductions = {};
  /// Whether the tensor is saved too.
  bool saveRawTensor = false;
  /// Whether its shape is, where the tensor is not.
  bool saveShape = false;
  bool operator==(const ReductionConfig &) const = default;
};

} // namespace smp

#endif // SMP_CAPTURE_REDUCTIONCONFIG_H
