// SPDX-License-Identifier: Apache-2.0
#include "RestoreCheckpoint.h"
#include "LoadCheckpoint.h"
#include "smp/base/Lists.h"
#include "smp/serialization/CheckpointReader.h"
#include <sstream>

namespace smp {

using Names = std::vector<std::string>;
using Told = std::vector<StatusOr<std::string>>;

static bool isDamage(const Status &status) {
  return status.code() == StatusCode::DataLoss ||
         status.code() == StatusCode::Unavailable;
}

namespace {

/// One restore, as one rank does it.
class Restoring {
public:
  Restoring(const RestoreRequest &request, RankGroup &group)
      : request(request), folder(request.folder), group(group) {}

  StatusOr<RestoreReport> run(const Status &ready) {
    const std::string name = request.name.value_or(folder.latest());
    if (name.empty()) {
      const bool isOpen = ready.ok() && !request.name;
      const Status mine = isOpen ? folder.whyNone() : ready;
      SMP_ASSIGN_OR_RETURN(auto all, group.agree("restore", mine, kNone));
      SMP_RETURN_IF_ERROR(checkSame(all));
      return RestoreReport();
    }
    Status damage;
    SMP_RETURN_IF_ERROR(restore(name, ready, damage));
    if (damage.ok())
      return std::move(report);
    if (request.name)
      return damage;
    SMP_ASSIGN_OR_RETURN(const Names intact, findIntact());
    if (!request.options.fallBack || intact.empty())
      return dataLoss(damage.message() + advice(intact));
    request.log(LogLevel::Warning,
                damage.message() + "; '" + intact.front() +
                    "' is restored, the newest that is not damaged");
    SMP_RETURN_IF_ERROR(restore(intact.front(), Status(), damage));
    if (damage.ok())
      return std::move(report);
    return damage;
  }

  /// The one that the options name.
  StatusOr<RestoreReport> runNamed(const Status &ready) {
    const auto name = folder.nameOfPath(request.options.name);
    Status mine = ready.ok() ? name.status() : ready;
    if (mine.ok() && request.options.fallBack)
      mine = invalidArgument("the options have a name, '" + *name +
                             "', and fallBack, which is for the latest; leave "
                             "out one of them");
    Status damage;
    SMP_RETURN_IF_ERROR(restore(name.ok() ? *name : "", mine, damage));
    if (damage.ok())
      return std::move(report);
    Names complete = folder.othersThanLatest();
    if (!folder.latest().empty())
      complete.insert(complete.begin(), folder.latest());
    std::erase(complete, *name);
    return Status(damage.code(),
                  damage.message() +
                      "; others that are complete: " + listNames(complete));
  }

private:
  static constexpr const char *kNone = "none";

  /// When a rank finds damage, that is `damage` on all of them, and nothing is
  /// set.
  Status restore(const std::string &name, const Status &ready, Status &damage) {
    CheckpointLoader loader(request.checkpoint, folder.pathOf(name),
                            folder.files(), request.log,
                            request.options.expectPartial);
    Status mine = ready;
    std::string which;
    double seconds = 0;
    if (mine.ok())
      mine = loader.check();
    if (mine.ok()) {
      which = "'" + name + "', " + loader.identity();
      seconds = secondsFor(loader.bytes());
    }
    const bool isReady = ready.ok();
    SMP_ASSIGN_OR_RETURN(Told told,
                         group.tell("restore", mine, which, seconds));
    damage = group.firstError(told);
    bool isDamaged = isReady && !damage.ok();
    for (const StatusOr<std::string> &each : told)
      isDamaged &= each.ok() || isDamage(each.status());
    if (isDamaged)
      return Status();
    SMP_RETURN_IF_ERROR(damage);
    Names all;
    for (StatusOr<std::string> &each : told)
      all.push_back(each.take());
    SMP_RETURN_IF_ERROR(checkSame(all));
    report = loader.report();
    return group.agree("restored", loader.apply(), "").status();
  }

  static Status checkSame(const Names &all) {
    for (size_t rank = 0; rank < all.size(); ++rank)
      if (all[rank] != all.front())
        return failedPrecondition("rank " + std::to_string(rank) +
                                  " finds another checkpoint (" + all[rank] +
                                  ") than rank 0 (" + all.front() +
                                  "); give all ranks the same folder");
    return Status();
  }

  /// What rank 0 finds of other checkpoints whose every byte is what was
  /// written, newest first.
  StatusOr<Names> findIntact() {
    std::string text;
    uint64_t bytes = 0;
    for (const std::string &name : folder.othersThanLatest()) {
      auto reader = CheckpointReader::open(folder.pathOf(name), folder.files());
      if (!reader.ok())
        continue;
      for (const CheckpointManifest::File &file : reader->manifest().files)
        bytes += file.digest.size;
      if (group.isFirst() && reader->verify().ok())
        text += name + "\n";
    }
    SMP_ASSIGN_OR_RETURN(const Names all, group.agree("intact", Status(), text,
                                                      secondsFor(bytes)));
    Names names;
    std::istringstream lines(all.front());
    for (std::string name; std::getline(lines, name);)
      names.push_back(std::move(name));
    return names;
  }

  /// What to do when the latest checkpoint is damaged.
  std::string advice(const Names &intact) const {
    if (intact.empty())
      return "; there is no other checkpoint: remove '" + folder.statePath() +
             "' to begin anew";
    return "; to restore another one, set model_checkpoint_path in '" +
           folder.statePath() + "' to one of " + listNames(intact) +
           ", or restore with fallBack";
  }

  const RestoreRequest &request;
  const CheckpointFolder &folder;
  RankGroup &group;
  RestoreReport report; // Of what was restored.
};

} // namespace

StatusOr<RestoreReport> restoreCheckpoint(const RestoreRequest &request,
                                          RankGroup &group,
                                          const Status &ready) {
  Restoring restoring(request, group);
  const bool isNamed = !request.name && !request.options.name.empty();
  return isNamed ? restoring.runNamed(ready) : restoring.run(ready);
}

} // namespace smp
