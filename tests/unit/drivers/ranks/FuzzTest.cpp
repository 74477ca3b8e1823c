// SPDX-License-Identifier: Apache-2.0
// What FuzzRankProtocol starts from, and a while of it.
#include "Handshakes.h"
#include "Seed.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

using namespace smp;
using namespace smp::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

using Bytes = std::vector<std::byte>;

const std::string kFolder = SMP_TEST_SOURCE_DIR "/fuzz/seeds/RankProtocol/";

Bytes input(uint8_t who, uint8_t atOnce, const Bytes &said) {
  Bytes bytes{std::byte(who), std::byte(atOnce)};
  bytes.insert(bytes.end(), said.begin(), said.end());
  return bytes;
}

void add(Bytes &stream, const FrameHeader &header, const std::string &text) {
  std::array<std::byte, FrameHeader::kBytes> bytes;
  header.encode(bytes);
  stream.insert(stream.end(), bytes.begin(), bytes.end());
  const auto body = std::as_bytes(std::span(text));
  stream.insert(stream.end(), body.begin(), body.end());
}

/// A conversation that goes well, as each side hears it, one that does not, and
/// frames of each kind.
std::map<std::string, Bytes> makeSeeds() {
  const std::string secret = "what only the ranks know";
  std::map<std::string, Bytes> seeds;
  const Introduction zero = introduce(0, secret, 0);
  const Introduction one = introduce(1, secret, 0);
  const Introduction two = introduce(2, secret, 0);
  {
    Handshake caller = Handshake::call(two, numberOf(2), 1, "unix:/s.2");
    Handshake callee = Handshake::answer(one, numberOf(1), welcome);
    Way there{caller, callee}, back{callee, caller};
    exchange(there, back);
    EXPECT_TRUE(caller.isWelcome() && callee.isWelcome());
    seeds["called"] = input(0, 255, there.bytes);
    seeds["called-slowly"] = input(0, 6, there.bytes);
    Bytes damaged = there.bytes;
    damaged[100] ^= std::byte(1);
    seeds["called-wrongly"] = input(0, 255, damaged);
  }
  {
    Handshake caller = Handshake::call(one, numberOf(1), 0, "tcp:127.0.0.1:77");
    Handshake callee = Handshake::answer(zero, numberOf(3), welcome);
    Way there{caller, callee}, back{callee, caller};
    exchange(there, back);
    EXPECT_TRUE(caller.isWelcome() && callee.isWelcome());
    seeds["answered"] = input(1, 255, back.bytes);
  }
  Bytes frames;
  using Kind = FrameHeader::Kind;
  add(frames, {Kind::Data, {2, 5, 0}, 64}, std::string(64, 'x'));
  add(frames, {Kind::Data, {2, 6, 0}, 0}, "");
  add(frames, {Kind::Data, {3, 7, 0}, 5}, "other");
  add(frames, {Kind::Failure, {3, 0, 0}, 5}, "1oops");
  add(frames, {Kind::Table, {4, 0, 0}, 0}, "");
  add(frames, {Kind::Bye, {4, 0, 0}, 0}, "");
  add(frames, {Kind::Data, {4, 5, 0}, 40000000000}, "");
  seeds["frames"] = input(2, 255, frames);
  Bytes promise;
  add(promise, {Kind::Data, {1, 9, 0}, kMostUnplannedBytes}, "and no more");
  seeds["promises-much"] = input(2, 255, promise);
  return seeds;
}

int run(const Bytes &bytes) {
  return LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                                bytes.size());
}

/// SMP_WRITE_SEEDS=1 writes the files that it compares else.
TEST(FuzzRankProtocol, SeedsAreWhatRanksSay) {
  for (const auto &[name, bytes] : makeSeeds()) {
    const auto *text = reinterpret_cast<const char *>(bytes.data());
    if (std::getenv("SMP_WRITE_SEEDS"))
      std::ofstream(kFolder + name, std::ios::binary)
          .write(text, std::streamsize(bytes.size()));
    std::ifstream in(kFolder + name, std::ios::binary);
    const std::string kept{std::istreambuf_iterator<char>(in), {}};
    EXPECT_TRUE(kept == std::string(text, bytes.size()))
        << kFolder + name << " differs; run with SMP_WRITE_SEEDS=1";
    EXPECT_EQ(run(bytes), 0);
  }
}

/// Without coverage, but wherever the tests run.
TEST(FuzzRankProtocol, NothingIsTooOddToBeHeard) {
  const uint32_t seed = chooseSeed();
  std::printf("SMP_TEST_SEED=%u\n", seed);
  std::mt19937 random(seed);
  std::vector<Bytes> seeds;
  for (auto &[name, bytes] : makeSeeds())
    seeds.push_back(bytes);
  for (int i = 0; i < 30000; ++i) {
    Bytes bytes = seeds[random() % seeds.size()];
    for (uint32_t changes = random() % 4; changes > 0; --changes)
      bytes[random() % bytes.size()] = std::byte(random());
    if (random() % 4 == 0)
      bytes.resize(random() % (bytes.size() + 50));
    EXPECT_EQ(run(bytes), 0);
  }
}

} // namespace
