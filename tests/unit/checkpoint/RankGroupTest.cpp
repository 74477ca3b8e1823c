// SPDX-License-Identifier: Apache-2.0
// What ranks tell each other beside their steps.
#include "RankLane.h"
#include "RankTraining.h"

using namespace smp;
using namespace smp::test;

namespace {

using Texts = std::vector<std::string>;

RankLane openLane(RankTraining &training) {
  auto lane = RankLane::open(Checkpoint(training));
  EXPECT_TRUE(lane.ok()) << lane.status().message();
  return lane.take();
}

TEST(RankGroup, OneRankTalksToItself) {
  RankTraining training(nullptr);
  RankLane lane = openLane(training);
  RankGroup group = lane.meet(1);
  EXPECT_TRUE(group.isFirst());
  EXPECT_EQ(*group.agree("", Status(), "I"), Texts{"I"});
  EXPECT_EQ(group.agree("", dataLoss("no"), "I").status().message(), "no");
  EXPECT_TRUE(group.hearFirst(Status(), "").ok());
}

/// Each call of a conversation comes between two steps, and one rank is always
/// a step ahead.
TEST(RankGroup, StepsDoNotEndAConversation) {
  onThreads(3, [](Communicator &communicator) {
    RankTraining training(&communicator);
    RankLane lane = openLane(training);
    const std::string own = "rank " + std::to_string(communicator.rank());
    int trained = 0;
    for (int i = 0; i < 3; ++i) {
      RankGroup group = lane.meet(uint64_t(i + 1));
      EXPECT_EQ(group.rank(), communicator.rank());
      EXPECT_EQ(group.size(), 3u);
      training.train();
      auto all = group.agree("greeting", Status(), own);
      ASSERT_TRUE(all.ok()) << all.status().message();
      EXPECT_EQ(*all, (Texts{"rank 0", "rank 1", "rank 2"}));
      training.train();
      const Status heard = group.hearFirst(dataLoss("of " + own), "").status();
      EXPECT_EQ(heard.message(),
                communicator.rank() ? "rank 0: of rank 0" : "");
      trained += 2;
    }
    expectAfter(training, trained);
  });
}

TEST(RankGroup, BytesThatOneRankCannotGetAreTheErrorOfAll) {
  onThreads(2, [](Communicator &communicator) {
    RankTraining training(&communicator);
    RankLane lane = openLane(training);
    RankGroup group = lane.meet(1);
    std::vector<std::byte> bytes(4);
    const Status ended = group.isFirst() ? group.receive(1, bytes)
                                         : group.fail(dataLoss("it is gone"));
    EXPECT_NE(ended.message().find("it is gone"), std::string::npos)
        << ended.message();
  });
}

TEST(RankGroup, BytesOfAnySizeGoToTheFirst) {
  onThreads(3, [](Communicator &communicator) {
    RankTraining training(&communicator);
    RankLane lane = openLane(training);
    RankGroup group = lane.meet(1, /*first=*/2);
    EXPECT_EQ(group.isFirst(), communicator.rank() == 2);
    const size_t sizes[] = {0, 5, size_t(kMostUnplannedBytes) + 1};
    auto bytesOf = [](uint32_t rank, size_t size) {
      return std::vector<std::byte>(size, std::byte(rank + size));
    };
    for (size_t size : sizes) {
      if (!group.isFirst()) {
        const auto bytes = bytesOf(group.rank(), size);
        EXPECT_TRUE(group.sendFirst(bytes).ok());
        continue;
      }
      for (uint32_t from : {1u, 0u}) {
        std::vector<std::byte> bytes(size);
        const Status received = group.receive(from, bytes);
        ASSERT_TRUE(received.ok()) << received.message();
        EXPECT_EQ(bytes, bytesOf(from, size));
      }
    }
    const Status heard = group.hearFirst(dataLoss("no"), "").status();
    EXPECT_EQ(heard.message(), group.isFirst() ? "" : "rank 2: no");
  });
}

TEST(RankGroup, AnErrorOfOneIsTheErrorOfAll) {
  onThreads(3, [](Communicator &communicator) {
    RankTraining training(&communicator);
    RankLane lane = openLane(training);
    RankGroup group = lane.meet(1);
    const uint32_t rank = communicator.rank();
    const Status mine = rank == 1 ? dataLoss("broken") : Status();
    const Status agreed = group.agree("parts", mine, "fine").status();
    EXPECT_EQ(agreed.code(), StatusCode::DataLoss);
    EXPECT_EQ(agreed.message(), rank == 1 ? "broken" : "rank 1: broken");
    // The conversation goes on.
    EXPECT_TRUE(group.agree("again", Status(), "").ok());
  });
}

/// What becomes of a lane is no matter of the steps.
TEST(RankGroup, WhoMissesAConversationIsNamed) {
  onThreads(3, [](Communicator &communicator) {
    const uint32_t rank = communicator.rank();
    RankTraining training(&communicator);
    auto lane = training->openLane();
    if (rank == 2) { // It comes when the others have given up.
      std::byte byte[1];
      const Status status = lane->receive(0, {1, 7, 7}, byte, {});
      EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
    } else {
      RankGroup group(lane.get(), 1, rank == 0 ? 0.2 : 30);
      auto all = group.agree("parts", Status(), "", 0.05);
      EXPECT_EQ(all.status().code(), StatusCode::DeadlineExceeded);
      const std::string message = all.status().message();
      EXPECT_TRUE(
          message.starts_with(std::string(rank == 0 ? "" : "rank 0: ") +
                              "'parts' 0 of epoch 1: 2 of 3 ranks came in "))
          << message;
      EXPECT_TRUE(message.ends_with(" seconds, rank 0 waits for rank 2"))
          << message;
      EXPECT_FALSE(group.hearFirst(Status(), "").ok());
    }
    training.train();
    expectAfter(training, 1);
  });
}

} // namespace
