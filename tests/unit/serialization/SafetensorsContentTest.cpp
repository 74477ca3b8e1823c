// SPDX-License-Identifier: Apache-2.0
// What is written from where it lies, and what is copied before.
#include "smp/serialization/SafetensorsContent.h"
#include "Seed.h"
#include "TemporaryFolder.h"
#include <gtest/gtest.h>
#include <random>

using namespace smp;

namespace {

using Bytes = std::span<const std::byte>;

bool isIn(Bytes part, Bytes memory) {
  const std::less_equal<const std::byte *> isNotAfter;
  return isNotAfter(memory.data(), part.data()) &&
         isNotAfter(std::to_address(part.end()), std::to_address(memory.end()));
}

/// Tensors of u8 whose bytes lie in one memory.
class Memory {
public:
  explicit Memory(size_t size) : bytes(size) {
    for (size_t i = 0; i < size; ++i)
      bytes[i] = std::byte(i * 7 + i / 251);
  }
  /// The next tensor, whose address is `residue` modulo kDirectAlignment.
  void add(size_t size, uint64_t residue) {
    const auto address = reinterpret_cast<uintptr_t>(bytes.data()) + used;
    used += (residue - address) % kDirectAlignment;
    tensors.push_back({"t" + std::to_string(1000 + tensors.size()),
                       {DType::U8, {int64_t(size)}},
                       Bytes(bytes).subspan(used, size)});
    used += size;
  }

  std::vector<std::byte> bytes;
  std::vector<SafetensorsTensor> tensors;
  size_t used = 0;
};

/// What a piece after the other gives is the file; how much of it was copied.
uint64_t copiedOf(const Memory &memory) {
  const auto made = SafetensorsContent::make(memory.tensors, {});
  EXPECT_TRUE(made.ok()) << made.status().message();
  const auto whole = serializeSafetensors(memory.tensors, {}).take();
  std::vector<std::byte> room(kPieceBytes), file;
  uint64_t copied = 0;
  while (file.size() < made->size()) {
    const uint64_t offset = file.size(),
                   left = kPieceBytes - offset % kPieceBytes;
    auto next = made->next(offset, std::span(room).first(left), nullptr);
    EXPECT_TRUE(next.ok()) << next.status().message();
    if (!next.ok())
      return 0;
    const Bytes part = next->bytes();
    EXPECT_TRUE(!part.empty() && part.size() <= left);
    if (isIn(part, room)) {
      copied += part.size();
    } else {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(part.data()) % kDirectAlignment,
                0u);
      EXPECT_GE(part.size(), kLeastDirect);
    }
    EXPECT_TRUE(part.size() % kDirectAlignment == 0 || part.size() == left ||
                offset + part.size() == made->size());
    file.insert(file.end(), part.begin(), part.end());
    EXPECT_TRUE(next->confirm());
  }
  EXPECT_TRUE(file == whole);
  return copied;
}

/// Where the tensors of a file begin.
std::vector<uint64_t> offsetsOf(const Memory &memory) {
  return SafetensorsContent::make(memory.tensors, {}).take().offsets();
}

constexpr size_t kLarge = 3 * kPieceBytes / 2;

TEST(SafetensorsContent, WhatLiesAsInTheFileIsNotCopied) {
  Memory plan(4 * kPieceBytes);
  for (const size_t size : {size_t(1000), kLarge, size_t(77), kLarge})
    plan.add(size, 0);
  Memory memory(4 * kPieceBytes);
  for (size_t i = 0; i < plan.tensors.size(); ++i)
    memory.add(plan.tensors[i].bytes.size(), offsetsOf(plan)[i]);
  // The block that the head is in, and a last piece that is small.
  EXPECT_LE(copiedOf(memory), kDirectAlignment + kLeastDirect);
}

