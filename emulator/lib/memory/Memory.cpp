// SPDX-License-Identifier: Apache-2.0
#include "smp/emulator/Memory.h"
#include "Relaxed.h"
#include "Shadow.h"
#include <cinttypes>
#include <cstdio>

using namespace smp::emulator;

// Allocations start on multiples of kAlignment and are kGap bytes apart, so
// that an access a little behind one is in none.
static constexpr uint64_t kAlignment = 256;
static constexpr uint64_t kGap = 256;

static uint64_t room(uint64_t bytes) {
  return (bytes + kGap + kAlignment - 1) / kAlignment * kAlignment;
}

Memory::Memory(uint64_t capacity)
    : size(capacity / 4096 * 4096 + 4096),
      bytesShadow(std::make_unique<Shadow>(size)) {
  if (valid())
    gaps[bytesShadow->view().base] = size;
}

Memory::~Memory() = default;

bool Memory::valid() const { return bytesShadow->valid(); }

uint64_t Memory::used() const {
  std::lock_guard<std::mutex> lock(mutex);
  return usedBytes;
}

uint64_t Memory::allocate(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  bytes = bytes ? bytes : 1;
  if (bytes > size)
    return 0;
  const uint64_t needed = room(bytes);
  for (auto gap = gaps.begin(); gap != gaps.end(); ++gap) {
    if (gap->second < needed)
      continue;
    const auto [address, free] = *gap;
    gaps.erase(gap);
    if (free > needed)
      gaps[address + needed] = free - needed;
    live[address] = bytes;
    usedBytes += bytes;
    bytesShadow->mark(address, bytes, kLive);
    return address;
  }
  return 0;
}

bool Memory::free(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto found = live.find(address);
  if (found == live.end())
    return false;
  bytesShadow->mark(address, found->second, 0);
  usedBytes -= found->second;
  auto gap = gaps.emplace(address, room(found->second)).first;
  live.erase(found);
  const auto next = std::next(gap);
  if (next != gaps.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps.erase(next);
  }
  if (gap != gaps.begin()) {
    const auto before = std::prev(gap);
    if (before->first + before->second == gap->first) {
      before->second += gap->second;
      gaps.erase(gap);
    }
  }
  return true;
}

std::optional<Memory::Allocation> Memory::find(uint64_t address) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto after = live.upper_bound(address);
  if (after == live.begin())
    return std::nullopt;
  const auto [start, bytes] = *std::prev(after);
  if (address - start >= bytes)
    return std::nullopt;
  return Allocation{start, bytes};
}

Memory::Error Memory::check(const char *what, uint64_t address,
                            uint64_t bytes) const {
  const auto found = find(address);
  if (bytes == 0 ||
      (found && bytes <= found->bytes - (address - found->address)))
    return std::nullopt;
  char text[160];
  if (found)
    std::snprintf(text, sizeof(text),
                  "%s %" PRIu64 " bytes at 0x%" PRIx64 ", %" PRIu64
                  " before the end of an allocation of %" PRIu64,
                  what, bytes, address,
                  found->bytes - (address - found->address), found->bytes);
  else
    std::snprintf(text, sizeof(text),
                  "%s %" PRIu64 " bytes at 0x%" PRIx64
                  ", which is in no live allocation",
                  what, bytes, address);
  return text;
}

static void *pointer(uint64_t address) {
  return reinterpret_cast<void *>(address);
}

Memory::Error Memory::copyIn(uint64_t to, const void *from, uint64_t bytes) {
  if (auto error = check("writes", to, bytes); error || bytes == 0)
    return error;
  copyInRelaxed(pointer(to), from, bytes);
  bytesShadow->mark(to, bytes, kWhole);
  return std::nullopt;
}

Memory::Error Memory::copyOut(void *to, uint64_t from, uint64_t bytes) const {
  if (auto error = check("reads", from, bytes); error || bytes == 0)
    return error;
  copyOutRelaxed(to, pointer(from), bytes);
  return std::nullopt;
}

Memory::Error Memory::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  if (auto error = check("reads", from, bytes); error || bytes == 0)
    return error;
  if (auto error = check("writes", to, bytes))
    return error;
  if (to < from + bytes && from < to + bytes)
    return "copies " + std::to_string(bytes) + " bytes that overlap";
  copyWithinRelaxed(pointer(to), pointer(from), bytes);
  const View &view = bytesShadow->view();
  copyWithinRelaxed(view.state + (to - view.base),
                    view.state + (from - view.base), bytes);
  return std::nullopt;
}

Memory::Error Memory::fill(uint64_t to, uint8_t value, uint64_t bytes) {
  if (auto error = check("fills", to, bytes); error || bytes == 0)
    return error;
  setAll(static_cast<uint8_t *>(pointer(to)), bytes, value);
  bytesShadow->mark(to, bytes, kWhole);
  return std::nullopt;
}

Memory::Error Memory::forget(uint64_t address, uint64_t bytes) {
  if (auto error = check("forgets", address, bytes); error || bytes == 0)
    return error;
  bytesShadow->mark(address, bytes, kLive);
  return std::nullopt;
}
