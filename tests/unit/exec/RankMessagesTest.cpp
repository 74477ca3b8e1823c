// SPDX-License-Identifier: Apache-2.0
// What ranks say to each other in a step, and how far one is ahead of another.
#include "RankSessions.h"
#include "step/MessageKeys.h"
#include <algorithm>
#include <mutex>
#include <semaphore>

using namespace smp;
using namespace smp::test;

namespace {

/// Passes everything on, keeps what was planned, and says when it is received.
class Recorder final : public Communicator {
public:
  explicit Recorder(Communicator &to) : to(to) {}
  std::function<void(uint32_t from, MessageTag tag)> onReceive =
      [](uint32_t, MessageTag) {};
  uint32_t rank() const override { return to.rank(); }
  uint32_t size() const override { return to.size(); }
  Status send(uint32_t rank, MessageTag tag, std::span<const std::byte> bytes,
              Deadline deadline) override {
    return to.send(rank, tag, bytes, deadline);
  }
  Status receive(uint32_t from, MessageTag tag, std::span<std::byte> bytes,
                 Deadline deadline) override {
    onReceive(from, tag);
    return to.receive(from, tag, bytes, deadline);
  }
  StatusOr<std::vector<std::byte>> receiveAny(uint32_t from, MessageTag tag,
                                              Deadline deadline) override {
    onReceive(from, tag);
    return to.receiveAny(from, tag, deadline);
  }
  void beginEpoch(uint64_t epoch) override { to.beginEpoch(epoch); }
  uint64_t epoch() const override { return to.epoch(); }
  void fail(uint64_t epoch, const Status &why) override { to.fail(epoch, why); }
  uint64_t progress() const override { return to.progress(); }
  std::string waits() const override { return to.waits(); }
  void planMessages(uint64_t epoch,
                    std::span<const MessageSize> sizes) override {
    EXPECT_EQ(epoch, to.epoch());
    planned.assign(sizes.begin(), sizes.end());
    to.planMessages(epoch, sizes);
  }

  std::unique_ptr<Communicator> openLane() override { return to.openLane(); }

  std::vector<MessageSize> planned;

private:
  Communicator &to;
};

/// The edge's tensors, what comes back for them, the output's, and meetings:
/// every message of a step has a size that both sides know.
TEST(RankMessages, EveryMessageOfAStepIsPlanned) {
  onThreads(2, [](Communicator &communicator) {
    Recorder recorder(communicator);
    auto maker = makeChain(2);
    auto session = openSession(maker->finish().take(),
                               onRanks("0/cpu:0,1/cpu:0", recorder))
                       .take();
    const uint32_t other = 1 - communicator.rank();
    std::vector<uint64_t> sizes;
    for (const MessageSize &message : recorder.planned)
      if (message.peer == other)
        sizes.push_back(message.bytes);
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<uint64_t>{0, 0, 0, 1, 64, 64}));
    const TestTensor x({4, 8});
    auto result = session->step("predict", std::vector{x.as("x")}, {});
    EXPECT_TRUE(result.ok()) << result.status().message();
  });
}

/// What somebody does around each step of a rank.
struct AroundStep {
  std::function<void(Communicator &, int step)> before, after;
};

