// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/Crc32c.h"
#include <gtest/gtest.h>

using namespace smp;

static FileDigest digestOf(size_t bytes) {
  FileDigest digest;
  digest.add(std::vector<std::byte>(bytes, std::byte(7)));
  return digest;
}

static CheckpointManifest sample() {
  CheckpointManifest manifest;
  manifest.time = 1700000000.125;
  manifest.ranks = 2;
  manifest.sharding = "as \"they\" come\n";
  manifest.files = {
      {"ckpt-1.model.safetensors", digestOf((2 << 20) + 5)},
      {"ckpt-1.state.safetensors", digestOf(1 << 20)},
      {"ckpt-1.empty.safetensors", digestOf(0)},
  };
  manifest.roots = {{"model",
                     UINT64_MAX,
                     "x86-64-v3",
                     {5, 2, 0, 1},
                     3,
                     {"0/cpu:0", "1/cpu:0"}}};
  manifest.items = {
      {"model/w",
       {DType::BF16, {2, 0, 8}},
       {{0, "w", {{0, 0, 0}, {2, 0, 8}}}},
       "sharding_specs:x,unsharded mesh:x=2"},
      {"epoch", {DType::I64, {}}, {{1, "epoch", {}}}},
      {"model/cut",
       {DType::F32, {4, 3}},
       {{0, "cut[0]", {{0, 0}, {4, 2}}}, {1, "cut[1]", {{0, 2}, {4, 1}}}}},
  };
  manifest.names = {{"b", "epoch"}, {"graph", ""}};
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
  CheckpointManifest rated = sample();
  rated.metric = -0.1;
  rated.replaced = {"ckpt-1.model.safetensors", "b"};
  for (const CheckpointManifest &manifest :
       {sample(), rated, CheckpointManifest()}) {
    auto read = parseCheckpointManifest(formatCheckpointManifest(manifest));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(*read, manifest);
  }
}

TEST(CheckpointManifest, Version1IsRead) {
  std::string text = R"({
  "format": "smp checkpoint",
  "version": 1,
  "time": 17,
  "files": [
    {"name":"ckpt-1.model.safetensors","size":9,"crc32c":4294967295}],
  "roots": [
    {"name":"model","program":"00000000000000ff","kinds":"x86-64-v3","steps":[5,2,0,1]}],
  "items": [
    {"key":"model/w","file":0,"tensor":"w","dtype":"bf16","shape":[2,8]}],
)";
  text += "  \"crc32c\": " +
          std::to_string(crc32c(std::as_bytes(std::span(text)))) + "\n}\n";
  auto read = parseCheckpointManifest(text);
  ASSERT_TRUE(read.ok()) << read.status().message();
  CheckpointManifest expected;
  expected.time = 17;
  expected.files = {{"ckpt-1.model.safetensors", {9, 0xffffffff, {}}}};
  expected.roots = {{"model", 255, "x86-64-v3", {5, 2, 0, 1}}};
  expected.items = {
      {"model/w", {DType::BF16, {2, 8}}, {{0, "w", {{0, 0}, {2, 8}}}}}};
  EXPECT_EQ(*read, expected);
}

TEST(CheckpointManifest, OfANewerVersionIsRefused) {
  const Status status =
      parseCheckpointManifest(changed("\"version\": 2", "\"version\": 3"))
          .status();
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message(),
            "version is 3; this version of smp reads 1 to 2: use a newer one");
}

TEST(CheckpointManifest, APartMayLackSlices) {
  CheckpointManifest part = sample();
  part.items[2].slices.pop_back();
  const std::string text = formatCheckpointManifest(part);
  EXPECT_EQ(errorOf(text),
            "items[2].slices has the element [0,2] of 'model/cut' 0 times");
  auto read = parseCheckpointManifestPart(text);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, part);
}

