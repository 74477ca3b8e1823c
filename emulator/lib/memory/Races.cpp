// SPDX-License-Identifier: Apache-2.0
#include "Races.h"
#include "Relaxed.h"
#include <algorithm>

using namespace smp::emulator;

namespace {

constexpr uint32_t kAtomic = 1u << 14;
constexpr uint32_t kSeveralLanes = 1u << 5;
constexpr uint32_t kReadAtomic = 1u << 10;
constexpr uint32_t kSeveralBlocks = 1u << 11;

// Who sees a time also sees whose it is.
uint64_t load(uint64_t &word) {
  return std::atomic_ref<uint64_t>(word).load(std::memory_order_acquire);
}

void store(uint64_t &word, uint64_t value) {
  std::atomic_ref<uint64_t>(word).store(value, std::memory_order_release);
}

/// A cell, taken apart.
struct Record {
  uint32_t writeTime, writer, reader, readTime, warps;

  explicit Record(Cell &cell) {
    const uint64_t write = load(cell.write), read = load(cell.read);
    writeTime = static_cast<uint32_t>(write >> 32);
    reader = static_cast<uint32_t>(write >> 16) & 0xffff;
    writer = static_cast<uint32_t>(write) & 0xffff;
    readTime = static_cast<uint32_t>(read >> 32);
    warps = static_cast<uint32_t>(read);
  }

  void put(Cell &cell) const {
    store(cell.write, uint64_t(writeTime) << 32 | reader << 16 | writer);
    store(cell.read, uint64_t(readTime) << 32 | warps);
  }
};

uint32_t ownerOf(uint32_t time, const Accessor &by) {
  return by.owners ? loadRelaxed<uint32_t>(by.owners + time / kChunk)
                   : by.block;
}

/// Whether what warp `warp` of a block did at `time` is over for `by`.
bool isOver(uint32_t time, uint32_t block, uint32_t warp, const Accessor &by) {
  if (block == by.block)
    return time <= by.clock[warp];
  if (!by.foreign)
    return false;
  const auto found = by.foreign->find(block);
  return found != by.foreign->end() && time <= found->second[warp];
}

bool writeIsOver(const Record &record, const Accessor &by, uint32_t lanes) {
  if (record.writeTime <= by.over)
    return true;
  const uint32_t block = ownerOf(record.writeTime, by);
  const uint32_t writer = record.writer & 1023;
  return (block == by.block && writer / 32 == by.warp &&
          lanes == 1u << (writer & 31)) ||
         isOver(record.writeTime, block, writer / 32, by);
}

bool readsAreOver(const Record &record, const Accessor &by, uint32_t lanes) {
  if (record.readTime <= by.over)
    return true;
  const uint32_t block = ownerOf(record.readTime, by);
  if ((record.reader & kSeveralBlocks) && !by.foreign)
    return false;
  if (block == by.block && record.warps == 1u << by.warp &&
      !(record.reader & kSeveralLanes) && lanes == 1u << (record.reader & 31))
    return true;
  for (uint32_t warps = record.warps; warps; warps &= warps - 1)
    if (!isOver(record.readTime, block, __builtin_ctz(warps), by))
      return false;
  return true;
}

/// False if the cell knows already.
bool noteRead(Record &record, const Accessor &by, uint32_t lanes,
              uint32_t bytes, bool atomic) {
  const uint32_t warp = 1u << by.warp;
  const uint32_t lane = __builtin_ctz(lanes);
  const uint32_t several = lanes & (lanes - 1) ? kSeveralLanes : 0;
  if (readsAreOver(record, by, lanes)) {
    const bool more = record.readTime == by.time && record.warps == warp &&
                      (record.reader & (31 | kSeveralLanes)) == lane;
    const uint32_t before = more ? record.reader >> 6 & 15 : 0;
    const bool all = atomic && (!more || (record.reader & kReadAtomic));
    record.reader =
        lane | several | (bytes | before) << 6 | (all ? kReadAtomic : 0);
    record.readTime = by.time;
    record.warps = warp;
    return true;
  }
  const bool sameBlock = ownerOf(record.readTime, by) == by.block;
  const bool alone = sameBlock && record.warps == warp && !several &&
                     (record.reader & 31) == lane;
  const uint32_t reader = (record.reader | (alone ? 0 : kSeveralLanes) |
                           bytes << 6 | (sameBlock ? 0 : kSeveralBlocks)) &
                          (atomic ? ~0u : ~kReadAtomic);
  const uint32_t warps = sameBlock ? record.warps | warp : warp;
  const uint32_t time =
      sameBlock ? std::min(record.readTime, by.time) : by.time;
  if (reader == record.reader && warps == record.warps &&
      time == record.readTime)
    return false;
  record.reader = reader;
  record.warps = warps;
  record.readTime = time;
  return true;
}

/// What most accesses meet, told from the two words of a cell: writes that are
/// over, and reads that are over or, of a block's own memory, known. Has what
/// it needs of the accessor side by side.
struct Quick {
  uint32_t over, time, warp;
  bool own;
  const Clock &clock;

