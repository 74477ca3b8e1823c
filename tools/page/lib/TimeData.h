// SPDX-License-Identifier: Apache-2.0
// When stages run, and what memory is for, as the page's script draws them.

#ifndef SMP_TOOLS_PAGE_TIMEDATA_H
#define SMP_TOOLS_PAGE_TIMEDATA_H

#include "smp/tools/Page.h"
#include <nlohmann/json.hpp>

namespace smp::page {

/// The entry's stages: {"name", "partition", "unit", "seconds", "arena"}.
nlohmann::json stagesData(const Program &program, const Entry &entry);

/// {"title", "seconds", "spans": [stage, microbatch, start, end]...} of the
/// expected step and, where there is one, of the measured one.
nlohmann::json timelinesData(const Program &program, const Entry &entry,
                             const MeasuredStep &measured);

/// By partition: {name: bytes}, in the order of the bars.
nlohmann::ordered_json memoryData(const Program &program);

} // namespace smp::page

#endif // SMP_TOOLS_PAGE_TIMEDATA_H
