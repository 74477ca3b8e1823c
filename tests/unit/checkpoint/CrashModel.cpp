// SPDX-License-Identifier: Apache-2.0
#include "CrashModel.h"
#include <algorithm>
#include <random>

namespace smp::test {

using Kind = SaveEvent::Kind;

static bool isSync(const SaveEvent &event) {
  return event.kind == Kind::SyncFile || event.kind == Kind::SyncFolder;
}

/// Of names or of bytes.
static bool changesDisk(const SaveEvent &event) {
  return event.kind == Kind::Make || event.kind == Kind::Write ||
         event.kind == Kind::Rename || event.kind == Kind::Remove ||
         event.kind == Kind::MakeFolder;
}

static bool isTemporary(const std::string &path) {
  return path.find(".tmp-") != path.npos;
}

/// Names, and the blocks of the files that they are of.
struct CrashModel::Disk {
  static constexpr int kNone = -1, kFolder = -2;
  std::vector<int> files;               // By name.
  std::vector<std::vector<int>> blocks; // By file: the event, or kNone.
};

CrashModel::CrashModel(Recording recording, std::string root, Restore restore,
                       CrashOptions options)
    : events(std::move(recording)), root(std::move(root)),
      restore(std::move(restore)), options(options) {
  orderEvents();
  findSyncs();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void CrashModel::orderEvents() {
  size_t ranks = 0;
  std::map<std::string, int> numbers;
  auto numberOf = [&](const std::string &path) {
    auto [at, isNew] = numbers.emplace(path, int(paths.size()));
    if (isNew)
      paths.push_back(path);
    return at->second;
  };
  for (const SaveEvent &event : events) {
    ranks = std::max<size_t>(ranks, event.rank + 1);
    numFiles = std::max(numFiles, event.file + 1);
    names.push_back(numberOf(event.path));
    targets.push_back(numberOf(event.to));
  }
  ofRank.resize(ranks);
  std::vector<Cut> now(ranks, Cut(ranks));
  std::map<std::string, size_t> sent;
  for (size_t i = 0; i < events.size(); ++i) {
    const SaveEvent &event = events[i];
    Cut &mine = now[event.rank];
    place.push_back(ofRank[event.rank].size());
    ofRank[event.rank].push_back(i);
    mine[event.rank] = ofRank[event.rank].size();
    std::optional<size_t> &sender = senders.emplace_back();
    if (event.kind == Kind::Send)
      sent[event.message] = i;
    if (event.kind == Kind::Receive) {
      sender = sent.at(event.message);
      for (size_t rank = 0; rank < ranks; ++rank)
        mine[rank] = std::max(mine[rank], history[*sender][rank]);
    }
    history.push_back(mine);
  }
}

/// A sync makes last what happened before it; what other ranks did at that time
/// may have come too late.
void CrashModel::findSyncs() {
  syncs.resize(events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    const SaveEvent &event = events[i];
    if (!changesDisk(event))
      continue;
    const bool isWrite = event.kind == Kind::Write;
    const std::string folder = parentFolder(event.path);
    for (size_t s = 0; s < events.size(); ++s)
      if ((isWrite ? events[s].kind == Kind::SyncFile &&
                         events[s].file == event.file
                   : events[s].kind == Kind::SyncFolder &&
                         events[s].path == folder) &&
          has(history[s], i))
        syncs[i].push_back(s);
  }
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

bool CrashModel::has(const Cut &cut, size_t event) const {
  return cut[events[event].rank] > place[event];
}

/// Null at the end.
const size_t *CrashModel::next(const Cut &cut, size_t rank) const {
  return cut[rank] < ofRank[rank].size() ? &ofRank[rank][cut[rank]] : nullptr;
}

/// Needs no sync and no message that has not been sent.
bool CrashModel::isFree(const Cut &cut, size_t event) const {
  return !isSync(events[event]) &&
         (!senders[event] || has(cut, *senders[event]));
}

/// To where each rank is before a sync, or waits for a message.
void CrashModel::advance(Cut &cut) const {
  if (options.hasEveryCut)
    return;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t rank = 0; rank < cut.size(); ++rank)
      for (const size_t *event;
           (event = next(cut, rank)) && isFree(cut, *event); moved = true)
        ++cut[rank];
  }
}

CrashReport CrashModel::run() {
  Cut start(ofRank.size());
  advance(start);
  std::set<Cut> seen{start};
  std::vector<Cut> left{start};
  while (!left.empty() && report.violation.empty()) {
    const Cut cut = std::move(left.back());
    left.pop_back();
    checkCut(cut);
    for (size_t rank = 0; rank < cut.size(); ++rank) {
      const size_t *event = next(cut, rank);
      if (!event || (!isSync(events[*event]) && !isFree(cut, *event)))
        continue;
      Cut further = cut;
      ++further[rank];
      advance(further);
      if (seen.insert(further).second)
        left.push_back(std::move(further));
    }
  }
  report.disks = known.size();
  return report;
}

//===----------------------------------------------------------------------===//
// Subsets
//===----------------------------------------------------------------------===//

void CrashModel::checkCut(const Cut &cut) {
  ++report.cuts;
  std::vector<bool> isSeen(size_t(numFiles), options.hasTemporaries);
  for (size_t i = 0; i < events.size(); ++i)
    if (events[i].kind == Kind::Rename && has(cut, i))
      isSeen[size_t(events[i].file)] = true;
  Chosen all;
  std::vector<size_t> open; // Places in `all`.
  for (size_t i = 0; i < events.size(); ++i) {
    const SaveEvent &event = events[i];
    if (!changesDisk(event) || !has(cut, i))
      continue;
    if (event.file >= 0 && !isSeen[size_t(event.file)])
      continue;
    if (event.kind == Kind::Make && isTemporary(event.path) &&
        !options.hasTemporaries)
      continue;
    if (std::none_of(syncs[i].begin(), syncs[i].end(),
                     [&](size_t sync) { return has(cut, sync); }))
      open.push_back(all.size());
    all.push_back(i);
  }
  checkSubsets(cut, all, open);
}

void CrashModel::checkSubsets(const Cut &cut, const Chosen &all,
                              const std::vector<size_t> &open) {
  const bool drawn = open.size() > options.mostOpen;
  report.drawnCuts += drawn;
  const size_t count = drawn ? options.draws : size_t(1) << open.size();
  Promise promise;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == Kind::Report && has(cut, i))
      promise.reported = std::max(promise.reported, events[i].number);
    if (events[i].kind == Kind::Begin && has(cut, i))
      promise.begun = std::max(promise.begun, events[i].number);
  }
  std::mt19937 random(options.seed);
  std::vector<bool> lost(all.size());
  for (size_t subset = 0; subset < count && report.violation.empty();
       ++subset) {
    const uint32_t oneIn1000 = random() % 1001; // Of this draw are lost.
    for (size_t i = 0; i < open.size(); ++i)
      lost[open[i]] =
          drawn ? random() % 1000 < oneIn1000 : (subset >> i & 1) != 0;
    Chosen persisted;
    for (size_t i = 0; i < all.size(); ++i)
      if (!lost[i])
        persisted.push_back(all[i]);
    checkDisk(promise, all, persisted);
  }
}

