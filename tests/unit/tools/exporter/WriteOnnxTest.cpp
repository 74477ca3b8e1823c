// SPDX-License-Identifier: Apache-2.0
// Files of ONNX, with their weights inside or beside.
#include "ExportGraphs.h"
#include "OnnxText.h"
#include "TemporaryFolder.h"
#include "smp/tools/ExportOnnx.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;

GraphMaker twoWeights() {
  GraphMaker m;
  const uint32_t x = m.input("x", floats({3}));
  const uint32_t sum = m.op("add", {x, m.read("a", floats({3}))}, floats({3}));
  m.output("y", m.op("add", {sum, m.read("b", floats({3}))}, floats({3})));
  return m;
}

class WriteOnnxTest : public testing::Test {
protected:
  proto::onnx::Model read() {
    proto::onnx::Model model;
    EXPECT_TRUE(model.ParseFromString(folder.read("m.onnx")));
    return model;
  }
  Status write(uint64_t mostInside) {
    return writeOnnx(twoWeights().finish(), folder.file("m.onnx"), mostInside);
  }

  TemporaryFolder folder;
};

TEST_F(WriteOnnxTest, FewWeightsAreInside) {
  ASSERT_TRUE(write(24).ok());
  EXPECT_EQ(folder.names(), Names{"m.onnx"});
  EXPECT_EQ(folder.read("m.onnx"), serializeOnnx(twoWeights().finish()).take());
}

TEST_F(WriteOnnxTest, ManyWeightsAreBesideTheModel) {
  ASSERT_TRUE(write(23).ok());
  EXPECT_EQ(folder.names(), (Names{"m.onnx", "m.onnx.data"}));
  const std::string data = folder.read("m.onnx.data");
  EXPECT_EQ(data.size(), 4096u + 12u);
  const proto::onnx::Model model = read();
  std::string expected(12, '\0');
  for (int i = 0; i < 12; ++i)
    expected[size_t(i)] = char(i);
  for (int i = 0; i < 2; ++i) {
    const proto::onnx::Tensor &tensor = model.graph().initializer(i);
    EXPECT_EQ(tensor.data_location(), proto::onnx::Tensor::EXTERNAL);
    EXPECT_FALSE(tensor.has_raw_data());
    std::map<std::string, std::string> where;
    for (const proto::onnx::Entry &entry : tensor.external_data())
      where[entry.key()] = entry.value();
    EXPECT_EQ(where["location"], "m.onnx.data");
    EXPECT_EQ(
        data.substr(std::stoul(where["offset"]), std::stoul(where["length"])),
        expected);
  }
}

TEST_F(WriteOnnxTest, WithoutItsWeightsThereIsNoModel) {
  std::filesystem::create_directory(folder.file("m.onnx.data"));
  const Status status = write(0);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("m.onnx.data"), std::string::npos)
      << status.message();
  EXPECT_EQ(folder.names(), Names{"m.onnx.data"});
}

} // namespace
