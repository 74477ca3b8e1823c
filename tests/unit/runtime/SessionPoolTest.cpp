// SPDX-License-Identifier: Apache-2.0
#include "smp/runtime/SessionPool.h"
#include "TestPrograms.h"
#include "smp/runtime/Communicators.h"
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

struct Chain {
  Chain() : maker(makeChain(1)) {
    if (!maker->finish().ok())
      ADD_FAILURE() << "no program";
    program = SharedProgram::read(maker->file()).take();
  }
  std::unique_ptr<ProgramMaker> maker;
  std::optional<SharedProgram> program;
};

bool runs(Session &session) {
  const TestTensor x({2, 8});
  const InputTensor in = x.as("x");
  const auto output = session.step("predict", {&in, 1});
  return output.ok() && floatsOf(output->find("y"))[5] == chainOf(5, 1);
}

TEST(SessionPool, EachSessionIsOnesAloneUntilItIsGivenBack) {
  Chain chain;
  auto pool = SessionPool::open(*chain.program, 2).take();
  EXPECT_EQ(pool.size(), 2u);
  auto first = pool.take();
  {
    auto second = pool.take();
    EXPECT_NE(&*first, &*second);
    EXPECT_FALSE(pool.tryTake().has_value());
    EXPECT_TRUE(runs(*second));
  }
  auto again = pool.tryTake();
  ASSERT_TRUE(again.has_value());
  auto moved = std::move(first);
  EXPECT_TRUE(runs(*moved));
  EXPECT_FALSE(pool.tryTake().has_value());
}

TEST(SessionPool, WhoWaitsGetsTheNextThatIsGivenBack) {
  Chain chain;
  auto pool = SessionPool::open(*chain.program, 1).take();
  std::vector<std::thread> threads;
  std::atomic<int> inUse{0}, most{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int step = 0; step < 50; ++step) {
        auto session = pool.take();
        most = std::max(most.load(), ++inUse);
        EXPECT_TRUE(runs(*session));
        --inUse;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(most, 1);
}

TEST(SessionPool, SessionsAreTakenInTurn) {
  Chain chain;
  auto pool = SessionPool::open(*chain.program, 3).take();
  pool.take()->requestStop();
  EXPECT_TRUE(runs(*pool.take()));
  EXPECT_TRUE(runs(*pool.take()));
  auto stopped = pool.take();
  EXPECT_FALSE(runs(*stopped));
  stopped->clearStop();
  EXPECT_TRUE(runs(*stopped));
}

TEST(SessionPool, WrongSizesAndOptionsAreRefused) {
  Chain chain;
  EXPECT_EQ(SessionPool::open(*chain.program, 0).status().message(),
            "a SessionPool of 0 Sessions serves nobody; its size must be at "
            "least 1");
  auto ranks = createInProcessCommunicators(1);
  SessionOptions options;
  options.communicator = ranks[0].get();
  EXPECT_EQ(
      SessionPool::open(*chain.program, 2, options).status().message(),
      "Sessions of a SessionPool cannot share a communicator; open one Session "
      "per rank");
  options = {};
  options.devices = "gpu:0";
  EXPECT_EQ(SessionPool::open(*chain.program, 2, options).status().code(),
            StatusCode::InvalidArgument);
}

} // namespace