  explicit Quick(const Accessor &by)
      : over(by.over), time(by.time), warp(by.warp), own(!by.owners),
        clock(by.clock) {}

  // False if it is something else, and then nothing was done. `reader` is
  // the lane, whether there are several, and the bytes.
  bool read(Cell &cell, uint32_t reader) const;
  bool write(Cell &cell, uint32_t lane, uint32_t mask) const;
};

inline bool Quick::read(Cell &cell, uint32_t reader) const {
  const uint64_t write = load(cell.write), read = load(cell.read);
  if (write >> 32 > over)
    return false;
  const uint64_t others = write & ~0xffff0000ull;
  const auto before = static_cast<uint32_t>(read >> 32);
  if (before <= over) {
    store(cell.read, uint64_t(time) << 32 | 1u << warp);
    store(cell.write, others | uint64_t(reader) << 16);
    return true;
  }
  const auto warps = static_cast<uint32_t>(read);
  if (!own || before <= clock[__builtin_ctz(warps)])
    return false;
  const uint32_t known = static_cast<uint32_t>(write) >> 16;
  const uint32_t joined =
      (known | kSeveralLanes | (reader & 15 << 6)) & ~kReadAtomic;
  if (warps >> warp & 1)
    return joined == known && before <= time;
  store(cell.read, uint64_t(std::min(before, time)) << 32 | warps | 1u << warp);
  store(cell.write, others | uint64_t(joined) << 16);
  return true;
}

inline bool Quick::write(Cell &cell, uint32_t lane, uint32_t mask) const {
  if (load(cell.write) >> 32 > over || load(cell.read) >> 32 > over)
    return false;
  store(cell.write, uint64_t(time) << 32 | mask << 10 | warp * 32 | lane);
  return true;
}

// Looks at all that a cell knows; a write is of one lane.
bool touchSlowly(Cell &cell, const Accessor &by, uint32_t lanes, uint32_t mask,
                 Touch touch, Conflict &conflict) {
  Record record(cell);
  const bool atomic = touch == Touch::AtomicRead || touch == Touch::AtomicWrite;
  const bool writes = touch == Touch::Write || touch == Touch::AtomicWrite;
  if ((record.writer >> 10 & mask) && !(atomic && (record.writer & kAtomic)) &&
      !writeIsOver(record, by, lanes)) {
    conflict = {ownerOf(record.writeTime, by), record.writer & 1023, true,
                false};
    return true;
  }
  if (!writes) {
    if (noteRead(record, by, lanes, mask, atomic))
      record.put(cell);
    return false;
  }
  if ((record.reader >> 6 & mask) &&
      !(atomic && (record.reader & kReadAtomic)) &&
      !readsAreOver(record, by, lanes)) {
    conflict = {ownerOf(record.readTime, by),
                static_cast<uint32_t>(__builtin_ctz(record.warps)) * 32 +
                    (record.reader & 31),
                false, (record.reader & kSeveralLanes) != 0};
    return true;
  }
  const uint32_t thread = by.warp * 32 + __builtin_ctz(lanes);
  uint32_t bytes = mask;
  if (record.writeTime == by.time && (record.writer & 1023) == thread)
    bytes |= record.writer >> 10 & 15;
  record.writeTime = by.time;
  record.writer = thread | bytes << 10 | (atomic ? kAtomic : 0);
  record.put(cell);
  return false;
}

/// An access of one kind.
template <Touch touch>
class Toucher {
public:
  Toucher(const View &view, const Accessor &by, Conflict &conflict)
      : cells(view.cells), by(by), quick(by), conflict(conflict) {}

