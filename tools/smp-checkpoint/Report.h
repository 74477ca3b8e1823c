// SPDX-License-Identifier: Apache-2.0
// What is printed about checkpoints: tables, or JSON for other programs.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_REPORT_H
#define SMP_TOOLS_SMP_CHECKPOINT_REPORT_H

#include "Contents.h"
#include "Convert.h"
#include "Diff.h"
#include "smp/checkpoint/PruneFolder.h"

namespace smp {

enum class ReportFormat { Text, Json };

std::string reportContents(const std::string &prefix,
                           const CheckpointContents &contents,
                           ReportFormat format);
std::string reportList(const std::string &folder, const CheckpointList &list,
                       ReportFormat format);

/// A checkpoint, and whether it is what was written.
struct Verdict {
  std::string prefix;
  Status status;
};
std::string reportVerdicts(const std::vector<Verdict> &verdicts,
                           ReportFormat format);

std::string reportDifference(const std::string &one, const std::string &other,
                             const CheckpointDifference &difference,
                             ReportFormat format);

std::string reportWritten(const WrittenCheckpoint &written,
                          ReportFormat format);

std::string reportPruned(const std::string &folder, const PrunedFolder &pruned,
                         bool isDryRun, ReportFormat format);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_REPORT_H
