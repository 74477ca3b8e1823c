// SPDX-License-Identifier: Apache-2.0
#include "Lanes.h"

namespace smp {

using Hold = std::lock_guard<std::mutex>;

Lanes::Lanes(uint32_t rank, uint32_t size) : rank(rank), gone(size) {
  closed = makeBox();
  closed->beginEpoch(UINT64_MAX);
}

std::shared_ptr<Mailbox> Lanes::makeBox() const {
  auto box = std::make_shared<Mailbox>(rank, uint32_t(gone.size()));
  for (uint32_t from = 0; from < gone.size(); ++from)
    if (gone[from] && gone[from]->ok())
      box->leave(from, 0);
    else if (gone[from])
      box->lose(from, *gone[from]);
  return box;
}

StatusOr<std::shared_ptr<Mailbox>> Lanes::find(uint32_t lane) {
  Hold hold(lock);
  if (lane >= opened && lane - opened >= kMostAhead)
    return dataLoss("sent a message of lane " + std::to_string(lane) +
                    ", where rank " + std::to_string(rank) + " has opened " +
                    std::to_string(opened) + "; at most " +
                    std::to_string(kMostAhead) + " more may be used");
  if (const auto found = boxes.find(lane); found != boxes.end())
    return found->second;
  return lane < opened ? closed : boxes[lane] = makeBox();
}

void Lanes::lose(uint32_t from, const Status &why) {
  Hold hold(lock);
  if (!gone[from])
    gone[from] = why;
  for (auto &[lane, box] : boxes)
    box->lose(from, why);
}

void Lanes::leave(uint32_t from, uint64_t epoch) {
  Hold hold(lock);
  if (!gone[from])
    gone[from] = Status();
  for (auto &[lane, box] : boxes)
    box->leave(from, lane == 0 ? epoch : 0);
}

uint64_t Lanes::waitingBytes(uint32_t from) const {
  Hold hold(lock);
  uint64_t bytes = 0;
  for (const auto &[lane, box] : boxes)
    bytes += box->waitingBytes(from);
  return bytes;
}

uint32_t Lanes::open() {
  Hold hold(lock);
  if (!boxes.contains(opened))
    boxes[opened] = makeBox();
  return opened++;
}

void Lanes::close(uint32_t lane) {
  Hold hold(lock);
  boxes.erase(lane);
}

} // namespace smp
