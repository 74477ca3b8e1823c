// SPDX-License-Identifier: Apache-2.0
#include "play/UpdateGate.h"
#include "smp/drivers/ranks/Communicators.h"
#include <gtest/gtest.h>
#include <thread>

using namespace smp;

namespace {

TEST(UpdateGate, WhoComesToARefusedOneIsToldSo) {
  UpdateGate gate(nullptr, 0);
  gate.beginStep(1, 1);
  EXPECT_TRUE(gate.refuse());
  EXPECT_TRUE(gate.refuse());
  const Status status = gate.pass();
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
  EXPECT_EQ(status.message(), "a stop was requested");
  EXPECT_FALSE(gate.wasOpened());
  gate.beginStep(2, 1);
  EXPECT_TRUE(gate.pass().ok());
  EXPECT_TRUE(gate.wasOpened());
  EXPECT_FALSE(gate.refuse());
}

/// One rank refuses at all times around the meeting: both make the update, or
/// neither does.
TEST(UpdateGate, IsOpenOnAllRanksOrOnNone) {
  auto ranks = makeInProcessCommunicators(2);
  UpdateGate here(ranks[0].get(), 7), there(ranks[1].get(), 7);
  unsigned opened = 0, refused = 0;
  for (uint64_t step = 1; step <= 2000 && (step <= 500 || !opened || !refused);
       ++step) {
    for (auto &rank : ranks)
      rank->beginEpoch(step);
    here.beginStep(step, 1);
    there.beginStep(step, 1);
    std::atomic<int> ready{0};
    auto start = [&] {
      ++ready;
      while (ready < 3) {
      }
    };
    const auto pass = [&](UpdateGate &gate, Communicator &rank) {
      start();
      if (const Status status = gate.pass(); !status.ok())
        rank.fail(step, status);
    };
    std::thread first(pass, std::ref(here), std::ref(*ranks[0]));
    std::thread second(pass, std::ref(there), std::ref(*ranks[1]));
    start();
    for (uint64_t i = 0; i < step % 500; ++i)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    const bool isRefused = here.refuse();
    first.join();
    second.join();
    ASSERT_EQ(here.wasOpened(), !isRefused) << "step " << step;
    ASSERT_EQ(there.wasOpened(), !isRefused) << "step " << step;
    ++(isRefused ? refused : opened);
  }
  EXPECT_GT(refused, 0u);
}

} // namespace
