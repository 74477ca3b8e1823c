// SPDX-License-Identifier: Apache-2.0
#include "Crew.h"
#include <algorithm>

namespace smp {

StatusOr<std::unique_ptr<Crew>> Crew::start(std::vector<Executor *> executors) {
  std::unique_ptr<Crew> crew(new Crew);
  for (Executor *executor : executors)
    crew->members.push_back(
        std::make_unique<Member>(Member{executor, Status(), nullptr}));
  for (auto &member : crew->members) {
    SMP_ASSIGN_OR_RETURN(
        member->thread,
        Thread::start("smp part " +
                          std::to_string(member->executor->of().number()),
                      [crew = crew.get(), member = member.get()] {
                        crew->threadMain(*member);
                      }));
  }
  return crew;
}

Crew::~Crew() {
  stopping = true;
  round.fetch_add(1);
  unparkAll(round);
  for (auto &member : members)
    member->thread.reset();
}

void Crew::threadMain(Member &member) {
  member.executor->bindThisThread();
  uint32_t seen = 0;
  while (true) {
    if (spinWhile(
            [&] { return round.load(std::memory_order_acquire) == seen; }))
      while (round.load() == seen)
        park(round, seen);
    if (stopping)
      return;
    ++seen;
    const uint32_t partition = member.executor->of().number();
    member.outcome = member.executor->play(*plan, schedule->actions[partition]);
    if ((left.fetch_sub(1) & ~kOver) == 1)
      unparkAll(left);
  }
}

void Crew::begin(EntryPlan &entry, const Schedule &lists) {
  plan = &entry;
  schedule = &lists;
  left.store(uint32_t(members.size()));
  round.fetch_add(1);
  unparkAll(round);
}

void Crew::wakeUp() {
  left.fetch_or(kOver);
  unparkAll(left);
}

uint64_t Crew::progress() const {
  uint64_t sum = 0;
  for (const auto &member : members)
    sum += member->executor->progress();
  return sum;
}

void Crew::wait(const std::function<double()> &patience) {
  using Clock = std::chrono::steady_clock;
  for (uint32_t now = left.load(); now != 0 && !(now & kOver);
       now = left.load())
    park(left, now);
  uint64_t progressed = progress();
  auto since = Clock::now();
  constexpr uint64_t kLook = 5'000'000; // Nanoseconds.
  for (uint32_t now = left.load(); (now & ~kOver) != 0; now = left.load()) {
    parkFor(left, now, kLook);
    const uint64_t progressNow = progress();
    if (progressNow != progressed)
      since = Clock::now();
    progressed = progressNow;
    const double longest = patience();
    if (longest > 0 &&
        Clock::now() - since > std::chrono::duration<double>(longest))
      return;
  }
}

} // namespace smp
