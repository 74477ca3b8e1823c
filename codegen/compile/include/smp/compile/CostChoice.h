// SPDX-License-Identifier: Apache-2.0
// Which costs a compilation counts with. No MLIR in this header.

#ifndef SMP_COMPILE_COSTCHOICE_H
#define SMP_COMPILE_COSTCHOICE_H

#include "smp/base/Status.h"
#include "smp/model/Costs.h"
#include <string>

namespace smp::compile {

/// Costs, and of which of their devices.
struct CostChoice {
  Costs costs;
  std::string source; ///< For messages: the file's name.
  /// Empty: those of the only kind that the program runs on.
  std::string kind = {};
  uint32_t cores = 0; ///< 0: as many as the only ones of the kind have.
};

/// Reads a file of costs, or takes those that ship of a kind of device:
/// "x86-64-v4", measured on one core each of one machine. `of` says which of
/// its devices: "x86-64-v4", "x86-64-v4:2" with 2 cores; empty: the only ones
/// that fit.
StatusOr<CostChoice> readCostChoice(const std::string &path,
                                    const std::string &of);

} // namespace smp::compile

#endif // SMP_COMPILE_COSTCHOICE_H
