// SPDX-License-Identifier: Apache-2.0
#include "Handshakes.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

const std::string kSecret = "a secret of the ranks";

/// Rank 2 calls rank 1.
struct Pair {
  Pair(Introduction two, Introduction one)
      : two(std::move(two)), one(std::move(one)) {}
  void run(size_t most = 1000) { exchange(there, back, most); }

  const Introduction two, one;
  Handshake caller = Handshake::call(two, numberOf(2), 1, "tcp:127.0.0.1:77");
  Handshake callee = Handshake::answer(one, numberOf(1), welcome);
  Way there{caller, callee}, back{callee, caller};
};

void expectRefused(const Handshake &shake, const std::string &message,
                   bool byStranger) {
  ASSERT_TRUE(shake.over());
  EXPECT_EQ(shake.status().message(), message);
  EXPECT_EQ(shake.byStranger(), byStranger);
  EXPECT_FALSE(shake.isWelcome());
}

TEST(Handshake, BothAreWelcomeInPiecesOfAnySize) {
  for (const std::string &secret : {std::string(), kSecret})
    for (size_t most : {1, 7, 95, 1000}) {
      Pair pair(introduce(2, secret), introduce(1, secret));
      pair.run(most);
      ASSERT_TRUE(pair.caller.over() && pair.callee.over());
      EXPECT_TRUE(pair.caller.isWelcome()) << pair.caller.status().message();
      EXPECT_TRUE(pair.callee.isWelcome()) << pair.callee.status().message();
      EXPECT_EQ(pair.callee.otherRank(), 2u);
      EXPECT_EQ(pair.callee.otherAddress(), "tcp:127.0.0.1:77");
      EXPECT_EQ(pair.caller.otherRank(), 1u);
    }
}

TEST(Handshake, TheSecretIsNotSent) {
  Pair pair(introduce(2, kSecret), introduce(1, kSecret));
  pair.run();
  for (const Way *way : {&pair.there, &pair.back}) {
    const std::string said(reinterpret_cast<const char *>(way->bytes.data()),
                           way->bytes.size());
    EXPECT_EQ(said.find(kSecret), std::string::npos);
  }
}

/// Whatever byte changes on its way, who gets it takes nobody for welcome, and
/// the other side neither, unless it was the last to speak.
TEST(Handshake, EveryByteThatChangesIsNoticed) {
  for (const std::string &secret : {std::string(), kSecret}) {
    Pair whole(introduce(2, secret), introduce(1, secret));
    whole.run();
    for (bool goesThere : {true, false}) {
      const size_t bytes = (goesThere ? whole.there : whole.back).bytes.size();
      ASSERT_GT(bytes, Hello::kBytes);
      for (size_t at = 0; at < bytes; ++at)
        for (uint8_t flip : {0x01, 0x80}) {
          Pair pair(introduce(2, secret), introduce(1, secret));
          Way &way = goesThere ? pair.there : pair.back;
          way.onTheWay = [&](std::span<std::byte> next, size_t from) {
            if (at >= from && at < from + next.size())
              next[at - from] ^= std::byte(flip);
          };
          pair.run();
          EXPECT_FALSE((goesThere ? pair.callee : pair.caller).isWelcome())
              << "byte " << at << (goesThere ? " there" : " back");
          const bool wasLast = !goesThere && at >= Hello::kBytes;
          EXPECT_EQ((goesThere ? pair.caller : pair.callee).isWelcome(),
                    wasLast)
              << "byte " << at << (goesThere ? " there" : " back");
        }
    }
  }
}

TEST(Handshake, WhoKnowsAnotherSecretIsAStranger) {
  Pair pair(introduce(2, kSecret + "?"), introduce(1, kSecret));
  pair.run();
  const std::string message = "rank 2 does not know the secret of rank 1; give "
                              "every rank the same one";
  expectRefused(pair.callee, message, true);
  expectRefused(pair.caller, message, true);
  // It was given nothing to guess the secret by.
  const auto digest = std::span(pair.back.bytes).last(sizeof(Digest));
  EXPECT_TRUE(std::all_of(digest.begin(), digest.end(),
                          [](std::byte byte) { return byte == std::byte(0); }));
}

TEST(Handshake, WhoHasNoSecretIsAStranger) {
  for (bool calleeHasIt : {true, false}) {
    Pair pair(introduce(2, calleeHasIt ? "" : kSecret),
              introduce(1, calleeHasIt ? kSecret : ""));
    pair.run();
    const std::string message =
        calleeHasIt
            ? "rank 1 was given a secret and rank 2 was not; give every "
              "rank the same one"
            : "rank 2 was given a secret and rank 1 was not; give every "
              "rank the same one";
    expectRefused(pair.callee, message, true);
    expectRefused(pair.caller, message, true);
  }
}

