// SPDX-License-Identifier: Apache-2.0
// Who connects while ranks meet, and is none of them.
#include "Sockets.h"
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace smp;
using namespace smp::test;

namespace {

const std::string kSecret = "what only the ranks know";

struct Strangers : testing::Test {
  TemporaryFolder folder;
  std::string address = "unix:" + folder.file("s");
  std::vector<std::string> log; // Of rank 0.

  SocketOptions options(uint32_t rank, uint32_t size = 2, double seconds = 30) {
    SocketOptions options{rank, size, address, seconds};
    options.secret = kSecret;
    if (rank == 0)
      options.log = [this](LogLevel, std::string_view line) {
        log.emplace_back(line);
      };
    return options;
  }
  /// Rank 0 listens, the strangers do what they do, and then the others come:
  /// what became of each.
  std::vector<Connected> meet(uint32_t size,
                              const std::function<void()> &strangers) {
    std::vector<Connected> made = notConnected(size);
    std::vector<std::thread> threads;
    auto start = [&](uint32_t rank) {
      threads.emplace_back(
          [&, rank] { made[rank] = connectSockets(options(rank, size)); });
    };
    start(0);
    strangers();
    for (uint32_t rank = 1; rank < size; ++rank)
      start(rank);
    for (std::thread &thread : threads)
      thread.join();
    return made;
  }
  void expectAllMet(const std::vector<Connected> &made) {
    for (const Connected &one : made)
      EXPECT_TRUE(one.ok()) << one.status().message();
  }
};

/// With one after the other this would take a day.
TEST_F(Strangers, WhoSaysNothingHoldsUpNobody) {
  std::vector<Descriptor> silent;
  expectAllMet(meet(3, [&] {
    for (int i = 0; i < 300; ++i)
      silent.push_back(connectAsAnybody(address));
  }));
  EXPECT_TRUE(log.empty());
}

TEST_F(Strangers, TooManyDoNotKeepRanksOut) {
  std::vector<Descriptor> silent;
  expectAllMet(meet(2, [&] {
    for (int i = 0; i < 300; ++i) {
      silent.push_back(connectAsAnybody(address));
      // Half of a greeting.
      const char start[] = {'S', 'M', 'P', 'r', 2, 0, 0, 0, 1};
      (void)!send(silent.back().get(), start, sizeof(start), MSG_NOSIGNAL);
    }
    // No more are kept than there is to expect.
    EXPECT_TRUE(isClosed(silent.front()));
  }));
}

TEST_F(Strangers, WhoSaysSomethingWrongIsAnsweredAndNamed) {
  Descriptor stranger;
  expectAllMet(meet(2, [&] {
    stranger = connectAsAnybody(address);
    ASSERT_GT(send(stranger.get(), "GET / HTTP/1.0\r\n\r\n", 18, 0), 0);
    std::array<std::byte, Hello::kBytes> answer;
    receiveAll(stranger, answer);
    EXPECT_TRUE(Hello::decode(answer).ok());
    EXPECT_TRUE(isClosed(stranger));
  }));
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0], "turned away process " + std::to_string(getpid()) +
                        " of user " + std::to_string(geteuid()) +
                        ": it does not speak as a rank of smp does");
}

TEST_F(Strangers, ALengthFromOutsideIsNotBelieved) {
  // A frame of 40 GB, where a greeting is awaited.
  std::array<std::byte, FrameHeader::kBytes> frame;
  FrameHeader{FrameHeader::Kind::Data, {}, 40000000000}.encode(frame);
  Descriptor stranger;
  expectAllMet(meet(2, [&] {
    stranger = connectAsAnybody(address);
    ASSERT_EQ(send(stranger.get(), frame.data(), frame.size(), 0),
              ssize_t(frame.size()));
    EXPECT_TRUE(isClosed(stranger));
  }));
}

TEST_F(Strangers, WhoHasAnotherSecretIsTurnedAwayAndTheStartGoesOn) {
  expectAllMet(meet(2, [&] {
    SocketOptions wrong = options(1);
    wrong.secret += "?";
    auto made = connectSockets(wrong);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.status().message(),
              address + ": rank 1 does not know the secret of rank 0; give "
                        "every rank the same one");
    wrong.secret = "";
    made = connectSockets(wrong);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.status().message(),
              address + ": rank 0 was given a secret and rank 1 was not; give "
                        "every rank the same one");
  }));
  EXPECT_EQ(log.size(), 2u);
}

