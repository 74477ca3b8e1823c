// SPDX-License-Identifier: Apache-2.0
// What a folder holds.
#include "CheckpointFolder.h"
#include "Clock.h"
#include "Keys.h"
#include "smp/serialization/CheckpointReader.h"
#include "smp/serialization/MappedFile.h"
#include <algorithm>
#include <cerrno>
#include <charconv>

namespace smp {

std::optional<int64_t> CheckpointFolder::numberOf(std::string_view name) const {
  if (!name.starts_with(prefix))
    return std::nullopt;
  name.remove_prefix(prefix.size());
  int64_t number = 0;
  const char *end = name.data() + name.size();
  auto [rest, code] = std::from_chars(name.data(), end, number);
  const bool isNumber = code == std::errc() && rest == end && number >= 0 &&
                        number <= kMostNumber && std::to_string(number) == name;
  return isNumber ? std::optional(number) : std::nullopt;
}

/// It has a manifest, and is not to be given another checkpoint by itself.
void CheckpointFolder::noteNumber(const std::string &name) {
  const int64_t number = numberOf(name).value_or(0);
  there.insert(number);
  largest = std::max(largest, number);
}

std::vector<std::string> CheckpointFolder::names() const {
  std::vector<std::string> list;
  for (const Listed &each : kept)
    if (each.isComplete)
      list.push_back(each.name);
  return list;
}

std::vector<std::string> CheckpointFolder::othersThanLatest() const {
  std::vector<std::string> list;
  for (auto number = there.rbegin(); number != there.rend(); ++number)
    if (std::string name = nameOf(*number);
        name != latestName && checkComplete(name).ok())
      list.push_back(std::move(name));
  return list;
}

StatusOr<std::string>
CheckpointFolder::nameOfPath(const std::string &path) const {
  const std::string here = pathOf("");
  std::string name = path.starts_with(here) ? path.substr(here.size()) : path;
  if (!isPlainFileName(name))
    return invalidArgument("'" + path + "' is no checkpoint of '" + directory +
                           "'; give its name, as '" + prefix +
                           "1', or its path, as '" + here + prefix + "1'");
  return name;
}

bool CheckpointFolder::isFile(const std::string &file) const {
  uint64_t ignored;
  return fileSystem.size(pathOf(file), ignored) == 0;
}

Status CheckpointFolder::checkComplete(const std::string &name) const {
  return CheckpointReader::open(pathOf(name), fileSystem).status();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Status CheckpointFolder::open(const LogSink &log) {
  there.clear();
  kept.clear();
  gone.clear();
  latestName.clear();
  problem = Status();
  lastPreserved = now() - 1; // So that what is saved at once counts as later.
  SMP_ASSIGN_OR_RETURN(const auto files, listFiles());
  for (const std::string_view file : files)
    if (file.ends_with(kManifestSuffix))
      if (const auto number =
              numberOf(file.substr(0, file.size() - kManifestSuffix.size())))
        there.insert(*number);
  if (!there.empty())
    largest = std::max(largest, *there.rbegin());
  std::string wrong;
  SMP_ASSIGN_OR_RETURN(const auto state, readState(wrong, isGarbled));
  if (state)
    list(*state, log);
  else
    listAll();
  const std::string named = state ? state->latest : std::string();
  chooseLatest(numberOf(named) ? named : std::string(), std::move(wrong), log);
  return Status();
}

/// Nothing, and why, when the file is not there or does not say anything; an
/// error when it cannot be read.
StatusOr<std::optional<CheckpointState>>
CheckpointFolder::readState(std::string &wrong, bool &isGarbled) const {
  isGarbled = false;
  uint64_t ignored; // Reading it will give any other error.
  if (fileSystem.size(statePath(), ignored) == ENOENT) {
    wrong = "there is no file '" + statePath() + "'";
    return std::optional<CheckpointState>();
  }
  SMP_ASSIGN_OR_RETURN(MappedFile file,
                       MappedFile::open(statePath(), fileSystem));
  auto state =
      parseCheckpointState({reinterpret_cast<const char *>(file.bytes().data()),
                            file.bytes().size()});
  if (state.ok())
    return std::optional(state.take());
  isGarbled = true;
  wrong = "Invalid checkpoint state loaded from '" + directory +
          "', file 'checkpoint': " + state.status().message();
  return std::optional<CheckpointState>();
}

/// Those of our name. What is complete and newer was killed before it was
/// named; what is newer and not complete, nobody knows of whom. What was kept
/// for its metric, or is pinned, may be older than what
/// was preserved for hours, and is listed all the same.
void CheckpointFolder::list(const CheckpointState &state, const LogSink &log) {
  const double time = now();
  const Whose whose = hasTakenOver ? Whose::Ours : Whose::Predecessors;
  lastPreserved = state.lastPreserved;
  const bool hasTimes = !state.timestamps.empty() && time >= lastPreserved;
  if (time < lastPreserved) {
    log(LogLevel::Warning,
        "the clock is behind that of the checkpoints in '" + directory +
            "': those that are there now will not be deleted");
    lastPreserved = time;
  }
  std::set<std::string_view> seen;
  int64_t largestListed = numberOf(state.latest).value_or(-1);
  for (size_t i = 0; i < state.all.size(); ++i) {
    const std::string &name = state.all[i];
    const auto number = numberOf(name);
    if (!number || !seen.insert(name).second)
      continue;
    largestListed = std::max(largestListed, *number);
    const double saved = state.timestamps.empty()
                             ? lastPreserved
                             : std::min(state.timestamps[i], time);
    Listed each = look(name, saved, whose);
    if (!there.count(*number))
      gone.push_back(name);
    else if (saved > lastPreserved ||
             (hasTimes && (each.metric || isPinned(name))))
      kept.push_back(std::move(each));
  }
  for (auto at = there.upper_bound(largestListed); at != there.end(); ++at)
    if (Listed each = look(nameOf(*at), time, whose); each.isComplete)
      kept.push_back(std::move(each));
  largest = std::max(largest, largestListed);
}

CheckpointFolder::Listed CheckpointFolder::look(const std::string &name,
                                                double time,
                                                Whose whose) const {
  const auto reader = CheckpointReader::open(pathOf(name), fileSystem);
  return {name, time, whose,
          reader.ok() ? reader->manifest().metric : std::nullopt, reader.ok()};
}

/// Nobody says which are to be deleted.
void CheckpointFolder::listAll() {
  for (const int64_t number : there)
    kept.push_back(look(nameOf(number), now(), Whose::Nobodys));
  if (!there.empty())
    lastPreserved = now();
}

/// `named` in the file `checkpoint`, or the newest one, where that names none
/// of ours or `wrong` says what is wrong with it.
void CheckpointFolder::chooseLatest(const std::string &named, std::string wrong,
                                    const LogSink &log) {
  isWrong = false;
  if (!named.empty()) {
    const Status complete = checkComplete(named);
    latestName = named;
    if (std::erase(gone, named)) // Its number stays used, and what is left.
      kept.push_back(look(named, now(), Whose::Nobodys));
    // What is there and damaged is an error when it is restored.
    if (complete.code() != StatusCode::Unavailable) {
      const auto at =
          std::find_if(kept.begin(), kept.end(),
                       [&](const Listed &each) { return each.name == named; });
      if (at != kept.end())
        std::rotate(at, at + 1, kept.end());
      return;
    }
    wrong = "'" + statePath() + "' names '" + named +
            "', which is not complete (" + complete.message() + ")";
  }
  latestName.clear();
  // Those that are listed in their order, newer ones after them.
  for (auto each = kept.rbegin(); each != kept.rend(); ++each)
    if (each->isComplete && latestName.empty())
      latestName = each->name;
  for (auto number = there.rbegin();
       number != there.rend() && latestName.empty(); ++number)
    if (checkComplete(nameOf(*number)).ok())
      latestName = nameOf(*number);
  isWrong = !wrong.empty() && (!latestName.empty() || isGarbled);
  if (isWrong && !latestName.empty())
    log(LogLevel::Warning, wrong +
                               "; the latest checkpoint that is complete is '" +
                               latestName + "'");
  else if (isGarbled || !named.empty() || (!there.empty() && !wrong.empty()))
    problem =
        dataLoss(wrong + whyIncomplete() +
                 "; there is no complete checkpoint: remove '" + statePath() +
                 "' and what is left of others to begin "
                 "anew");
}

std::string CheckpointFolder::whyIncomplete() const {
  std::string list;
  for (const int64_t number : there)
    list += "; '" + nameOf(number) +
            "': " + checkComplete(nameOf(number)).message();
  return list;
}

} // namespace smp
