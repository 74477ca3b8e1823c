// SPDX-License-Identifier: Apache-2.0
#include "smp/model/ScheduleTable.h"
#include "smp/tools/Inspect.h"

namespace smp {

StatusOr<std::string> inspectSchedule(const Program &program) {
  ScheduleTable table;
  for (const Entry &entry : program.entries)
    if (entry.microbatches > 0)
      table.add(entry.name, pipelineShape(program, entry),
                {entry.microbatches, entry.actions});
  if (table.rows().empty())
    return invalidArgument(
        "no entry has a schedule: all run any number of microbatches, in an "
        "order that follows from it");
  return table.write();
}

} // namespace smp
