// SPDX-License-Identifier: Apache-2.0
// Bundles that TensorFlow wrote: tests/golden/bundles/make-bundles.
#include "smp/tools/ObjectGraph.h"
#include "smp/tools/TensorBundle.h"
#include <bit>
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;

static TensorBundle openGolden(const std::string &name) {
  auto bundle =
      TensorBundle::open(SMP_TEST_SOURCE_DIR "/golden/bundles/" + name);
  EXPECT_TRUE(bundle.ok()) << bundle.status().message();
  return bundle.take();
}

static std::vector<std::string> keysOf(const TensorBundle &bundle) {
  std::vector<std::string> keys;
  for (const BundleTensor &tensor : bundle.tensors())
    keys.push_back(tensor.key);
  return keys;
}

/// The bits of a small whole number, lowest byte first.
static uint64_t bitsOf(DType type, int value) {
  switch (type) {
  case DType::F64:
    return std::bit_cast<uint64_t>(double(value));
  case DType::F32:
    return std::bit_cast<uint32_t>(float(value));
  case DType::BF16:
    return std::bit_cast<uint32_t>(float(value)) >> 16;
  case DType::F16: // 1, 2 and 3.
    return value == 1 ? 0x3c00 : value == 2 ? 0x4000 : 0x4200;
  case DType::Bool:
    return uint64_t(value % 2);
  default:
    return uint64_t(value);
  }
}

/// That a tensor has the values first, first + 1 and so on.
static void expectCounts(const TensorBundle &bundle, const std::string &key,
                         const TensorType &type, int first = 1) {
  SCOPED_TRACE(key);
  const BundleTensor *tensor = bundle.find(key);
  ASSERT_NE(tensor, nullptr);
  ASSERT_EQ(fromTensorFlow(tensor->type), type.dtype);
  ASSERT_EQ(tensor->shape, type.shape);
  auto read = bundle.read(*tensor);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->bytes.size(), size_t(type.bytes()));
  const size_t size = sizeOf(type.dtype);
  for (int i = 0; i < type.elements(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, read->bytes.data() + size_t(i) * size, size);
    EXPECT_EQ(bits, bitsOf(type.dtype, (first + i) % (size == 1 ? 256 : 9999)))
        << "element " << i;
  }
}

TEST(GoldenBundle, HasEveryElementType) {
  const TensorBundle bundle = openGolden("types");
  EXPECT_EQ(keysOf(bundle),
            (std::vector<std::string>{"bfloat16", "bool", "complex", "empty",
                                      "float16", "float32", "float64", "int16",
                                      "int32", "int64", "int8", "scalar",
                                      "uint16", "uint32", "uint64", "uint8"}));
  for (uint8_t i = 0; i < kNumDTypes; ++i)
    expectCounts(bundle, nameOfTensorFlowType(toTensorFlow(DType(i))),
                 {DType(i), {3}});
  expectCounts(bundle, "empty", {DType::F32, {0, 4}});
  expectCounts(bundle, "scalar", {DType::F32, {}}, 5);
  const Status status = bundle.read(*bundle.find("complex")).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("key 'complex' is of complex64"),
            std::string::npos)
      << status.message();
}

TEST(GoldenBundle, JoinsSlicesOfSeveralShards) {
  const TensorBundle bundle = openGolden("sliced");
  using namespace std::string_literals;
  EXPECT_EQ(keysOf(bundle),
            (std::vector<std::string>{"all", "alone", "both", "long",
                                      "n\0\xff"s, "rows"}));
  for (const char *key : {"all", "alone", "both", "rows"})
    expectCounts(bundle, key, {DType::F32, {4, 6}});
  expectCounts(bundle, "long", {DType::U8, {9000}});
  expectCounts(bundle, "n\0\xff"s, {DType::I32, {2, 2, 2}});
  EXPECT_TRUE(bundle.find("rows")->isSliced);
  EXPECT_FALSE(bundle.find("all")->isSliced); // TensorFlow keeps it whole.
  EXPECT_FALSE(bundle.find("alone")->isSliced);
}

TEST(GoldenBundle, HasTextsAndObjects) {
  const TensorBundle bundle = openGolden("objects");
  const auto graphText =
      bundle.readTexts(*bundle.find(std::string(kObjectGraphKey)));
  ASSERT_TRUE(graphText.ok()) << graphText.status().message();
  const auto names = readObjectGraph(graphText->front());
  ASSERT_TRUE(names.ok()) << names.status().message();
  std::map<std::string, std::string> keys, full;
  for (const auto &[key, name] : *names) {
    keys[name.path] = key;
    full[name.path] = name.fullName;
  }
  ASSERT_EQ(names->size(), 6u);
  expectCounts(bundle, keys["model/layers/0/kernel"], {DType::F32, {2, 3}}, 1);
  expectCounts(bundle, keys["model/layers/0/bias"], {DType::BF16, {3}});
  expectCounts(bundle, keys["model/odd/a.b/c"], {DType::I64, {}}, 7);
  EXPECT_EQ(full["model/layers/0/kernel"], "kernel");
  EXPECT_EQ(keys["model/odd/a.b/c"],
            "model/odd/a..b.Sc/.ATTRIBUTES/VARIABLE_VALUE");
  EXPECT_EQ(keys["optimizer/layers/0/kernel.momentum"],
            "model/layers/0/kernel/.OPTIMIZER_SLOT/optimizer/momentum/"
            ".ATTRIBUTES/VARIABLE_VALUE");
  expectCounts(bundle, keys["optimizer/layers/0/kernel.momentum"],
               {DType::F32, {2, 3}});
  const auto position = bundle.readTexts(*bundle.find(keys["position"]));
  ASSERT_TRUE(position.ok()) << position.status().message();
  EXPECT_EQ(*position, std::vector<std::string>{"line 7"});
  const auto words = bundle.readTexts(*bundle.find(keys["words"]));
  ASSERT_TRUE(words.ok()) << words.status().message();
  EXPECT_EQ(*words, (std::vector<std::string>{"a", "", std::string(300, 'b')}));
  const Status status = bundle.read(*bundle.find(keys["words"])).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
}
