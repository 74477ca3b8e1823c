// SPDX-License-Identifier: Apache-2.0
// What the file `checkpoint` says, and how that changes.
#include "CheckpointFolder.h"
#include "Clock.h"
#include "smp/base/AtomicFile.h"
#include <algorithm>

namespace smp {

static void sayIfBad(const Status &status, const LogSink &log) {
  if (!status.ok())
    log(LogLevel::Warning, status.message());
}

std::vector<CheckpointFolder::Listed>::iterator
CheckpointFolder::find(const std::string &name) {
  return std::find_if(kept.begin(), kept.end(),
                      [&](const Listed &each) { return each.name == name; });
}

/// A clock that went back would keep none for hours, until it is where it was.
double CheckpointFolder::timeOfNext(const LogSink &log) {
  const double time = now();
  if (time >= lastPreserved)
    return time;
  log(LogLevel::Warning, "the clock is behind that of the checkpoints in '" +
                             directory + "': hours are counted from now on");
  lastPreserved = time;
  for (Listed &each : kept)
    each.time = std::min(each.time, time);
  return time;
}

Status CheckpointFolder::add(const CheckpointRoom &room,
                             std::optional<double> metric, const LogSink &log) {
  const double time = timeOfNext(log);
  const std::vector<Listed> keptBefore = kept;
  const std::string latestBefore = std::exchange(latestName, room.name);
  if (const auto at = find(room.name); at != kept.end())
    kept.erase(at);
  kept.push_back({room.name, time, Whose::Ours, metric, /*isComplete=*/true,
                  room.written});
  std::erase(gone, room.name);
  noteNumber(room.name);
  const Status status = writeState();
  if (status.ok()) {
    sayIfBad(room.isReplaced ? removeReplaced(room.name) : Status(), log);
    return status;
  }
  // Its number stays used: the file may have it all the same.
  kept = keptBefore;
  latestName = latestBefore;
  Status undone = writeState();
  if (undone.ok())
    undone = sync(); // Nothing names it any more.
  if (undone.ok())
    undone = giveUp(room);
  sayIfBad(undone, log);
  return status;
}

std::string CheckpointFolder::listed() const {
  CheckpointState state{latestName, {}, {}, lastPreserved};
  for (const Listed &each : kept) {
    state.all.push_back(each.name);
    state.timestamps.push_back(each.time);
  }
  return formatCheckpointState(state);
}

Status CheckpointFolder::follow(const std::string &listed,
                                std::optional<double> metric) {
  SMP_ASSIGN_OR_RETURN(const CheckpointState state,
                       parseCheckpointState(listed));
  std::vector<Listed> followed;
  for (size_t i = 0; i < state.all.size(); ++i) {
    const auto known = find(state.all[i]);
    followed.push_back(known == kept.end() || state.all[i] == state.latest
                           ? Listed{state.all[i], 0, Whose::Ours, metric}
                           : *known);
    followed.back().time = state.timestamps[i];
  }
  kept = std::move(followed);
  latestName = state.latest;
  lastPreserved = state.lastPreserved;
  noteNumber(latestName);
  return Status();
}

void CheckpointFolder::takeOver() {
  hasTakenOver = true;
  for (Listed &each : kept)
    if (each.whose == Whose::Predecessors)
      each.whose = Whose::Ours;
}

void CheckpointFolder::mend(const LogSink &log) {
  if (!isWrong || latestName.empty())
    return;
  const bool wasLocked = isLocked;
  if (!lock([](LogLevel, std::string_view) {}).ok())
    return;               // Who saves here mends it, or nobody can.
  Status status = sync(); // What it names may not outlive a power cut yet.
  if (status.ok() && isWrong)
    status = writeState();
  if (!status.ok())
    log(LogLevel::Warning,
        "'" + statePath() + "' stays as it is: " + status.message());
  if (!wasLocked)
    unlock();
}

/// Lists what other managers have listed by now before ours. They may write it
/// at the same time, and one of both be lost: what is complete and newer than
/// what is listed counts all the same. With `isSweep` a latest one of another
/// name stays the latest.
Status CheckpointFolder::writeState(bool isSweep) {
  CheckpointState state;
  std::string wrong;
  bool isNone = false;
  SMP_ASSIGN_OR_RETURN(auto before, readState(wrong, isNone));
  if (isNone) // Whatever it is, it is not ours to overwrite.
    (void)fileSystem.rename(statePath(), statePath() + ".garbled");
  if (!before)
    before.emplace();
  for (size_t i = 0; i < before->all.size(); ++i)
    if (!numberOf(before->all[i])) {
      state.all.push_back(before->all[i]);
      state.timestamps.push_back(before->timestamps.empty()
                                     ? before->lastPreserved
                                     : before->timestamps[i]);
    }
  if (isSweep && !before->latest.empty() && !numberOf(before->latest))
    state.latest = before->latest;
  else if (!latestName.empty())
    state.latest = latestName;
  else if (!state.all.empty())
    state.latest = state.all.back();
  if (state.latest.empty())
    return removeFile("checkpoint");
  state.lastPreserved = lastPreserved;
  for (const std::string &name : gone) {
    state.all.push_back(name);
    state.timestamps.push_back(now());
  }
  for (const Listed &each : kept) {
    state.all.push_back(each.name);
    state.timestamps.push_back(each.time);
  }
  SMP_RETURN_IF_ERROR(
      writeFile(statePath(), formatCheckpointState(state), fileSystem));
  isWrong = false;
  return Status();
}

} // namespace smp
