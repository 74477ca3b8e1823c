// SPDX-License-Identifier: Apache-2.0
// The reader against bytes that are not what was written.
#include "ProgramHeader.h"
#include "ProgramWriter.h"
#include "SampleProgram.h"
#include "Seed.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/ProgramFile.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace smp;

static std::vector<std::byte> sampleBytes() {
  SampleProgram sample;
  return serializeProgram(sample.program).take();
}

/// All that stands between bytes and their use.
static Status load(std::span<const std::byte> bytes) {
  StatusOr<LoadedProgram> loaded = readProgram(bytes);
  return loaded.ok() ? loaded->checkWeights() : loaded.status();
}

TEST(Corruption, EveryChangedByteIsAnError) {
  std::vector<std::byte> original = sampleBytes();
  AlignedBytes bytes(original);
  ASSERT_TRUE(load(bytes).ok());
  for (size_t i = 0; i < original.size(); ++i)
    for (int mask : {0x01, 0x80, 0xff}) {
      bytes.bytes()[i] = original[i] ^ std::byte(mask);
      Status status = load(bytes);
      ASSERT_FALSE(status.ok()) << "byte " << i << " ^ " << mask;
      ASSERT_FALSE(status.message().empty());
      bytes.bytes()[i] = original[i];
    }
}

TEST(Corruption, EveryTruncationIsAnError) {
  std::vector<std::byte> original = sampleBytes();
  for (size_t size = 0; size < original.size(); ++size) {
    AlignedBytes bytes(std::span(original).first(size));
    ASSERT_FALSE(load(bytes).ok()) << size << " of " << original.size();
  }
}

TEST(Corruption, BytesAfterTheEndAreAnError) {
  std::vector<std::byte> longer = sampleBytes();
  for (size_t extra : {1, 63, 4096}) {
    longer.resize(longer.size() + extra);
    EXPECT_FALSE(load(AlignedBytes(longer)).ok());
  }
}

namespace {
/// Damages the table at random and makes its digests right again, so that what
/// lies behind the digests has to notice.
class Forger {
public:
  Forger(std::vector<std::byte> original, uint32_t seed)
      : original(std::move(original)), random(seed) {}

  void forge(std::span<std::byte> bytes) {
    std::copy(original.begin(), original.end(), bytes.begin());
    ProgramHeader header = decodeHeader(bytes).take();
    std::span<std::byte> table =
        bytes.subspan(kHeaderBytes, header.tableLength);
    for (uint32_t edits = below(4) + 1; edits > 0; --edits)
      edit(table);
    header.tableCrc = crc32c(table);
    auto encoded = encodeHeader(header);
    std::copy(encoded.begin(), encoded.end(), bytes.begin());
  }

private:
  uint32_t below(size_t bound) { return uint32_t(random() % bound); }

  void edit(std::span<std::byte> table) {
    static constexpr uint32_t kInteresting[] = {
        0, 1, 2, 4, 8, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
    uint32_t at = below(table.size() - 4);
    switch (below(5)) {
    case 0:
      table[at] = std::byte(random());
      break;
    case 1:
      table[at] ^= std::byte(1 << below(8));
      break;
    case 2: { // A number or an offset.
      uint32_t value = kInteresting[below(std::size(kInteresting))];
      std::memcpy(&table[at & ~3u], &value, 4);
      break;
    }
    case 3: { // A number that is almost right.
      uint32_t value;
      std::memcpy(&value, &table[at & ~3u], 4);
      value += below(9) - 4;
      std::memcpy(&table[at & ~3u], &value, 4);
      break;
    }
    default: // Something from elsewhere.
      std::memcpy(&table[at & ~3u],
                  &original[kHeaderBytes + (below(table.size() - 4) & ~3u)], 4);
    }
  }

  std::vector<std::byte> original;
  std::mt19937 random;
};
} // namespace

TEST(Corruption, ForgedTablesNeverCrashTheReader) {
  uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::vector<std::byte> original = sampleBytes();
  Forger forger(original, seed);
  AlignedBytes bytes(original);
  int malformed = 0, meaningless = 0, accepted = 0;
  for (int i = 0; i < 40000; ++i) {
    forger.forge(bytes.bytes());
    StatusOr<LoadedProgram> loaded = readProgram(bytes);
    if (loaded.ok()) {
      // Whatever was accepted means something: it can be written again.
      ASSERT_TRUE(serializeProgram(loaded->program()).ok()) << "case " << i;
      (void)loaded->checkWeights();
      ++accepted;
    } else if (loaded.status().message().find("malformed") !=
               std::string::npos) {
      ++malformed;
    } else {
      ++meaningless;
    }
  }
  // Each outcome must be reached often, else little was tried.
  EXPECT_GT(malformed, 1000);
  EXPECT_GT(meaningless, 1000);
  EXPECT_GT(accepted, 1000);
}

TEST(Corruption, ForgedWeightsNeverCrashTheirCheck) {
  uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  SampleProgram sample;
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    sample.weights = sampleWeights();
    for (int edits = 0; edits < 3; ++edits)
      sample.weights[random() % 128] = std::byte(random());
    sample.program.weightBytes = sample.weights;
    AlignedBytes bytes(serializeProgram(sample.program).take());
    StatusOr<LoadedProgram> loaded = readProgram(bytes);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    refused += !loaded->checkWeights().ok();
  }
  EXPECT_GT(refused, 1000);
}
