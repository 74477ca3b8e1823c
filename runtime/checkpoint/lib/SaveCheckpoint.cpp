// SPDX-License-Identifier: Apache-2.0
#include "SaveCheckpoint.h"
#include "CheckpointPart.h"
#include "Clock.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/SafetensorsIndex.h"
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace smp {

namespace {

/// One save, as one rank does it.
class Saving {
public:
  Saving(const SaveRequest &request, RankGroup group)
      : request(request), folder(request.folder), group(group),
        part(this->group.rank()) {}

  StatusOr<std::string> run() {
    SMP_RETURN_IF_ERROR(begin());
    auto manifests = writeParts();
    Status outcome = manifests.status();
    if (group.isFirst()) {
      if (outcome.ok())
        outcome = complete(*manifests);
      if (!outcome.ok())
        sayIfBad(folder.giveUp(room));
      else
        outcome = publish();
      countCost();
    }
    if (!manifests.ok()) // All ranks know.
      return outcome;
    const auto heard =
        group.hearFirst(outcome, outcome.ok() ? folder.listed() : "");
    if (!group.isFirst()) {
      SMP_RETURN_IF_ERROR(heard.status().in("checkpoint '" + room.name + "'"));
      SMP_RETURN_IF_ERROR(folder.follow(*heard, request.job.wish.metric));
      return room.name;
    }
    sayIfBad(heard.status());
    SMP_RETURN_IF_ERROR(outcome);
    return room.name;
  }

private:
  void sayIfBad(const Status &status) const {
    if (!status.ok())
      request.log(LogLevel::Warning, status.message());
  }

  /// Nobody writes before all are here and know what and where.
  Status begin() {
    Status mine = request.job.ready;
    if (mine.ok())
      part.take(*request.job.slot->saved);
    const std::string wish = toString(request.job.wish);
    if (mine.ok() && group.isFirst()) {
      auto made = folder.makeRoom(request.job.wish.number, request.log);
      mine = made.status();
      if (made.ok())
        room = made.take();
    }
    SMP_ASSIGN_OR_RETURN(auto told,
                         group.agree("save", mine,
                                     wish + "\n" + room.name + "\n" +
                                         room.files + "\n" + part.describe()));
    std::vector<std::string> wishes;
    for (std::string &each : told) {
      wishes.push_back(takeLine(each));
      std::string name = takeLine(each), files = takeLine(each);
      if (&each == &told[group.first()])
        room.name = std::move(name), room.files = std::move(files);
    }
    shared = checkSameWishes(wishes);
    if (shared.ok())
      shared = part.shareOut(std::move(told));
    return Status();
  }

  static std::string takeLine(std::string &text) {
    const size_t end = text.find('\n');
    std::string line = text.substr(0, end);
    text.erase(0, end + 1);
    return line;
  }

  static Status checkSameWishes(const std::vector<std::string> &wishes) {
    for (size_t rank = 0; rank < wishes.size(); ++rank)
      if (wishes[rank] != wishes.front())
        return invalidArgument("rank " + std::to_string(rank) + " saves " +
                               wishes[rank] + ", and rank 0 " + wishes.front() +
                               "; give save() the same on all ranks");
    return Status();
  }

  /// How many files each rank will write.
  StatusOr<std::vector<ShardCounts>> planShards() {
    std::string text;
    Status mine = shared;
    const bool isGathered = request.oneWrites && group.size() > 1;
    if (mine.ok() && (isGathered || request.sharding.readsBytes()))
      mine = request.job.slot->saved->wait();
    if (isGathered) {
      SMP_RETURN_IF_ERROR(group.agree("gather", mine, "").status());
      mine = part.gather(group);
    }
    if (mine.ok()) {
      const auto counts = part.plan(request.sharding);
      mine = counts.status();
      if (counts.ok())
        text =
            std::to_string(counts->model) + " " + std::to_string(counts->state);
    }
    SMP_ASSIGN_OR_RETURN(auto told, group.agree("shards", mine, text));
    std::vector<ShardCounts> all;
    for (const std::string &each : told) {
      ShardCounts &counts = all.emplace_back();
      std::istringstream(each) >> counts.model >> counts.state;
    }
    return all;
  }

  /// What the save has taken of a processor since it was last counted.
  void countCost() {
    const double now = processorSeconds();
    request.job.cost += now - std::exchange(secondsCounted, now);
  }

  /// The manifests of all ranks but the first, when all have written what they
  /// hold. Each says first what the save has cost it.
  StatusOr<std::vector<std::string>> writeParts() {
    SMP_ASSIGN_OR_RETURN(auto counts, planShards());
    ShardCounts before, total;
    for (size_t i = 0; i < counts.size(); ++i) {
      if (i == group.rank())
        before = total;
      total.model += counts[i].model;
      total.state += counts[i].state;
    }
    std::string text;
    auto manifest =
        part.write(folder.pathOf(room.files), folder.files(), before, total);
    const Status written = manifest.status();
    if (written.ok() && group.isFirst())
      own = manifest.take();
    else if (written.ok())
      text = formatCheckpointManifest(*manifest);
    countCost();
    double &cost = request.job.cost;
    if (const SaveSlot *slot = request.job.slot; slot && slot->saved)
      cost += slot->saved->costSeconds();
    request.job.releaseSlot(); // All that it had is written.
    SMP_ASSIGN_OR_RETURN(auto all,
                         group.agree("written", written,
                                     std::to_string(cost) + "\n" + text,
                                     secondsFor(part.mostBytes())));
    for (std::string &each : all) {
      cost = std::max(cost, std::strtod(each.c_str(), nullptr));
      each.erase(0, each.find('\n') + 1);
    }
    return all;
  }

  Status complete(const std::vector<std::string> &manifests) {
    whole.ranks = uint32_t(manifests.size());
    for (uint32_t rank = 0; rank < manifests.size(); ++rank)
      SMP_RETURN_IF_ERROR(
          add(rank, rank == group.rank()
                        ? StatusOr(std::move(own))
                        : parseCheckpointManifestPart(manifests[rank])));
    for (const CheckpointManifest::File &file : whole.files)
      room.written.push_back(file.name);
    if (const auto index = formatSafetensorsIndex(whole, room.files)) {
      room.written.push_back(room.files + std::string(kIndexSuffix));
      SMP_RETURN_IF_ERROR(writeText(room.files, kIndexSuffix, *index));
    }
    whole.time = now();
    whole.metric = request.job.wish.metric;
    whole.replaced = room.replaced;
    const std::string text = formatCheckpointManifest(whole);
    SMP_RETURN_IF_ERROR(parseCheckpointManifest(text).status());
    return writeText(room.name, kManifestSuffix, text);
  }

  Status publish() {
    SMP_RETURN_IF_ERROR(folder.add(room, request.job.wish.metric, request.log));
    sayIfBad(folder.sweep(request.keep));
    return Status();
  }

  /// Takes what a rank has written, which must be in this rank's folder.
  Status add(uint32_t rank, StatusOr<CheckpointManifest> manifest) {
    const std::string who = "rank " + std::to_string(rank);
    SMP_ASSIGN_OR_RETURN(CheckpointManifest parsed,
                         std::move(manifest).in(who));
    const auto firstFile = uint32_t(whole.files.size());
    for (CheckpointManifest::File &file : parsed.files) {
      const std::string path = folder.pathOf(file.name);
      uint64_t size = 0;
      if (folder.files().size(path, size) != 0 || size != file.digest.size)
        return failedPrecondition(
            who + " wrote '" + file.name + "', of " +
            std::to_string(file.digest.size) + " bytes, which rank " +
            std::to_string(group.rank()) + " does not see as '" + path +
            "'; give all ranks the same folder");
      whole.files.push_back(std::move(file));
    }
    for (CheckpointManifest::Item &item : parsed.items) {
      for (CheckpointManifest::Slice &slice : item.slices)
        slice.file += firstFile;
      SMP_RETURN_IF_ERROR(addItem(who, std::move(item)));
    }
    for (CheckpointManifest::Name &name : parsed.names)
      whole.names.push_back(std::move(name));
    if (rank == 0)
      whole.sharding = std::move(parsed.sharding);
    for (size_t i = 0; i < parsed.roots.size(); ++i)
      addRoot(i, std::move(parsed.roots[i]));
    return Status();
  }

  /// Several ranks may have slices of one.
  Status addItem(const std::string &who, CheckpointManifest::Item item) {
    const auto [at, isNew] = itemOfKey.emplace(item.key, whole.items.size());
    if (isNew) {
      whole.items.push_back(std::move(item));
      return Status();
    }
    CheckpointManifest::Item &joined = whole.items[at->second];
    if (!(joined.type == item.type) || joined.layout != item.layout)
      return invalidArgument(who + " has '" + item.key + "' as " +
                             toString(item.type) + ", and another rank as " +
                             toString(joined.type));
    for (CheckpointManifest::Slice &slice : item.slices)
      joined.slices.push_back(std::move(slice));
    return Status();
  }

  /// All ranks have the same roots.
  void addRoot(size_t index, CheckpointManifest::Root root) {
    if (index == whole.roots.size()) {
      whole.roots.push_back(std::move(root));
      return;
    }
    CheckpointManifest::Root &joined = whole.roots[index];
    joined.kinds = joinKinds(joined.kinds, root.kinds);
    joined.devices.resize(std::max(joined.devices.size(), root.devices.size()));
    for (size_t i = 0; i < root.devices.size(); ++i)
      if (!root.devices[i].empty())
        joined.devices[i] = std::move(root.devices[i]);
  }

  Status writeText(const std::string &name, std::string_view suffix,
                   const std::string &text) const {
    return writeFile(folder.pathOf(name) + std::string(suffix), text,
                     folder.files());
  }

  const SaveRequest &request;
  double secondsCounted = processorSeconds();
  CheckpointFolder &folder;
  RankGroup group;
  CheckpointPart part;
  CheckpointRoom room;
  Status shared;          // Whether the ranks save the same.
  CheckpointManifest own; // Of the first rank.
  CheckpointManifest whole;
  std::map<std::string, size_t> itemOfKey; // Of it.
};

} // namespace

StatusOr<std::string> saveCheckpoint(const SaveRequest &request,
                                     RankGroup group) {
  return Saving(request, group).run();
}

} // namespace smp