TEST_F(Strangers, WhoWasTurnedAwayIsInTheReport) {
  std::string message;
  std::thread host(
      [&] { message = connectSockets(options(0, 2, 2)).status().message(); });
  SocketOptions wrong = options(1, 2, 2);
  wrong.secret += "?";
  EXPECT_FALSE(connectSockets(wrong).ok());
  Descriptor silent = connectAsAnybody(address);
  host.join();
  EXPECT_EQ(message, "rank 0 of 2 waited 2 seconds at " + address +
                         " for rank 1; turned away process " +
                         std::to_string(getpid()) + " of user " +
                         std::to_string(geteuid()) +
                         ": rank 1 does not know the secret of rank 0; give "
                         "every rank the same one; 1 connected without a whole "
                         "greeting");
}

/// A rank that proved itself and does not fit ends the start for all, at once.
TEST_F(Strangers, AnotherProgramIsNamedEverywhere) {
  auto withProgram = [&](uint32_t rank, uint64_t program, const char *name) {
    SocketOptions mine = options(rank, 3);
    mine.program = program;
    mine.programName = name;
    return mine;
  };
  Connected host = unavailable("not yet");
  std::thread thread(
      [&] { host = connectSockets(withProgram(0, 0xa, "a.smp")); });
  Descriptor rank1 = connectAsRank1(withProgram(1, 0xa, "a.smp"));
  const auto rank2 = connectSockets(withProgram(2, 0xb, "b.smp"));
  thread.join();
  const std::string what = "rank 2 runs another program: its fingerprint is "
                           "000000000000000b, that of rank 0 is "
                           "000000000000000a (a.smp); give every rank the same "
                           "file";
  EXPECT_EQ(host.status().message(), what);
  EXPECT_EQ(rank2.status().message(),
            address + ": rank 0 runs another program: its fingerprint is "
                      "000000000000000a, that of rank 2 is 000000000000000b "
                      "(b.smp); give every rank the same file");
  std::array<std::byte, FrameHeader::kBytes> header;
  receiveAll(rank1, header);
  auto frame = FrameHeader::decode(header);
  ASSERT_TRUE(frame.ok() && frame->kind == FrameHeader::Kind::Failure);
  std::vector<std::byte> text(frame->bytes);
  receiveAll(rank1, text);
  EXPECT_EQ(decodeFailure(text).message(), what);
}

TEST_F(Strangers, ARankThatLeavesBeforeAllHaveMetIsNamed) {
  Connected made = unavailable("not yet");
  std::thread host([&] { made = connectSockets(options(0, 3)); });
  {
    Descriptor rank1 = connectAsRank1(options(1, 3));
  }
  host.join();
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().message(), "rank 1 left before all ranks had met");
}

/// As one that is stopped: it is connected to, and says nothing.
TEST_F(Strangers, ARank0ThatDoesNotAnswerIsReported) {
  auto listener = Listener::open(RawAddress::ofPath(folder.file("s")));
  ASSERT_TRUE(listener.ok());
  auto made = connectSockets(options(1, 2, 0.1));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(made.status().message(),
            "rank 1 of 2 waited 0.1 seconds at " + address +
                " for rank 0 (it does not answer; is rank 0 running?)");
}

TEST_F(Strangers, DescriptorsRunOutForStrangersFirst) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit few{40, 40};
    bool met = setrlimit(RLIMIT_NOFILE, &few) == 0;
    met = met && connectSockets(options(0)).ok();
    _exit(met ? 0 : 1);
  }
  std::vector<Descriptor> silent;
  for (int i = 0; i < 60; ++i)
    silent.push_back(connectAsAnybody(address));
  auto made = connectSockets(options(1));
  EXPECT_TRUE(made.ok()) << made.status().message();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(Strangers, BeyondThisMachineThereIsASecret) {
  for (uint32_t rank : {0, 1})
    for (const char *beyond :
         {"tcp:0.0.0.0:1", "tcp:[::]:1", "tcp:192.0.2.1:1"}) {
      SocketOptions open{rank, 2, beyond, 0.1};
      auto made = connectSockets(open);
      ASSERT_FALSE(made.ok());
      EXPECT_EQ(made.status().code(), StatusCode::FailedPrecondition)
          << made.status().message();
      EXPECT_NE(made.status().message().find("give every rank the same secret"),
                std::string::npos)
          << made.status().message();
    }
  // Unless one says so, or has one: it goes on, here to what cannot be.
  SocketOptions allowed{0, 2, "tcp:192.0.2.1:1", 0.1};
  allowed.allowNoSecret = true;
  SocketOptions known{0, 2, "tcp:192.0.2.1:1", 0.1};
  known.secret = kSecret;
  for (const SocketOptions &options : {allowed, known})
    EXPECT_NE(connectSockets(options).status().code(),
              StatusCode::FailedPrecondition);
}

TEST_F(Strangers, AShortSecretIsRefused) {
  SocketOptions weak = options(0);
  weak.secret = "only 15 bytes..";
  EXPECT_EQ(connectSockets(weak).status().message(),
            "the secret of the ranks has 15 bytes; it must have 16 or more");
}

} // namespace
