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
  if (record.writeTime < by.start)
    return true;
  const uint32_t block = ownerOf(record.writeTime, by);
  const uint32_t writer = record.writer & 1023;
  return (block == by.block && writer / 32 == by.warp &&
          lanes == 1u << (writer & 31)) ||
         isOver(record.writeTime, block, writer / 32, by);
}

bool readsAreOver(const Record &record, const Accessor &by, uint32_t lanes) {
  if (record.readTime < by.start)
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
  if (record.readTime < by.start || readsAreOver(record, by, lanes)) {
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

/// Whether a read of the warp changes nothing: of a block's own memory, written
/// before, that other lanes read too since the last barrier.
bool isNoted(const Record &record, const Accessor &by, uint32_t mask) {
  return !by.owners && record.readTime >= by.start &&
         record.writeTime <= by.clock[record.writer / 32 & 31] &&
         record.readTime > by.clock[by.warp] && record.readTime <= by.time &&
         (record.warps >> by.warp & 1) && (record.reader & kSeveralLanes) &&
         !(record.reader & kReadAtomic) && !(mask & ~(record.reader >> 6));
}

} // namespace

bool smp::emulator::touchCell(Cell &cell, const Accessor &by, uint32_t lanes,
                              uint8_t mask, Touch touch, Conflict &conflict) {
  Record record(cell);
  if (touch == Touch::Read && isNoted(record, by, mask))
    return false;
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

bool smp::emulator::touchBytes(const View &view, uint64_t offset,
                               uint32_t bytes, const Accessor &by,
                               uint32_t lanes, Touch touch,
                               Conflict &conflict) {
  for (const uint64_t end = offset + bytes; offset < end;) {
    const uint32_t within = offset & 3;
    const uint32_t count =
        static_cast<uint32_t>(std::min<uint64_t>(4 - within, end - offset));
    const uint8_t mask = static_cast<uint8_t>(((1u << count) - 1) << within);
    if (touchCell(view.cells[offset / 4], by, lanes, mask, touch, conflict))
      return true;
    offset += count;
  }
  return false;
}

int smp::emulator::touchCells(Cell *cells, const Accessor &by, uint32_t lanes,
                              uint32_t each, Touch touch, Conflict &conflict) {
  const uint64_t warp = 1u << by.warp;
  const uint64_t read = uint64_t(by.time) << 32 | warp;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    for (uint32_t i = 0; i < each; ++i) {
      Cell &cell = cells[lane * each + i];
      const uint64_t write = load(cell.write), reads = load(cell.read);
      // Nothing in this launch yet, which is what most accesses meet.
      if (write >> 32 < by.start && reads >> 32 < by.start) {
        if (touch == Touch::Read) {
          store(cell.read, read);
          store(cell.write, (write & ~0xffff0000ull) | (lane | 15u << 6) << 16);
        } else if (touch == Touch::Write) {
          store(cell.write,
                uint64_t(by.time) << 32 | 15u << 10 | by.warp * 32 | lane);
        } else if (touchCell(cell, by, 1u << lane, 15, touch, conflict)) {
          return static_cast<int>(lane);
        }
        continue;
      }
      if (touchCell(cell, by, 1u << lane, 15, touch, conflict))
        return static_cast<int>(lane);
    }
  }
  return -1;
}
