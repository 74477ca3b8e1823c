// SPDX-License-Identifier: Apache-2.0
#include "Executor.h"

namespace smp {

void Executor::note(Doing what, const Action &action) {
  activity.store(uint64_t(what) << 60 |
                     uint64_t(action.index & 0x0fffffff) << 32 |
                     action.microbatch,
                 std::memory_order_relaxed);
  played.store(played.load(std::memory_order_relaxed) + 1,
               std::memory_order_relaxed);
}

bool Executor::act(EntryPlan &plan, const Action &action) {
  switch (action.kind) {
  case ActionKind::Run:
    note(Doing::Running, action);
    return plan.runs[action.index]->run(action.microbatch);
  case ActionKind::Send:
    note(Doing::Sending, action);
    return plan.links[action.index]->send(action.microbatch);
  case ActionKind::Receive:
    note(Doing::Receiving, action);
    return plan.links[action.index]->receive(action.microbatch);
  }
  return true;
}

/// Before the update: what is done must have gone well, here and elsewhere.
bool Executor::meetOthers() {
  note(Doing::Meeting, {});
  if (!partition.waitForWork().ok()) {
    gate.endWaits(); // The error is what play() returns.
    return false;
  }
  if (Status status = gate.pass(); !status.ok())
    control.fail(status);
  partition.stream().cancelWhen(nullptr); // An update is not left half done.
  return gate.wasOpened() && !control.over();
}

Status Executor::play(EntryPlan &plan, const std::vector<Action> &actions) {
  current.store(&plan, std::memory_order_release);
  partition.saveRollback(plan.states[partition.number()]);
  partition.stream().cancelWhen(&control.isOver());
  bool mayUpdate = !plan.changesVariables();
  bool goesOn = true;
  for (const Action &action : actions) {
    if (!mayUpdate && plan.isUpdate(action))
      goesOn = mayUpdate = meetOthers();
    goesOn = goesOn && !control.over() && act(plan, action);
    if (!goesOn)
      break;
  }
  if (goesOn && !mayUpdate)
    meetOthers();
  note(Doing::Finishing, {});
  partition.stream().record(*finished);
  Status status = finished->wait();
  partition.stream().cancelWhen(nullptr);
  if (!status.ok())
    partition.stream().restart();
  note(Doing::Nothing, {});
  return status;
}

uint64_t Executor::progress() const {
  return played.load(std::memory_order_relaxed) * 0x9e3779b97f4a7c15u +
         partition.stream().progress();
}

static std::string nameOf(const LaunchInfo &launch) {
  return "kernel '" + launch.kernel + "' of stage '" + launch.stage + "'";
}

std::string Executor::runningKernel() const {
  const RunningLaunches running = partition.stream().running();
  if (!running.first)
    return std::string();
  if (running.first == running.last)
    return nameOf(*running.first);
  return "a launch from " + nameOf(*running.first) + " to " +
         nameOf(*running.last);
}

std::string Executor::describe() const {
  const EntryPlan *plan = current.load(std::memory_order_acquire);
  const uint64_t now = activity.load(std::memory_order_relaxed);
  const auto index = uint32_t(now >> 32) & 0x0fffffff;
  const std::string microbatch =
      ", microbatch " + std::to_string(uint32_t(now));
  std::string text = "partition " + std::to_string(partition.number()) + " (" +
                     partition.device().name() + ") ";
  const std::string kernel = runningKernel();
  if (!kernel.empty())
    text += "runs " + kernel + "; its thread ";
  switch (Doing(now >> 60)) {
  case Doing::Nothing:
    return text + "has nothing to do";
  case Doing::Running:
    return text + "is in stage '" + plan->stageName(index) + "'" + microbatch +
           (kernel.empty() ? ", waiting for a place for what it makes" : "");
  case Doing::Sending:
    return text + "sends " + plan->describeChannel(index) + microbatch;
  case Doing::Receiving:
    return text + "waits for the tensor " + plan->describeChannel(index) +
           microbatch;
  case Doing::Meeting:
    return text + "has done its microbatches and waits for all others before "
                  "the update";
  case Doing::Finishing:
    return text + "waits for its device to finish";
  }
  return text;
}

} // namespace smp