/// What was said once is of no use another time, nor to its speaker.
TEST(Handshake, NothingCanBeSaidAgain) {
  Pair first(introduce(2, kSecret), introduce(1, kSecret));
  first.run();
  ASSERT_TRUE(first.callee.isWelcome());
  // To the same rank, which draws another number.
  const Introduction one = introduce(1, kSecret);
  Handshake callee = Handshake::answer(one, numberOf(9), welcome);
  auto tell = [](Handshake &to, const std::vector<std::byte> &said) {
    for (size_t at = 0; at < said.size() && !to.room().empty();) {
      const auto room = to.room();
      const size_t count = std::min(room.size(), said.size() - at);
      std::copy_n(said.begin() + ptrdiff_t(at), count, room.begin());
      to.filled(count);
      at += count;
    }
  };
  tell(callee, first.there.bytes);
  EXPECT_FALSE(callee.isWelcome());
  EXPECT_TRUE(callee.byStranger());
  // As if by rank 1, to who calls it.
  const Introduction two = introduce(2, kSecret);
  Handshake caller = Handshake::call(two, numberOf(8), 1, "");
  tell(caller, first.back.bytes);
  EXPECT_FALSE(caller.isWelcome());
  // Back to who said it.
  Handshake itself = Handshake::call(two, numberOf(2), 1, "tcp:127.0.0.1:77");
  tell(itself, first.there.bytes);
  EXPECT_FALSE(itself.isWelcome());
}

TEST(Handshake, BothNameWhatDoesNotFit) {
  auto with = [](uint32_t rank, auto change) {
    SocketOptions options;
    options.rank = rank;
    options.size = 3;
    options.secret = kSecret;
    change(options);
    return Introduction::of(options);
  };
  auto same = [](SocketOptions &) {};
  {
    Pair pair(with(2, [](SocketOptions &o) { o.job = "other"; }),
              with(1, same));
    pair.run();
    expectRefused(pair.callee, "rank 2 is of another job than rank 1", true);
    expectRefused(pair.caller, "rank 1 is of another job than rank 2", true);
  }
  {
    Pair pair(with(2, [](SocketOptions &o) { o.size = 4; }), with(1, same));
    pair.run();
    expectRefused(pair.callee, "rank 2 says there are 4 ranks, rank 1 says 3",
                  false);
    expectRefused(pair.caller, "rank 1 says there are 3 ranks, rank 2 says 4",
                  false);
  }
  {
    Pair pair(with(2,
                   [](SocketOptions &o) {
                     o.program = 0xab;
                     o.programName = "b.smp";
                   }),
              with(1, [](SocketOptions &o) { o.program = 0xcd; }));
    pair.run();
    expectRefused(pair.callee,
                  "rank 2 runs another program: its fingerprint is "
                  "00000000000000ab, that of rank 1 is 00000000000000cd; give "
                  "every rank the same file",
                  false);
    expectRefused(pair.caller,
                  "rank 1 runs another program: its fingerprint is "
                  "00000000000000cd, that of rank 2 is 00000000000000ab "
                  "(b.smp); give every rank the same file",
                  false);
  }
}

TEST(Handshake, WhoIsNotAwaitedIsTold) {
  for (Verdict verdict : {Verdict::NotAwaited, Verdict::CameTwice}) {
    Pair pair(introduce(2, kSecret), introduce(1, kSecret));
    pair.callee = Handshake::answer(pair.one, numberOf(1), [&](uint32_t rank) {
      EXPECT_EQ(rank, 2u);
      return verdict;
    });
    pair.run();
    const std::string message =
        verdict == Verdict::CameTwice
            ? "rank 2 of 3 came twice; give each process a rank of its own"
            : "rank 2 of 3 is not awaited by rank 1; give each process a rank "
              "of its own";
    expectRefused(pair.callee, message, false);
    expectRefused(pair.caller, message, false);
  }
}

TEST(Handshake, ARankOtherThanTheOneThatIsCalledIsNotTaken) {
  Pair pair(introduce(2, kSecret), introduce(0, kSecret));
  pair.run();
  EXPECT_FALSE(pair.caller.isWelcome());
}

TEST(Handshake, AnotherVersionIsNamedOnBothSides) {
  Pair pair(introduce(2), introduce(1));
  auto older = [](std::span<std::byte> next, size_t from) {
    if (from == 0 && !next.empty())
      next[4] = std::byte(1);
  };
  pair.there.onTheWay = pair.back.onTheWay = older;
  pair.run();
  expectRefused(pair.callee,
                "it speaks version 1 of the protocol of ranks, rank 1 version "
                "3; give every rank the same version of smp",
                true);
  expectRefused(pair.caller,
                "it speaks version 1 of the protocol of ranks, rank 2 version "
                "3; give every rank the same version of smp",
                true);
}

/// Who sends the beginning of a greeting is owed no more than its end.
TEST(Handshake, NoMoreIsReadThanIsNeeded) {
  const Introduction one = introduce(1);
  Handshake callee = Handshake::answer(one, numberOf(1), welcome);
  EXPECT_EQ(callee.room().size(), Hello::kStartBytes);
  std::fill(callee.room().begin(), callee.room().end(), std::byte('G'));
  callee.filled(Hello::kStartBytes);
  EXPECT_TRUE(callee.room().empty());
  EXPECT_TRUE(callee.byStranger());
  // It is answered all the same.
  EXPECT_EQ(callee.toSend().size(), Hello::kBytes);
}

} // namespace
