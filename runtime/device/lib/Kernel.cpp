// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Kernel.h"

namespace smp {

Status faultStatus(const LaunchInfo &info, const smp_kernel_fault &fault) {
  const bool named = fault.op >= 0 && size_t(fault.op) < info.ops.size();
  const std::string op = named ? "op '" + info.ops[size_t(fault.op)] + "'"
                               : "kernel '" + info.kernel + "'";
  if (fault.code != 1)
    return internalError(op + ": kernel '" + info.kernel +
                         "' stopped with unknown code " +
                         std::to_string(fault.code));
  return invalidArgument(op + ": index " + std::to_string(fault.index) +
                         " is out of range: it must be in 0.." +
                         std::to_string(fault.bound - 1));
}

} // namespace smp
