// SPDX-License-Identifier: Apache-2.0
// smp-checkpoint: what is in checkpoints, and their other formats and files.
#include "Options.h"
#include "Report.h"
#include "Reshard.h"
#include "smp/tools/Output.h"
#include <csignal>
#include <cstdio>

using namespace smp;

static Status list(const Options &options) {
  const std::string &folder = options.paths.front();
  SMP_ASSIGN_OR_RETURN(const CheckpointList list, listCheckpoints(folder));
  return printOutput(reportList(folder, list, options.format()));
}

static Status show(const Options &options) {
  const std::string &prefix = options.paths.front();
  SMP_ASSIGN_OR_RETURN(const CheckpointContents contents, readContents(prefix));
  return printOutput(reportContents(prefix, contents, options.format()));
}

static Status verify(const Options &options, Watch &watch) {
  std::vector<Verdict> verdicts;
  size_t bad = 0;
  for (const std::string &prefix : options.paths) {
    Status status = verifyCheckpoint(prefix, watch);
    if (status.code() == StatusCode::Cancelled)
      return status;
    bad += !status.ok();
    verdicts.push_back({prefix, std::move(status)});
  }
  SMP_RETURN_IF_ERROR(printOutput(reportVerdicts(verdicts, options.format())));
  if (bad == 0)
    return Status();
  return dataLoss(std::to_string(bad) + " of " +
                  std::to_string(verdicts.size()) + " checkpoints are bad");
}

/// Sets `areEqual` when it is known.
static Status diff(const Options &options, Watch &watch, bool &areEqual) {
  const std::string &one = options.paths[0], &other = options.paths[1];
  SMP_ASSIGN_OR_RETURN(const CheckpointDifference difference,
                       diffCheckpoints(one, other, watch));
  SMP_RETURN_IF_ERROR(
      printOutput(reportDifference(one, other, difference, options.format())));
  areEqual = difference.differences.empty();
  return Status();
}

static Status convert(const Options &options, Watch &watch) {
  SMP_ASSIGN_OR_RETURN(const WrittenCheckpoint written,
                       convertCheckpoint(options.convert, watch));
  return printOutput(reportWritten(written, options.format()));
}

static Status reshard(const Options &options, Watch &watch) {
  std::unique_ptr<ShardingCallback> sharding =
      std::make_unique<ShardByTaskPolicy>();
  if (options.maxShardBytes)
    sharding = std::make_unique<MaxShardSizePolicy>(*options.maxShardBytes);
  SMP_ASSIGN_OR_RETURN(
      const WrittenCheckpoint written,
      reshardCheckpoint(options.paths[0], options.paths[1], *sharding, watch));
  return printOutput(reportWritten(written, options.format()));
}

static void warn(LogLevel, std::string_view line) {
  std::fprintf(stderr, "smp-checkpoint: %.*s\n", int(line.size()), line.data());
}

static Status prune(const Options &options) {
  CheckpointManagerOptions how = options.prune;
  how.log = warn;
  SMP_ASSIGN_OR_RETURN(const PrunedFolder pruned,
                       pruneFolder(how, options.isDryRun));
  return printOutput(
      reportPruned(how.directory, pruned, options.isDryRun, options.format()));
}

static Status run(const Options &options, bool &areEqual) {
  const Interrupts interrupts;
  std::optional<Progress> progress;
  if (!options.isQuiet)
    progress.emplace();
  Watch watch(progress ? &*progress : nullptr);
  switch (options.command) {
  case Command::List:
    return list(options);
  case Command::Show:
    return show(options);
  case Command::Verify:
    return verify(options, watch);
  case Command::Diff:
    return diff(options, watch, areEqual);
  case Command::Convert:
    return convert(options, watch);
  case Command::Reshard:
    return reshard(options, watch);
  case Command::Prune:
    return prune(options);
  }
  return Status();
}

int main(int argc, char **argv) {
  Options options;
  const int failed = options.parse(argc, argv);
  if (failed >= 0)
    return failed;
  bool areEqual = true;
  const Status status = run(options, areEqual);
  if (status.ok())
    return areEqual ? 0 : 1;
  std::fprintf(stderr, "smp-checkpoint: %s\n", status.message().c_str());
  if (status.code() == StatusCode::Cancelled)
    std::raise(Interrupts::received()); // Ends it as the signal would have.
  return options.exitCodeOfErrors();
}
