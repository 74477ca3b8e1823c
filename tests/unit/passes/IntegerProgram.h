// SPDX-License-Identifier: Apache-2.0
// A partition problem as a mixed integer program, for solvers that know nothing
// of placements.

#ifndef SMP_TESTS_UNIT_PASSES_INTEGERPROGRAM_H
#define SMP_TESTS_UNIT_PASSES_INTEGERPROGRAM_H

#include "smp/passes/planning/PartitionProblem.h"

namespace smp::passes {

/// In the LP format (as CPLEX has it): its least value is that of the problem,
/// whose objective is Throughput; it has no solution where the problem has no
/// answer. Contiguity that is only preferred is left out.
std::string writeIntegerProgram(const PartitionProblem &problem);

} // namespace smp::passes

#endif // SMP_TESTS_UNIT_PASSES_INTEGERPROGRAM_H
