// SPDX-License-Identifier: Apache-2.0
// What smp-inspect says of a program, as text and as JSON.

#ifndef SMP_TOOLS_INSPECT_H
#define SMP_TOOLS_INSPECT_H

#include "smp/serialization/ProgramFile.h"

namespace smp {

/// What is said of the file beside what the program itself knows.
struct FileState {
  bool hasWeights = false;          ///< Their bytes were found, and checked.
  std::vector<FilePart> parts = {}; ///< See LoadedProgram::parts().
};

/// For people at a terminal.
std::string inspectText(const Program &program, const FileState &file);

/// The part of it that says what each partition takes; `limit`: how many bytes
/// it may take, 0: as many as it wants.
std::string inspectMemory(const Program &program, uint64_t limit);

/// One JSON object; keys are only ever added.
std::string inspectJson(const Program &program, const FileState &file);

/// The schedules of the program's entries as a table that smp-compile takes
/// (smp/model/ScheduleTable.h). An error when no entry has one.
StatusOr<std::string> inspectSchedule(const Program &program);

/// The PTX of the program's kernels, each with the ops that launches of it are
/// for. An error names the program's targets when none is in PTX.
StatusOr<std::string> inspectPtx(const Program &program);

} // namespace smp

#endif // SMP_TOOLS_INSPECT_H
