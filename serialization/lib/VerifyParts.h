// SPDX-License-Identifier: Apache-2.0
// The parts of verifyProgram, in the order in which they run: each may rely on
// what those before it have proved.

#ifndef SMP_SERIALIZATION_LIB_VERIFYPARTS_H
#define SMP_SERIALIZATION_LIB_VERIFYPARTS_H

#include "Where.h"
#include "smp/serialization/Program.h"
#include <set>

namespace smp {

/// Collects the variables' names.
Status verifyVariables(const Program &program,
                       std::set<std::string_view> &names);
/// Images are what they are said to be, as far as that can be seen.
Status verifyImages(const Program &program);
Status verifyKernels(const Program &program);
/// Types, units and partitions of all stages.
Status verifyStages(const Program &program);
/// Each output of a prepare stage is one prepared value.
Status verifyPrepared(const Program &program);
/// Kernels and buffers of all stages.
Status verifyLaunches(const Program &program);
/// Signature, stages and edges, then the schedule.
Status verifyEntry(const Program &program, const Entry &entry,
                   const Where &where);
Status verifySchedule(const Program &program, const Entry &entry,
                      const Where &where);
/// Of a verified entry with a twin's description: that it may be played in
/// place of the other, which comes before it.
Status verifyTwin(const Program &program, const Entry &entry,
                  const Where &where);
/// `variables` are the names of the program's.
Status verifyGraph(const Program &program, const Entry &entry,
                   const std::set<std::string_view> &variables,
                   const Where &where);

/// Ok when the type's dtype is known and its bytes are at most kMaxBytes.
Status verifyType(const TensorType &type, const Where &where);

/// Adds the bytes of a thing, at most kMaxBytes, to those of the things before
/// it; ok when the sum is at most kMaxBytes too.
Status verifySum(uint64_t &sum, uint64_t bytes, const Where &where);

/// Ok when the name is not empty and new; remembers it.
Status verifyNewName(const std::string &name, std::set<std::string_view> &names,
                     const Where &where);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_VERIFYPARTS_H
