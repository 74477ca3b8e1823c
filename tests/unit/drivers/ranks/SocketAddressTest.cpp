// SPDX-License-Identifier: Apache-2.0
#include "SocketAddress.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

TEST(SocketAddress, TextComesBack) {
  for (const char *text :
       {"tcp:host:1", "tcp:127.0.0.1:65535", "tcp:::1:80", "unix:/run/smp/0",
        "unix:here", "unix:/with:colon"}) {
    auto address = SocketAddress::parse(text);
    ASSERT_TRUE(address.ok()) << address.status().message();
    EXPECT_EQ(address->text(), text);
  }
  auto brackets = SocketAddress::parse("tcp:[::1]:80");
  ASSERT_TRUE(brackets.ok());
  EXPECT_EQ(brackets->host, "::1");
}

TEST(SocketAddress, PortsAreNumbersThatThereAre) {
  for (const char *port :
       {"0", "65536", "99999", "-1", "+1", " 80", "80 ", "http", "0x10",
        "00000000001", "184467440737095516160"}) {
    auto address = SocketAddress::parse(std::string("tcp:host:") + port);
    ASSERT_FALSE(address.ok()) << port;
    EXPECT_EQ(address.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(address.status().message(),
              std::string("'tcp:host:") + port + "' has port '" + port +
                  "'; it must be a number from 1 to 65535");
  }
}

TEST(SocketAddress, WhatIsNoAddressIsSaid) {
  const std::string longest(99, 'x');
  EXPECT_TRUE(SocketAddress::parse("unix:" + longest).ok());
  for (const std::string &text :
       {std::string(), std::string("udp:x:1"), std::string("tcp:"),
        std::string("tcp:host"), std::string("tcp:host:"), std::string("unix:"),
        "unix:" + longest + "x", std::string("unix:a\0b", 8)}) {
    auto address = SocketAddress::parse(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_NE(address.status().message().find("is no address of ranks"),
              std::string::npos)
        << address.status().message();
  }
}

TEST(SocketAddress, WhatIsOfThisMachine) {
  auto isHere = [](const char *text) {
    auto address = SocketAddress::parse(text);
    EXPECT_TRUE(address.ok()) << text;
    auto raw = resolve(*address, Lookup::Numbers);
    EXPECT_TRUE(raw.ok()) << raw.status().message();
    return raw.ok() && raw->front().isOfThisMachine();
  };
  for (const char *here :
       {"tcp:127.0.0.1:1", "tcp:127.255.3.4:1", "tcp:[::1]:1",
        "tcp:[::ffff:127.0.0.1]:1", "unix:/x"})
    EXPECT_TRUE(isHere(here)) << here;
  for (const char *beyond :
       {"tcp:0.0.0.0:1", "tcp:[::]:1", "tcp:128.0.0.1:1", "tcp:10.0.0.1:1",
        "tcp:[::ffff:10.0.0.1]:1", "tcp:[fe80::1]:1"})
    EXPECT_FALSE(isHere(beyond)) << beyond;
}

TEST(SocketAddress, WhatAnotherRankSaysIsNotLookedUp) {
  EXPECT_FALSE(resolve({false, "localhost", "80"}, Lookup::Numbers).ok());
  EXPECT_TRUE(resolve({false, "127.0.0.1", "80"}, Lookup::Numbers).ok());
}

} // namespace