/// Rank 0 does all the work and waits for nothing that rank 1 makes; rank 1
/// begins its second step when rank 0 has come as far as it can.
void runAhead(int steps, const AroundStep &around) {
  std::binary_semaphore far{0};
  onThreads(2, [&](Communicator &communicator) {
    Recorder recorder(communicator);
    auto session =
        openSession(makeChain(1)->finish().take(), onRanks("0/cpu:0", recorder))
            .take();
    std::once_flag once;
    auto comeFar = [&] { std::call_once(once, [&] { far.release(); }); };
    int step = 1;
    if (communicator.rank() == 0)
      recorder.onReceive = [&](uint32_t, MessageTag) {
        if (step > 1)
          comeFar();
      };
    for (; step <= steps; ++step) {
      if (communicator.rank() == 1 && step == 2)
        far.acquire();
      around.before(communicator, step);
      const TestTensor x({4, 8}, float(step));
      auto result = session->step("predict", std::vector{x.as("x")}, {2, {}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(floatsOf(result->find("y")), chained(x, 1));
      around.after(communicator, step);
    }
    if (communicator.rank() == 0)
      comeFar();
  });
}

TEST(RankMessages, WhoOnlySendsWaitsForWhoOnlyReceives) {
  constexpr int kMostAhead = 16;
  std::atomic<int> begun{0}; // By rank 0.
  runAhead(100, {[&](Communicator &communicator, int step) {
                   if (communicator.rank() == 0)
                     begun = step;
                   else
                     EXPECT_LE(begun, step - 1 + kMostAhead);
                 },
                 [](Communicator &, int) {}});
}

/// A slow receiver sends nothing of its own, and still its steps are progress
/// for who waits to meet it.
TEST(RankMessages, WhoWaitsToMeetSeesTheStepsOfOthers) {
  constexpr int kSteps = 17; // In the last they meet again.
  std::atomic<Communicator *> sender{nullptr};
  uint64_t progress = 0;
  runAhead(kSteps, {[&](Communicator &communicator, int step) {
                      if (communicator.rank() == 0)
                        sender = &communicator;
                      else if (step > 1) // Rank 0 has begun its own.
                        progress = sender.load()->progress();
                    },
                    [&](Communicator &communicator, int step) {
                      if (communicator.rank() == 1 && step > 1) {
                        EXPECT_GT(sender.load()->progress(), progress)
                            << "step " << step;
                      }
                    }});
}

/// A rank that has sent one output's last microbatch has sent all of others':
/// what is taken in another order waits meanwhile.
TEST(RankMessages, OutputsAreTakenAsTheyAreSent) {
  onThreads(2, [](Communicator &communicator) {
    Recorder recorder(communicator);
    std::vector<std::pair<uint32_t, uint64_t>> taken;
    auto maker = makeChain(1);
    maker->output("z");
    const auto position = int32_t(maker->stage(
        0, 1, 1, {maker->launch("twice_plus_one16", {input(0), output(0)})}));
    maker->entry().edges[0].to.push_back({position, 0});
    maker->edge({position, 0}, {{kCaller, 1}});
    auto made = maker->finish();
    ASSERT_TRUE(made.ok()) << made.status().message();
    auto opened = openSession(made.take(), onRanks("0/cpu:0", recorder));
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    recorder.onReceive = [&](uint32_t, MessageTag tag) {
      if (tag.key != wishKey())
        taken.emplace_back(tag.index, tag.key);
    };
    const TestTensor x({6, 8});
    auto result = opened->get()->step("predict", std::vector{x.as("x")}, {});
    ASSERT_TRUE(result.ok()) << result.status().message();
    if (communicator.rank() == 0)
      return;
    EXPECT_EQ(taken.size(), 2u * 3u);
    EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
    for (const char *name : {"y", "z"})
      EXPECT_EQ(floatsOf(result->find(name)), chained(x, 1));
  });
}

TEST(RankMessages, OutputsOfStagesThatLagAreTakenAsTheyAreSent) {
  onThreads(2, [](Communicator &communicator) {
    Recorder recorder(communicator);
    std::vector<std::pair<uint64_t, uint32_t>> taken;
    auto maker = makeChunks(2, 2); // Rank 1 has no partition.
    maker->output("first");
    maker->entry().edges[1].to.push_back({kCaller, 1});
    auto opened = openSession(maker->finish().take(),
                              onRanks("0/cpu:0,0/cpu:1", recorder));
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    recorder.onReceive = [&](uint32_t, MessageTag tag) {
      if (tag.key != wishKey())
        taken.emplace_back(tag.key, tag.index);
    };
    const TestTensor x({6, 8});
    auto result = opened->get()->step("predict", std::vector{x.as("x")}, {});
    ASSERT_TRUE(result.ok()) << result.status().message();
    if (communicator.rank() == 0)
      return;
    // The last stage makes y and is a round behind the first.
    const uint64_t y = outputKey(0, 0), first = outputKey(0, 1);
    EXPECT_EQ(taken,
              (std::vector<std::pair<uint64_t, uint32_t>>{
                  {first, 0}, {y, 0}, {first, 1}, {y, 1}, {first, 2}, {y, 2}}));
    EXPECT_EQ(floatsOf(result->find("y")), chained(x, 4));
    EXPECT_EQ(floatsOf(result->find("first")), chained(x, 1));
  });
}

TEST(RankMessages, AReceiverThatDoesNotComeIsReported) {
  onThreads(2, [](Communicator &communicator) {
    SessionOptions options = onRanks("0/cpu:0", communicator);
    options.deadlineSeconds = 0.2;
    options.log = [](LogLevel, std::string_view) {};
    auto session = openSession(makeChain(1)->finish().take(), options).take();
    if (communicator.rank() == 1) { // Until rank 0 has given up.
      ASSERT_TRUE(communicator.receive(0, {1000, 0, 0}, {}, {}).ok());
      return;
    }
    const TestTensor x({4, 8});
    Status status;
    for (int step = 0; status.ok() && step < 100; ++step)
      status = session->step("predict", std::vector{x.as("x")}, {}).status();
    EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
    EXPECT_NE(status.message().find("rank 0 waits for rank 1"),
              std::string::npos)
        << status.message();
    (void)communicator.send(1, {1000, 0, 0}, {}, {});
  });
}

} // namespace
