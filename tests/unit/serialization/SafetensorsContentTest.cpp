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
    uint64_t awaited = 0;
    const auto part =
        made->next(offset, std::span(room).first(left), [&](Bytes bytes) {
          EXPECT_TRUE(isIn(bytes, memory.bytes));
          awaited += bytes.size();
          return Status();
        });
    EXPECT_TRUE(part.ok() && !part->empty() && part->size() <= left);
    if (!part.ok() || part->empty())
      return 0;
    const uint64_t head = made->size() - whole.size() + made->offsets()[0];
    EXPECT_EQ(awaited + (offset < head ? head - offset : 0), part->size());
    if (isIn(*part, room)) {
      copied += part->size();
    } else {
      EXPECT_TRUE(isIn(*part, memory.bytes));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(part->data()) % kDirectAlignment,
                0u);
      EXPECT_GE(part->size(), kLeastDirect);
    }
    EXPECT_TRUE(part->size() % kDirectAlignment == 0 || part->size() == left ||
                offset + part->size() == made->size());
    file.insert(file.end(), part->begin(), part->end());
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

TEST(SafetensorsContent, AnErrorOfWaitingIsTheErrorOfTheFile) {
  Memory memory(4 * kPieceBytes);
  memory.add(kLarge, 64);
  const TemporaryFolder folder;
  const auto content = SafetensorsContent::make(memory.tensors, {});
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(writeSafetensors(*content, folder.file("a.safetensors"),
                             FileSystem::disk(),
                             [](Bytes) { return unavailable("not there"); })
                .status()
                .message(),
            "not there");
  EXPECT_TRUE(folder.names().empty());
}

} // namespace