  int touch4(uint32_t first, uint32_t end, uint64_t cell, uint32_t each) const;
  int touchAll(std::span<const Place> places, uint32_t bytes) const;

private:
  /// Whether the bytes `mask` (four bits) of a cell are in conflict.
  bool touchCell(uint64_t number, uint32_t lanes, uint32_t mask) const {
    Cell &cell = cells[number];
    const uint32_t lane = __builtin_ctz(lanes);
    const uint32_t several = lanes & (lanes - 1) ? kSeveralLanes : 0;
    if ((touch == Touch::Read &&
         quick.read(cell, lane | several | mask << 6)) ||
        (touch == Touch::Write && quick.write(cell, lane, mask)))
      return false;
    return touchSlowly(cell, by, lanes, mask, touch, conflict);
  }

  Cell *cells;
  const Accessor &by;
  Quick quick;
  Conflict &conflict;
};

template <Touch touch>
int Toucher<touch>::touch4(uint32_t first, uint32_t end, uint64_t cell,
                           uint32_t each) const {
  // All at once: most of the time goes into waiting for them.
  for (uint64_t ahead = cell; ahead < cell + (end - first) * each; ahead += 4)
    __builtin_prefetch(cells + ahead, /*rw=*/1);
  for (uint32_t lane = first; lane < end; ++lane)
    for (uint32_t i = 0; i < each; ++i)
      if (touchCell(cell++, 1u << lane, 15))
        return static_cast<int>(lane);
  return -1;
}

template <Touch touch>
int Toucher<touch>::touchAll(std::span<const Place> places,
                             uint32_t bytes) const {
  for (size_t i = 0; i < places.size(); ++i) {
    uint64_t offset = places[i].offset;
    for (const uint64_t end = offset + bytes; offset < end;) {
      const uint32_t within = offset & 3;
      const auto count =
          static_cast<uint32_t>(std::min<uint64_t>(4 - within, end - offset));
      if (touchCell(offset / 4, places[i].lanes, ((1u << count) - 1) << within))
        return static_cast<int>(i);
      offset += count;
    }
  }
  return -1;
}

// Calls what it is given with the Toucher of the touch.
template <typename Do>
int withToucher(Touch touch, const View &view, const Accessor &by,
                Conflict &conflict, Do with) {
  switch (touch) {
  case Touch::Read:
    return with(Toucher<Touch::Read>(view, by, conflict));
  case Touch::Write:
    return with(Toucher<Touch::Write>(view, by, conflict));
  case Touch::AtomicRead:
    return with(Toucher<Touch::AtomicRead>(view, by, conflict));
  case Touch::AtomicWrite:
    return with(Toucher<Touch::AtomicWrite>(view, by, conflict));
  }
}

} // namespace

int smp::emulator::touchPlaces(const View &view, std::span<const Place> places,
                               uint32_t bytes, const Accessor &by, Touch touch,
                               Conflict &conflict) {
  return withToucher(touch, view, by, conflict, [&](const auto &toucher) {
    return toucher.touchAll(places, bytes);
  });
}

int smp::emulator::touchRow(const View &view, uint64_t offset, uint32_t first,
                            uint32_t end, uint32_t bytes, const Accessor &by,
                            Touch touch, Conflict &conflict) {
  return withToucher(touch, view, by, conflict, [&](const auto &toucher) {
    return toucher.touch4(first, end, offset / 4, bytes / 4);
  });
}
