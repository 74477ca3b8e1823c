// SPDX-License-Identifier: Apache-2.0
// What was deleted of a folder, and why the rest was not.
#include "Report.h"
#include "ReportJson.h"
#include "smp/tools/TextTable.h"
#include <algorithm>

namespace smp {

static std::string toTable(const std::string &folder,
                           const PrunedFolder &pruned, bool isDryRun) {
  const char *deleted = isDryRun ? "would be deleted" : "deleted";
  const auto nameOf = [&](const std::string &path) {
    return path.substr(folder.size() + 1);
  };
  TextTable table({"name", "", ""});
  for (const auto &[path, isDeleted, reason] : pruned.checkpoints)
    table.add({nameOf(path), isDeleted ? deleted : "stays", reason});
  for (const std::string &path : pruned.leftovers)
    table.add({nameOf(path), deleted, "what was killed left it"});
  const auto count =
      std::ranges::count_if(pruned.checkpoints, &PlannedDeletion::isDeleted);
  return table.format("") + std::to_string(count) + " of " +
         std::to_string(pruned.checkpoints.size()) + " checkpoints " +
         (isDryRun ? "would be deleted; nothing was changed\n" : "deleted\n");
}

std::string reportPruned(const std::string &folder, const PrunedFolder &pruned,
                         bool isDryRun, ReportFormat format) {
  if (format == ReportFormat::Text)
    return toTable(folder, pruned, isDryRun);
  Json checkpoints = Json::array();
  for (const auto &[path, isDeleted, reason] : pruned.checkpoints)
    checkpoints.push_back(
        {{"path", path}, {"deleted", isDeleted}, {"reason", reason}});
  return toText({{"folder", folder},
                 {"dryRun", isDryRun},
                 {"checkpoints", std::move(checkpoints)},
                 {"leftovers", pruned.leftovers}});
}

} // namespace smp