TEST(CheckpointManifest, IsJsonWithOneItemPerLine) {
  const std::string text = formatCheckpointManifest(sample());
  EXPECT_TRUE(text.starts_with("{\n  \"format\": \"smp checkpoint\",\n"
                               "  \"version\": 2,\n"));
  EXPECT_NE(text.find("  \"sharding\": \"as \\\"they\\\" come\\n\",\n"),
            text.npos)
      << text;
  EXPECT_NE(
      text.find("    {\"key\":\"model/cut\",\"dtype\":\"f32\",\"shape\":[4,3],"
                "\"layout\":\"\",\"slices\":[{\"file\":0,\"tensor\":\"cut[0]\","
                "\"offset\":[0,0],\"extent\":[4,2]},{\"file\":1,\"tensor\":"
                "\"cut[1]\",\"offset\":[0,2],\"extent\":[4,1]}]}],\n"),
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
  EXPECT_EQ(errorOf(changed("\"version\": 2", "\"version\": 0")),
            "version is 0");
  EXPECT_EQ(errorOf(changed("\"time\": ", "\"time\": [], \"x\": ")),
            "time is no number");
  EXPECT_EQ(errorOf(changed("\"files\"", "\"metric\": \"nan\", \"files\"")),
            "metric is no number");
  EXPECT_EQ(
      errorOf(changed("\"files\"",
                      "\"replaced\": [\"a\", \"../b\", 3], \"files\"")),
      "replaced[1] is '../b'; it must be a file here; replaced[2] is no text");
  EXPECT_EQ(errorOf(changed("\"files\"", "\"life\"")), "files is missing");
  EXPECT_EQ(errorOf(changed("ckpt-1.state", "../1.state")),
            "files[1].name is '../1.state.safetensors'; it must be a file of "
            "its own here");
  EXPECT_EQ(errorOf(changed("ckpt-1.state", "ckpt-1.model")),
            "files[1].name is 'ckpt-1.model.safetensors'; it must be a file of "
            "its own here");
  const std::string one = std::to_string(sample().files[1].digest.crc32c);
  EXPECT_EQ(errorOf(changed("\"crc32c\":" + one, "\"crc32c\":4294967296")),
            "files[1].crc32c has more than 32 bits");
  EXPECT_EQ(errorOf(changed("\"crc32c\":" + one, "\"crc32c\":1")),
            "files[1].crc32c is not that of the pieces");
  EXPECT_EQ(errorOf(changed("[" + one + "]", "[1]")),
            "files[1].crc32c is not that of the pieces");
  EXPECT_EQ(errorOf(changed("[" + one + "]", "[" + one + ",1]")),
            "files[1].pieces has 2 digests; the file has 1 pieces");
  EXPECT_EQ(errorOf(changed("\"size\":0", "\"size\":-1")),
            "files[2].size is no whole number from 0");
  EXPECT_EQ(errorOf(changed("ffffffffffffffff", "fffffffffffffffg")),
            "roots[0].program is no number of 16 hexadecimal digits");
  EXPECT_EQ(errorOf(changed("[5,2,0,1]", "[5,2,0]")),
            "roots[0].steps has 3 numbers; there are 4 modes");
  EXPECT_EQ(errorOf(changed("\"file\":1", "\"file\":3")),
            "items[1].slices[0].file is 3 of 3 files");
  EXPECT_EQ(errorOf(changed("\"key\":\"epoch\"", "\"key\":\"model/w\"")),
            "items[1].key is 'model/w'; it must be there, and once");
  EXPECT_EQ(errorOf(changed("\"file\":1,\"tensor\":\"epoch\"",
                            "\"file\":0,\"tensor\":\"w\"")),
            "items[1].slices[0].tensor is 'w' of another item's");
  EXPECT_EQ(errorOf(changed("\"offset\":[0,2]", "\"offset\":[0,3]")),
            "items[2].slices[1] has the offset [0,3] and the extent [4,1], of "
            "[4,3]");
  EXPECT_EQ(errorOf(changed("\"offset\":[0,2]", "\"offset\":[2]")),
            "items[2].slices[1] has the offset [2] and the extent [4,1], of "
            "[4,3]");
  EXPECT_EQ(errorOf(changed("\"offset\":[0,2]", "\"offset\":[0,1]")),
            "items[2].slices has the element [0,1] of 'model/cut' 2 times");
  EXPECT_EQ(errorOf(changed("[{\"file\":1,\"tensor\":\"epoch\",\"offset\":[],"
                            "\"extent\":[]}]",
                            "[]")),
            "items[1].slices is empty");
  EXPECT_EQ(
      errorOf(changed("\"b\",\"key\":\"epoch\"", "\"b\",\"key\":\"graph\"")),
      "names[0].key is 'graph', of no item");
  EXPECT_EQ(errorOf(changed("\"name\":\"b\"", "\"name\":\"epoch\"")),
            "names[0].name is 'epoch'; it must be there, and once");
  EXPECT_EQ(errorOf(changed("\"name\":\"graph\"", "\"name\":\"b\"")),
            "names[1].name is 'b'; it must be there, and once");
  EXPECT_EQ(errorOf(changed("\"bf16\"", "\"bf17\"")),
            "items[0].dtype is 'bf17', which smp does not know");
  EXPECT_EQ(errorOf(changed("[2,0,8]", "[2,-1,8]")),
            "items[0].shape has a size that is no whole number from 0");
  EXPECT_EQ(errorOf(changed("[2,0,8]", "[4611686018427387904,4]")),
            "items[0].shape is too large");
  std::string ones = "[1";
  for (int i = 1; i < 255; ++i)
    ones += ",1";
  EXPECT_EQ(errorOf(changed("[2,0,8]", ones + "]")),
            "items[0].shape has 255 dimensions, of at most 254");
}

TEST(CheckpointManifest, AllThatIsWrongIsSaid) {
  CheckpointManifest manifest = sample();
  manifest.files[0].name = "/etc/passwd";
  manifest.files[2].name = manifest.files[1].name;
  manifest.files[1].digest.crc32c ^= 1;
  manifest.items[0].slices[0].file = 3;
  manifest.items[1].key = "model/w";
  manifest.items[2].slices[1].box.offset[1] = 1;
  manifest.items.push_back(
      {"model/hole", {DType::F32, {4}}, {{0, "hole", {{1}, {3}}}}});
  manifest.items.push_back(
      {"model/out", {DType::F32, {4}}, {{0, "out", {{1}, {4}}}}});
  EXPECT_EQ(errorOf(formatCheckpointManifest(manifest)),
            "files[0].name is '/etc/passwd'; it must be a file of its own here"
            "; files[1].crc32c is not that of the pieces"
            "; files[2].name is 'ckpt-1.state.safetensors'; it must be a file "
            "of its own here"
            "; items[0].slices[0].file is 3 of 3 files"
            "; items[1].key is 'model/w'; it must be there, and once"
            "; items[2].slices has the element [0,1] of 'model/cut' 2 times"
            "; items[3].slices has the element [0] of 'model/hole' 0 times"
            "; items[4].slices[0] has the offset [1] and the extent [4], of "
            "[4]");
}

TEST(CheckpointManifest, OfVeryManyProblemsTheFirstAreSaid) {
  CheckpointManifest manifest = sample();
  manifest.files.resize(1);
  manifest.files.front().digest.crc32c ^= 1;
  manifest.items.clear();
  for (int i = 0; i < 1000; ++i)
    manifest.items.push_back({"", {DType::F32, {}}, {{9, "", {}}}});
  const std::string message = errorOf(formatCheckpointManifest(manifest));
  EXPECT_TRUE(message.starts_with("files[0].crc32c is not that of the pieces; "
                                  "items[0].slices[0].file is 9 of 1 files"))
      << message;
  EXPECT_TRUE(message.ends_with("; and 1901 more")) << message;
  EXPECT_LT(message.size(), 10000u);
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
