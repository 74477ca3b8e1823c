// SPDX-License-Identifier: Apache-2.0
// Names of several addresses, and of others each time that one asks.
#include "Sockets.h"
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <netdb.h>
#include <random>

namespace {

/// Numbers for the names of a test.
struct Names {
  std::mutex lock;
  std::map<std::string, std::vector<std::vector<std::string>>> answers;
  std::map<std::string, size_t> asked;

  std::vector<std::string> answer(const std::string &name) {
    std::lock_guard<std::mutex> hold(lock);
    const auto known = answers.find(name);
    if (known == answers.end())
      return {name};
    const size_t times = asked[name]++;
    return known->second[std::min(times, known->second.size() - 1)];
  }
} names;

} // namespace

#pragma GCC visibility push(default) // In place of the C library's.
extern "C" int getaddrinfo(const char *name, const char *port,
                           const addrinfo *hints, addrinfo **found) {
  static auto *real =
      reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  *found = nullptr;
  for (const std::string &number : names.answer(name)) {
    addrinfo **end = found;
    while (*end)
      end = &(*end)->ai_next;
    if (const int error = real(number.c_str(), port, hints, end))
      return error;
  }
  return 0;
}
#pragma GCC visibility pop

using namespace smp;
using namespace smp::test;

namespace {

struct Lookups : testing::Test {
  // Below those that the system gives to who connects.
  const std::string port =
      std::to_string(20000 + std::random_device()() % 12000);

  void TearDown() override {
    names.answers.clear();
    names.asked.clear();
  }
  SocketOptions options(uint32_t rank, const std::string &name) const {
    return {rank, 2, "tcp:" + name + ":" + port, 30};
  }
  void expectToMeet(const SocketOptions &rank0, const SocketOptions &rank1) {
    auto made = notConnected(2);
    std::thread host([&] { made[0] = connectSockets(rank0); });
    made[1] = connectSockets(rank1);
    host.join();
    for (const Connected &one : made)
      EXPECT_TRUE(one.ok()) << one.status().message();
    std::thread leaves([&] { made[0] = unavailable("it left"); });
    made[1] = unavailable("it left");
    leaves.join();
  }
};

/// What was made sure of is where it listens, whatever the name means by then.
TEST_F(Lookups, ANameIsAskedForOnce) {
  names.answers["changes.test"] = {{"127.0.0.1"}, {"0.0.0.0"}};
  expectToMeet(options(0, "changes.test"), options(1, "127.0.0.1"));
  EXPECT_EQ(names.asked["changes.test"], 1u);
}

TEST_F(Lookups, WhoCallsTriesAllAddresses) {
  names.answers["several.test"] = {{"127.0.0.2", "127.0.0.3", "127.0.0.1"}};
  expectToMeet(options(0, "127.0.0.1"), options(1, "several.test"));
}

TEST_F(Lookups, WhoListensTakesTheFirstThatItHas) {
  names.answers["several.test"] = {{"192.0.2.1", "127.0.0.1"}};
  SocketOptions rank0 = options(0, "several.test"),
                rank1 = options(1, "127.0.0.1");
  rank0.secret = rank1.secret = "what only the ranks know";
  expectToMeet(rank0, rank1);
}

/// Two jobs of one name: the callers of the second would join the first.
TEST_F(Lookups, AnAddressThatIsTakenIsNotPassedOver) {
  names.answers["several.test"] = {{"127.0.0.2", "127.0.0.1"}};
  auto where =
      resolve(*SocketAddress::parse("tcp:127.0.0.2:" + port), Lookup::ToListen);
  ASSERT_TRUE(where.ok()) << where.status().message();
  auto taken = Listener::open(where->front());
  ASSERT_TRUE(taken.ok()) << taken.status().message();
  auto made = connectSockets(options(0, "several.test"));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find("127.0.0.2:" + port),
            std::string::npos)
      << made.status().message();
}

TEST_F(Lookups, NoAddressOfANameIsBeyondThisMachineWithoutASecret) {
  names.answers["several.test"] = {{"127.0.0.1", "192.0.2.1"}};
  for (uint32_t rank : {0, 1}) {
    auto made = connectSockets(options(rank, "several.test"));
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.status().code(), StatusCode::FailedPrecondition);
    EXPECT_EQ(made.status().message().find("tcp:192.0.2.1:" + port +
                                           " reaches beyond this machine"),
              0u)
        << made.status().message();
  }
}

} // namespace