void CrashModel::checkDisk(const Promise &promise, const Chosen &all,
                           const Chosen &persisted) {
  ++report.states;
  const auto [reported, begun] = promise;
  const Restored &restored = restoreFrom(diskOf(persisted));
  if (restored.problem.empty() && restored.number >= reported &&
      restored.number <= begun)
    return;
  std::string &text = report.violation;
  text = restored.problem.empty()
             ? "save " + std::to_string(restored.number) + " is restored"
             : restored.problem;
  text += "; save " + std::to_string(reported) + " is reported, " +
          std::to_string(begun) + " begun; lost are";
  for (size_t event : all)
    if (!std::binary_search(persisted.begin(), persisted.end(), event))
      text += "\n  rank " + std::to_string(events[event].rank) + ", event " +
              std::to_string(place[event]) + ", kind " +
              std::to_string(int(events[event].kind)) + ": " +
              events[event].path + " " + events[event].to;
}

//===----------------------------------------------------------------------===//
// Disks
//===----------------------------------------------------------------------===//

CrashModel::Disk CrashModel::diskOf(const Chosen &persisted) const {
  Disk disk{std::vector<int>(paths.size(), Disk::kNone),
            std::vector<std::vector<int>>(size_t(numFiles))};
  for (size_t i : persisted) {
    const SaveEvent &event = events[i];
    int &file = disk.files[size_t(names[i])];
    if (event.kind == Kind::Write) {
      auto &blocks = disk.blocks[size_t(event.file)];
      blocks.resize(std::max(blocks.size(), event.block + 1), Disk::kNone);
      blocks[event.block] = int(i);
    } else if (event.kind == Kind::Make) {
      file = event.file;
    } else {
      file = event.kind == Kind::MakeFolder ? Disk::kFolder : Disk::kNone;
      if (event.kind == Kind::Rename)
        disk.files[size_t(targets[i])] = event.file;
    }
  }
  return disk;
}

/// With all the folders above it.
bool CrashModel::isThere(const Disk &disk, size_t name) const {
  if (disk.files[name] == Disk::kNone)
    return false;
  const std::string above = parentFolder(paths[name]);
  if (above == root)
    return true;
  const auto at = std::find(paths.begin(), paths.end(), above);
  return at != paths.end() && isThere(disk, size_t(at - paths.begin()));
}

const Restored &CrashModel::restoreFrom(const Disk &disk) {
  std::string key;
  for (size_t name = 0; name < paths.size(); ++name) {
    if (!isThere(disk, name))
      continue;
    key += std::to_string(name) + ":" + std::to_string(disk.files[name]);
    if (disk.files[name] >= 0)
      for (int block : disk.blocks[size_t(disk.files[name])])
        key += "," + std::to_string(block);
    key += ";";
  }
  auto [at, isNew] = known.emplace(std::move(key), Restored());
  if (!isNew)
    return at->second;
  MemoryDisk memory(root);
  for (size_t name = 0; name < paths.size(); ++name) {
    if (!isThere(disk, name))
      continue;
    if (disk.files[name] == Disk::kFolder) {
      memory.putFolder(paths[name]);
      continue;
    }
    Bytes bytes;
    const auto &blocks = disk.blocks[size_t(disk.files[name])];
    for (size_t i = 0; i < blocks.size(); ++i)
      if (blocks[i] != Disk::kNone) {
        bytes.resize(i * kBlockBytes);
        const Bytes &block = *events[size_t(blocks[i])].bytes;
        bytes.insert(bytes.end(), block.begin(), block.end());
      }
    memory.put(paths[name], std::move(bytes));
  }
  at->second = restore(memory);
  return at->second;
}

} // namespace smp::test
