// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/Crc32c.h"
#include <gtest/gtest.h>

using namespace smp;

static CheckpointManifest sample() {
  CheckpointManifest manifest;
  manifest.time = 1700000000.125;
  manifest.files = {{"ckpt-1.model.safetensors", 1 << 20, 0xffffffff},
                    {"ckpt-1.state.safetensors", 0, 1}};
  manifest.roots = {{"model", UINT64_MAX, "x86-64-v3", {5, 2, 0, 1}}};
  manifest.items = {{"model/w", 0, "w", {DType::BF16, {2, 0, 8}}},
                    {"epoch", 1, "epoch", {DType::I64, {}}}};
  return manifest;
}

/// The text with one part replaced, and a digest that fits.
static std::string changed(const std::string &from, const std::string &to) {
  std::string text = formatCheckpointManifest(sample());
  text.resize(text.rfind("  \"crc32c\": "));
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  text.replace(at, from.size(), to);
  return text + "  \"crc32c\": " +
         std::to_string(crc32c(std::as_bytes(std::span(text)))) + "\n}\n";
}

static std::string errorOf(const std::string &text) {
  const Status status = parseCheckpointManifest(text).status();
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  return status.message();
}

TEST(CheckpointManifest, ComesBack) {
  for (const CheckpointManifest &manifest : {sample(), CheckpointManifest()}) {
    auto read = parseCheckpointManifest(formatCheckpointManifest(manifest));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(*read, manifest);
  }
}

TEST(CheckpointManifest, IsJsonWithOneItemPerLine) {
  const std::string text = formatCheckpointManifest(sample());
  EXPECT_TRUE(text.starts_with("{\n  \"format\": \"smp checkpoint\",\n"
                               "  \"version\": 1,\n"));
  EXPECT_NE(text.find("    {\"key\":\"model/w\",\"file\":0,\"tensor\":\"w\","
                      "\"dtype\":\"bf16\",\"shape\":[2,0,8]},\n"),
            text.npos)
      << text;
}

TEST(CheckpointManifest, EveryChangedByteIsNoticed) {
  const std::string good = formatCheckpointManifest(sample());
  for (size_t i = 0; i < good.size(); ++i)
    for (int mask : {0x01, 0x20, 0x80, 0xff}) {
      std::string text = good;
      text[i] = char(text[i] ^ mask);
      ASSERT_FALSE(parseCheckpointManifest(text).ok())
          << "byte " << i << " ^ " << mask;
    }
  for (size_t size = 0; size < good.size(); ++size)
    ASSERT_FALSE(parseCheckpointManifest(good.substr(0, size)).ok()) << size;
  EXPECT_FALSE(parseCheckpointManifest(good + " ").ok());
}

TEST(CheckpointManifest, ErrorsSayWhetherItWasCutOrAltered) {
  const std::string good = formatCheckpointManifest(sample());
  EXPECT_EQ(errorOf(good.substr(0, good.size() / 2)),
            "it has no digest at its end: it was cut, or is no manifest of a "
            "checkpoint");
  std::string altered = good;
  altered[40] ^= 1;
  EXPECT_EQ(errorOf(altered), "its digest does not fit: it was altered");
}

TEST(CheckpointManifest, ErrorsNameThePlace) {
  EXPECT_EQ(errorOf(changed("smp checkpoint", "another thing")),
            "format is not 'smp checkpoint'");
  EXPECT_EQ(errorOf(changed("\"version\": 1", "\"version\": 2")),
            "version is 2; this version of smp reads 1");
  EXPECT_EQ(errorOf(changed("\"time\": ", "\"time\": [], \"x\": ")),
            "time is no number");
  EXPECT_EQ(errorOf(changed("\"files\"", "\"life\"")), "files is missing");
  EXPECT_EQ(errorOf(changed("ckpt-1.state", "../1.state")),
            "files[1].name is '../1.state.safetensors'; it must be a file of "
            "its own here");
  EXPECT_EQ(errorOf(changed("ckpt-1.state", "ckpt-1.model")),
            "files[1].name is 'ckpt-1.model.safetensors'; it must be a file of "
            "its own here");
  EXPECT_EQ(errorOf(changed("\"crc32c\":1}", "\"crc32c\":4294967296}")),
            "files[1].crc32c has more than 32 bits");
  EXPECT_EQ(errorOf(changed("\"size\":0", "\"size\":-1")),
            "files[1].size is no whole number from 0");
  EXPECT_EQ(errorOf(changed("ffffffffffffffff", "fffffffffffffffg")),
            "roots[0].program is no number of 16 hexadecimal digits");
  EXPECT_EQ(errorOf(changed("[5,2,0,1]", "[5,2,0]")),
            "roots[0].steps has 3 numbers; there are 4 modes");
  EXPECT_EQ(errorOf(changed("\"file\":1", "\"file\":2")),
            "items[1].file is 2 of 2 files");
  EXPECT_EQ(errorOf(changed("\"key\":\"epoch\"", "\"key\":\"model/w\"")),
            "items[1].key is 'model/w'; it must be there, and once");
  EXPECT_EQ(errorOf(changed("\"file\":1,\"tensor\":\"epoch\"",
                            "\"file\":0,\"tensor\":\"w\"")),
            "items[1].tensor is 'w' of another item's");
  EXPECT_EQ(errorOf(changed("\"bf16\"", "\"bf17\"")),
            "items[0].dtype is 'bf17', which smp does not know");
  EXPECT_EQ(errorOf(changed("[2,0,8]", "[2,-1,8]")),
            "items[0].shape has a size that is no whole number from 0");
  EXPECT_EQ(errorOf(changed("[2,0,8]", "[4611686018427387904,4]")),
            "items[0].shape is too large");
}

TEST(CheckpointManifest, IsNotNestedDeeply) {
  EXPECT_EQ(errorOf(changed("[2,0,8]", std::string(100, '['))),
            "it is nested deeper than 8");
  EXPECT_EQ(errorOf(changed("[2,0,8]", "[2,0,8")), "it is no JSON object");
}

TEST(CheckpointManifest, TheRootOfAKeyIsItsFirstPart) {
  EXPECT_EQ(rootOf("model/a/b"), "model");
  EXPECT_EQ(rootOf("epoch"), "epoch");
}
