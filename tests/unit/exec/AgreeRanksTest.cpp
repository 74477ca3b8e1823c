// SPDX-License-Identifier: Apache-2.0
// What ranks tell each other when they open a Session.
#include "session/AgreeRanks.h"
#include "RankThreads.h"

using namespace smp;
using namespace smp::test;

namespace {

StatusOr<std::vector<RankOffer>> agree(Communicator &communicator,
                                       const RankOffer &mine,
                                       std::string *said = nullptr) {
  communicator.beginEpoch(1);
  return agreeRanks(communicator, 1, deadlineAfter(30), mine,
                    [&](LogLevel, std::string_view line) {
                      if (said)
                        *said += line;
                    });
}

TEST(AgreeRanks, EachLearnsWhatTheOthersWant) {
  onThreads(3, [](Communicator &communicator) {
    RankOffer mine{"7", "cpu:0", "", {}};
    if (communicator.rank() > 0)
      mine.wantedOutputs = {"y", "of " + std::to_string(communicator.rank())};
    auto offers = agree(communicator, mine);
    ASSERT_TRUE(offers.ok()) << offers.status().message();
    ASSERT_EQ(offers->size(), 3u);
    EXPECT_TRUE((*offers)[0].wantedOutputs.empty());
    EXPECT_EQ((*offers)[2].wantedOutputs,
              (std::vector<std::string>{"y", "of 2"}));
  });
}

TEST(AgreeRanks, OtherKindsAreSaidToTheLogWhereThereAreSome) {
  onThreads(3, [](Communicator &communicator) {
    const char *kinds[] = {"", "fast", "slow"};
    std::string said;
    auto offers =
        agree(communicator, {"7", "d", kinds[communicator.rank()], {}}, &said);
    ASSERT_TRUE(offers.ok()) << offers.status().message();
    EXPECT_EQ((*offers)[1].kinds, "fast");
    const char *expected[] = {"",
                              "rank 2 has devices of kind slow, rank 1 of "
                              "fast: numbers depend on the kind",
                              "rank 1 has devices of kind fast, rank 2 of "
                              "slow: numbers depend on the kind"};
    EXPECT_EQ(said, expected[communicator.rank()]);
  });
}

TEST(AgreeRanks, WhatIsNoOfferIsRefused) {
  onThreads(2, [](Communicator &communicator) {
    if (communicator.rank() == 1) {
      communicator.beginEpoch(1);
      const std::string other("7\0d", 3);
      EXPECT_TRUE(communicator
                      .allGather({"offers", {1, 0, 0}, deadlineAfter(30)},
                                 std::as_bytes(std::span(other)))
                      .ok());
      return;
    }
    auto offers = agree(communicator, {"7", "d", "", {}});
    ASSERT_FALSE(offers.ok());
    EXPECT_EQ(offers.status().message(),
              "rank 1 opened its Session with another version of smp");
  });
}

TEST(AgreeRanks, AnOfferIsNotLargerThanOthersTake) {
  onThreads(1, [](Communicator &communicator) {
    auto offers = agree(communicator, {"7", std::string(1 << 20, 'd'), "", {}});
    ASSERT_FALSE(offers.ok());
    EXPECT_NE(offers.status().message().find("at most 1048576"),
              std::string::npos)
        << offers.status().message();
  });
}

} // namespace
