// SPDX-License-Identifier: Apache-2.0
// The caller's tensors of a step, without a plan.
#include "tensors/StepInputs.h"
#include "tensors/StepOutputs.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// Microbatches of 2 rows of 3 floats, and a loss that is a mean.
Entry makeEntry() {
  Entry entry;
  entry.name = "train";
  const TensorType rows{DType::F32, {2, 3}};
  entry.inputs = {EntryTensor{"x", rows, 0},
                  EntryTensor{"rate", {DType::F32, {}}, -1},
                  EntryTensor{"number", {DType::I64, {}}, -1}};
  entry.inputs[2].source = TensorSource::Microbatch;
  entry.outputs = {EntryTensor{"y", rows, 0},
                   EntryTensor{"loss", {DType::F32, {}}, -1}};
  entry.outputs[0].join = Join::Concat;
  entry.outputs[1].join = Join::Mean;
  return entry;
}

struct Tensor {
  explicit Tensor(std::vector<int64_t> shape) : shape(std::move(shape)) {
    size_t count = 1;
    for (int64_t size : this->shape)
      count *= size_t(size);
    for (size_t i = 0; i < count; ++i)
      values.push_back(float(i));
  }
  InputTensor as(std::string_view name) const {
    return {name, {DType::F32, shape, values.data()}};
  }
  std::vector<int64_t> shape;
  std::vector<float> values;
};

float floatAt(const std::byte *data) {
  float value = 0;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

TEST(StepInputs, RowsSayHowManyMicrobatchesThereAre) {
  const Entry entry = makeEntry();
  StepInputs inputs(entry, {true, true, false});
  const Tensor x({6, 3}), rate({});
  ASSERT_TRUE(inputs.bind(std::vector{x.as("x"), rate.as("rate")}).ok());
  EXPECT_EQ(inputs.microbatches(), 3u);
  ASSERT_NE(inputs.countedBy(), nullptr);
  EXPECT_EQ(inputs.countedBy()->name, "x");
  inputs.divide(3);
  EXPECT_EQ(floatAt(inputs.data(0) + inputs.slicing(0).start(2)), 12);
  EXPECT_EQ(inputs.slicing(1).start(2), 0u); // All have the same rate.
  int64_t number = 0;
  std::memcpy(&number, inputs.data(2) + 2 * sizeof(number), sizeof(number));
  EXPECT_EQ(number, 2);
}

TEST(StepInputs, WithoutRowsNothingSaysIt) {
  const Entry entry = makeEntry();
  StepInputs inputs(entry, {false, true, false});
  const Tensor x({4, 3}), rate({});
  ASSERT_TRUE(inputs.bind(std::vector{x.as("x"), rate.as("rate")}).ok());
  EXPECT_EQ(inputs.microbatches(), 2u);
  ASSERT_TRUE(inputs.bind(std::vector{rate.as("rate")}).ok());
  EXPECT_EQ(inputs.microbatches(), 0u); // Nothing is left of the step before.
  EXPECT_EQ(inputs.countedBy(), nullptr);
  EXPECT_EQ(inputs.bind({}).message(),
            "entry 'train' needs input 'rate', a f32[]");
}

TEST(StepInputs, WhatIsNotAlignedIsCopied) {
  const Entry entry = makeEntry();
  StepInputs inputs(entry, {true, false, false});
  const Tensor x({2, 3});
  alignas(4) std::byte bytes[25];
  std::memcpy(bytes + 1, x.values.data(), 24);
  const InputTensor odd{"x", {DType::F32, x.shape, bytes + 1}};
  ASSERT_TRUE(inputs.bind(std::vector{odd}).ok());
  ASSERT_NE(inputs.data(0), bytes + 1);
  EXPECT_EQ(std::memcmp(inputs.data(0), x.values.data(), 24), 0);
}

TEST(StepOutputs, AMeanIsGivenOnceAndMadeByEveryMicrobatch) {
  const Entry entry = makeEntry();
  StepOutputs outputs(entry, {{.isWanted = true}, {.isWanted = true}});
  float loss = 0;
  const OutputBinding binding{"loss", &loss, sizeof(loss)};
  ASSERT_TRUE(outputs.place(3, {&binding, 1}, true).ok());
  EXPECT_EQ(outputs.given().find("y")->shape[0], 6);
  EXPECT_EQ(outputs.timesMade(1), 3u);
  for (uint32_t m = 0; m < 3; ++m) {
    const auto value = float(m + 1);
    std::memcpy(outputs.data(1) + outputs.slicing(1).start(m), &value, 4);
  }
  EXPECT_EQ(loss, 0);
  outputs.reduce();
  EXPECT_EQ(loss, 2);
  EXPECT_EQ(outputs.given().find("loss")->data, &loss);
}

TEST(StepOutputs, WhatIsMadeOncePerStepHasOneValue) {
  const Entry entry = makeEntry();
  StepOutputs outputs(entry, {{}, {.isWanted = true, .isPerStep = true}});
  ASSERT_TRUE(outputs.place(3, {}, true).ok());
  EXPECT_EQ(outputs.timesMade(1), 1u);
  EXPECT_EQ(outputs.given().all().size(), 1u);
  EXPECT_EQ(outputs.given().find("y"), nullptr);
  EXPECT_EQ(static_cast<void *>(outputs.data(1)),
            outputs.given().find("loss")->data);
  const OutputBinding unwanted{"y", nullptr, 0};
  EXPECT_EQ(outputs.place(3, {&unwanted, 1}, true).message(),
            "entry 'train' has no output 'y' here; its outputs are: 'y', "
            "'loss'");
}

} // namespace