TEST(SafetensorsContent, WhatLiesOtherwiseIsCopied) {
  Memory memory(4 * kPieceBytes);
  for (const size_t size : {kLarge, kLarge})
    memory.add(size, 1);
  EXPECT_GT(copiedOf(memory), 2 * kLarge);
}

TEST(SafetensorsContent, AnyTensorsGiveTheFile) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 30; ++round) {
    Memory plan(8 * kPieceBytes);
    for (int i = 0; i < 8; ++i)
      plan.add(random() % 3 ? random() % 5000 : random() % kPieceBytes, 0);
    Memory memory(8 * kPieceBytes);
    for (size_t i = 0; i < plan.tensors.size(); ++i)
      memory.add(plan.tensors[i].bytes.size(),
                 random() % 4 ? offsetsOf(plan)[i] : random());
    copiedOf(memory);
  }
}

/// Has given half of a memory to somebody else, and the values moved.
class Mover : public ByteLender {
public:
  explicit Mover(Bytes original)
      : original(original), moved(original.begin(), original.end()) {}

  StatusOr<Bytes> borrow(Bytes part) override {
    EXPECT_TRUE(isIn(part, original));
    const auto offset = size_t(part.data() - original.data());
    const size_t half = original.size() / 2;
    ++held;
    if (offset >= half)
      return part;
    return Bytes(moved).subspan(offset, std::min(part.size(), half - offset));
  }
  void giveBack(Bytes part, Bytes borrowed) override {
    EXPECT_EQ(part.size(), borrowed.size());
    --held;
  }
  bool confirm(Bytes part, Bytes borrowed) override {
    EXPECT_EQ(part.size(), borrowed.size());
    used += part.size();
    return true;
  }

  const Bytes original;
  std::vector<std::byte> moved;
  int held = 0;
  size_t used = 0;
};

TEST(SafetensorsContent, WhatWasMovedIsReadWhereItIs) {
  Memory memory(4 * kPieceBytes);
  memory.add(2 * kLarge, 0); // Its head ends at such a multiple.
  const auto offset =
      size_t(memory.tensors[0].bytes.data() - memory.bytes.data());
  const std::vector<std::byte> values = memory.bytes;
  Mover mover(Bytes(memory.bytes).subspan(offset, 2 * kLarge));
  const auto content = SafetensorsContent::make(memory.tensors, {});
  ASSERT_TRUE(content.ok());
  const TemporaryFolder folder;
  ASSERT_TRUE(
      writeSafetensors(*content, folder.file("a"), FileSystem::disk()).ok());
  // What the first half was is no more there.
  std::fill_n(memory.bytes.begin() + ptrdiff_t(offset), kLarge, std::byte(0));
  const auto written =
      writeSafetensors(*content, folder.file("b"), FileSystem::disk(), &mover);
  ASSERT_TRUE(written.ok()) << written.status().message();
  EXPECT_EQ(mover.held, 0);
  EXPECT_EQ(mover.used, 2 * kLarge);
  EXPECT_EQ(FileSystem::disk().read(folder.file("a"))->bytes.size(),
            written->size);
  EXPECT_TRUE(
      std::ranges::equal(FileSystem::disk().read(folder.file("a"))->bytes,
                         FileSystem::disk().read(folder.file("b"))->bytes));
}

TEST(SafetensorsContent, AnErrorOfWaitingIsTheErrorOfTheFile) {
  struct : ByteLender {
    StatusOr<Bytes> borrow(Bytes) override { return unavailable("not there"); }
    void giveBack(Bytes, Bytes) override {}
    bool confirm(Bytes, Bytes) override { return true; }
  } lender;
  Memory memory(4 * kPieceBytes);
  memory.add(kLarge, 64);
  const TemporaryFolder folder;
  const auto content = SafetensorsContent::make(memory.tensors, {});
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(writeSafetensors(*content, folder.file("a.safetensors"),
                             FileSystem::disk(), &lender)
                .status()
                .message(),
            "not there");
  EXPECT_TRUE(folder.names().empty());
}

} // namespace
