// SPDX-License-Identifier: Apache-2.0
#include "Collectives.h"
#include "../core/Block.h"
#include "../core/Lanes.h"

using namespace smp::emulator;

namespace {

enum class Shuffle { Up, Down, Butterfly, Index };

// As the PTX manual has it: `c` holds the segments and the bound.
template <Shuffle how>
bool sourceLane(int lane, uint32_t b, uint32_t c, int &source) {
  const int segments = static_cast<int>(c >> 8 & 31), bound = c & 31;
  const int by = static_cast<int>(b & 31);
  const int last = (lane & segments) | (bound & ~segments);
  const int first = lane & segments;
  source = how == Shuffle::Up          ? lane - by
           : how == Shuffle::Down      ? lane + by
           : how == Shuffle::Butterfly ? lane ^ by
                                       : first | (by & ~segments);
  const bool within = how == Shuffle::Up ? source >= last : source <= last;
  if (!within)
    source = lane;
  return within;
}

template <Shuffle how>
void shuffle(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const auto &ops = instruction.ops;
  const auto a = read<uint32_t>(warp, ops[1]), b = read<uint32_t>(warp, ops[2]),
             c = read<uint32_t>(warp, ops[3]);
  const uint32_t has = known(warp, ops[1]);
  Lanes<uint32_t> r{};
  uint32_t within = 0, defined = 0;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const uint32_t lane = __builtin_ctz(lanes);
    int source = 0;
    if (sourceLane<how>(static_cast<int>(lane), b.at[lane], c.at[lane], source))
      within |= 1u << lane;
    if (!(mask >> source & 1)) {
      report(warp, instruction, lane, FaultKind::Divergence,
             "takes the value of lane " + std::to_string(source) +
                 ", which does not take part (mask " + hex(mask) + ")");
      return;
    }
    r.at[lane] = a.at[source];
    defined |= (has >> source & 1) << lane;
  }
  defined &= known(warp, ops[2]) & known(warp, ops[3]);
  write(warp, ops[0], r, mask, defined);
  if (!isNowhere(instruction.second))
    writePredicate(warp, instruction.second, within, mask);
}

enum class Vote { All, Any, Uniform, Ballot };

template <Vote how>
void vote(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Ref from = instruction.ops[1];
  const uint32_t votes = readPredicate(warp, from) & mask;
  const uint32_t defined = (known(warp, from) & mask) == mask ? kAllLanes : 0;
  if constexpr (how == Vote::Ballot) {
    Lanes<uint32_t> r;
    for (uint32_t &one : r.at)
      one = votes;
    write(warp, instruction.ops[0], r, mask, defined);
  } else {
    const bool yes = how == Vote::All   ? votes == mask
                     : how == Vote::Any ? votes != 0
                                        : votes == mask || votes == 0;
    writePredicate(warp, instruction.ops[0], yes ? kAllLanes : 0, mask,
                   defined);
  }
}

template <typename T>
void matchAny(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<T> a = read<T>(warp, instruction.ops[1]);
  Lanes<uint32_t> r{};
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t other = 0; other < kLanes; ++other)
      r.at[lane] |= uint32_t((mask >> other & 1) && a.at[lane] == a.at[other])
                    << other;
  const bool whole = (known(warp, instruction.ops[1]) & mask) == mask;
  write(warp, instruction.ops[0], r, mask, whole ? kAllLanes : 0);
}

template <typename T>
void matchAll(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<T> a = read<T>(warp, instruction.ops[1]);
  bool equal = true;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    equal &= !(mask >> lane & 1) || a.at[lane] == a.at[__builtin_ctz(mask)];
  Lanes<uint32_t> r;
  for (uint32_t &one : r.at)
    one = equal ? mask : 0;
  const bool whole = (known(warp, instruction.ops[1]) & mask) == mask;
  write(warp, instruction.ops[0], r, mask, whole ? kAllLanes : 0);
  if (!isNowhere(instruction.second))
    writePredicate(warp, instruction.second, equal ? kAllLanes : 0, mask);
}

template <typename T>
T plus(T a, T b) {
  return static_cast<T>(uint32_t(a) + uint32_t(b));
}
template <typename T>
T least(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T greatest(T a, T b) {
  return a < b ? b : a;
}
uint32_t both(uint32_t a, uint32_t b) { return a & b; }
uint32_t either(uint32_t a, uint32_t b) { return a | b; }
uint32_t exclusive(uint32_t a, uint32_t b) { return a ^ b; }

template <typename T, auto op>
void reduce(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<T> a = read<T>(warp, instruction.ops[1]);
  T all = a.at[__builtin_ctz(mask)];
  for (uint32_t lanes = mask & (mask - 1); lanes; lanes &= lanes - 1)
    all = op(all, a.at[__builtin_ctz(lanes)]);
  Lanes<T> r;
  for (T &one : r.at)
    one = all;
  const bool whole = (known(warp, instruction.ops[1]) & mask) == mask;
  write(warp, instruction.ops[0], r, mask, whole ? kAllLanes : 0);
}

void meet(Warp &warp, const Instruction &, uint32_t) { tick(warp); }

Table makeTable() {
  return {
      {"bar.warp.sync", {meet, ""}},
      {"shfl.sync.up.b32", {shuffle<Shuffle::Up>, "w|pwww"}},
      {"shfl.sync.down.b32", {shuffle<Shuffle::Down>, "w|pwww"}},
      {"shfl.sync.bfly.b32", {shuffle<Shuffle::Butterfly>, "w|pwww"}},
      {"shfl.sync.idx.b32", {shuffle<Shuffle::Index>, "w|pwww"}},
      {"vote.sync.all.pred", {vote<Vote::All>, "pp"}},
      {"vote.sync.any.pred", {vote<Vote::Any>, "pp"}},
      {"vote.sync.uni.pred", {vote<Vote::Uniform>, "pp"}},
      {"vote.sync.ballot.b32", {vote<Vote::Ballot>, "wp"}},
      {"match.any.sync.b32", {matchAny<uint32_t>, "ww"}},
      {"match.any.sync.b64", {matchAny<uint64_t>, "wd"}},
      {"match.all.sync.b32", {matchAll<uint32_t>, "w|pw"}},
      {"match.all.sync.b64", {matchAll<uint64_t>, "w|pd"}},
      {"redux.sync.add.u32", {reduce<uint32_t, plus<uint32_t>>, "ww"}},
      {"redux.sync.add.s32", {reduce<int32_t, plus<int32_t>>, "ww"}},
      {"redux.sync.min.u32", {reduce<uint32_t, least<uint32_t>>, "ww"}},
      {"redux.sync.min.s32", {reduce<int32_t, least<int32_t>>, "ww"}},
      {"redux.sync.max.u32", {reduce<uint32_t, greatest<uint32_t>>, "ww"}},
      {"redux.sync.max.s32", {reduce<int32_t, greatest<int32_t>>, "ww"}},
      {"redux.sync.and.b32", {reduce<uint32_t, both>, "ww"}},
      {"redux.sync.or.b32", {reduce<uint32_t, either>, "ww"}},
      {"redux.sync.xor.b32", {reduce<uint32_t, exclusive>, "ww"}},
  };
}

} // namespace

const Table &smp::emulator::collectives() {
  static const Table table = makeTable();
  return table;
}
