// SPDX-License-Identifier: Apache-2.0
// What becomes of the values of microbatches. The numbers are numpy's:
// record_outputs.py prints them.
#include "TestPrograms.h"
#include "smp/model/Float16.h"

using namespace smp;
using namespace smp::test;

namespace {

/// An output as a step gives it.
template <typename T>
struct Given {
  Given(DType dtype, Shape shape, int32_t batchAxis, uint32_t microbatches,
        std::vector<T> values)
      : shape(std::move(shape)), values(std::move(values)) {
    output = {"y", dtype,     this->shape, this->values.data(),
              0,   batchAxis, microbatches};
    output.bytes = this->values.size() * sizeof(T);
    if (batchAxis < 0) { // `data` is the last of the values.
      output.bytes /= microbatches;
      output.data = this->values.data() +
                    this->values.size() / microbatches * (microbatches - 1);
    }
  }

  Shape shape;
  std::vector<T> values;
  OutputTensor output;
};

template <typename T>
std::vector<T> elements(const HostTensor &tensor) {
  return {tensor.as<T>().begin(), tensor.as<T>().end()};
}

template <typename T>
void expectTensor(const StatusOr<HostTensor> &tensor, const TensorType &type,
                  const std::vector<T> &expected) {
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_EQ(toString(tensor->type), toString(type));
  EXPECT_EQ(elements<T>(*tensor), expected);
}

/// f32[2x3] of three microbatches, joined along the last dimension.
Given<float> joinedInside() {
  return {DType::F32,
          {2, 9},
          1,
          3,
          {0.1f, 1e8f, -3.3f, 0.2f, 1.0f, 7.1f, 0.3f, -1e8f, 0.9f, //
           0.7f, 1e-3f, 5.5f, -0.7f, 2e-3f, 6.6f, 1e-9f, 4e-3f, 7.7f}};
}
const TensorType kPart{DType::F32, {2, 3}};

TEST(OutputTensor, SumsAndMeansInTheOrderOfMicrobatches) {
  const auto given = joinedInside();
  expectTensor<float>(given.output.reduceSum(), kPart,
                      {0x1.333334p-1f, 0, 0x1.2cccccp+2f, 0x1.12e0bep-30f,
                       0x1.cac084p-8f, 0x1.3cccccp+4f});
  expectTensor<float>(given.output.reduceMean(), kPart,
                      {0x1.99999ap-3f, 0, 0x1.91111p+0f, 0x1.6e80fep-32f,
                       0x1.31d5aep-9f, 0x1.a66666p+2f});
}

TEST(OutputTensor, JoinsAndStacks) {
  const auto given = joinedInside();
  expectTensor<float>(given.output.concat(), {DType::F32, {2, 9}},
                      given.values);
  expectTensor<float>(given.output.merge(), {DType::F32, {2, 9}}, given.values);
  expectTensor<float>(given.output.stack(), {DType::F32, {3, 2, 3}},
                      {0.1f, 1e8f, -3.3f, 0.7f, 1e-3f, 5.5f, 0.2f, 1.0f, 7.1f,
                       -0.7f, 2e-3f, 6.6f, 0.3f, -1e8f, 0.9f, 1e-9f, 4e-3f,
                       7.7f});
  const std::vector<HostTensor> parts = given.output.outputs();
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(toString(parts[1].type), "f32[2x3]");
  EXPECT_EQ(elements<float>(parts[1]),
            (std::vector<float>{0.2f, 1.0f, 7.1f, -0.7f, 2e-3f, 6.6f}));
}

TEST(OutputTensor, DoublesStayDoubles) {
  const double third = 1.0 / 3;
  const Given<double> given(DType::F64, {3}, 0, 3,
                            {0.1f * third, 0.2f * third, 0.3f * third});
  expectTensor<double>(given.output.reduceSum(), {DType::F64, {1}},
                       {0x1.99999a5555555p-3});
  expectTensor<double>(given.output.reduceMean(), {DType::F64, {1}},
                       {0x1.1111118e38e39p-4});
}

/// In f16, 2048 + 1 is 2048 again, and 60000 + 60000 is infinite.
TEST(OutputTensor, SixteenBitFloatsAreRoundedOnce) {
  for (Float16Format format : {kF16, kBF16}) {
    const bool isF16 = format.mantissaBits == 10;
    auto bits = [&](double value) { return toFloat16(value, format); };
    const double great = isF16 ? 2048 : 256, huge = isF16 ? 60000 : 3e38;
    const DType dtype = isF16 ? DType::F16 : DType::BF16;
    const Given<uint16_t> given(dtype, {3}, -1, 3,
                                {bits(great), bits(0.1), bits(huge / 4), //
                                 bits(1), bits(0.2), bits(huge / 4),     //
                                 bits(1), bits(0.3), bits(-huge / 4)});
    expectTensor<uint16_t>(
        given.output.reduceSum(), {dtype, {3}},
        {bits(great + 2), bits(isF16 ? 0x1.334p-1 : 0.6016), bits(huge / 4)});
    const auto mean = given.output.reduceMean();
    ASSERT_TRUE(mean.ok());
    EXPECT_EQ(mean->as<uint16_t>()[0], bits((great + 2) / 3));
  }
  const Given<uint16_t> wide(DType::F16, {1}, -1, 3,
                             {toFloat16(60000, kF16), toFloat16(60000, kF16),
                              toFloat16(-60000, kF16)});
  expectTensor<uint16_t>(wide.output.reduceMean(), {DType::F16, {1}},
                         {toFloat16(0x1.388p+14, kF16)});
}

TEST(OutputTensor, IntegersAreSummedAndWrapAround) {
  const Given<int8_t> small(DType::I8, {6}, 0, 3, {100, -7, 27, -8, 1, -9});
  expectTensor<int8_t>(small.output.reduceSum(), {DType::I8, {2}}, {-128, -24});
  const Given<int64_t> large(DType::I64, {}, -1, 3, {int64_t(1) << 62, 5, -7});
  expectTensor<int64_t>(large.output.reduceSum(), {DType::I64, {}},
                        {4611686018427387902});
  const Given<uint16_t> unsigned16(DType::U16, {2}, 0, 2, {65535, 2});
  expectTensor<uint16_t>(unsigned16.output.reduceSum(), {DType::U16, {1}}, {1});
  const Given<int32_t> words(DType::I32, {2}, 0, 2, {INT32_MAX, 1});
  expectTensor<int32_t>(words.output.reduceSum(), {DType::I32, {1}},
                        {INT32_MIN});
}

TEST(OutputTensor, AccumulateIsTheMeanByAnyMethod) {
  const auto given = joinedInside();
  const auto mean = given.output.reduceMean();
  ASSERT_TRUE(mean.ok());
  for (const char *method : {"variable", "add_n", "accumulate_n"}) {
    const auto accumulated = given.output.accumulate(method);
    ASSERT_TRUE(accumulated.ok()) << accumulated.status().message();
    EXPECT_EQ(accumulated->bytes, mean->bytes);
  }
  EXPECT_EQ(given.output.accumulate()->bytes, mean->bytes);
}

TEST(OutputTensor, ScalarsAreStackedAndNotJoined) {
  const Given<float> loss(DType::F32, {}, -1, 4, {1, 2, 4, 9});
  expectTensor<float>(loss.output.stack(), {DType::F32, {4}}, {1, 2, 4, 9});
  expectTensor<float>(loss.output.reduceMean(), {DType::F32, {}}, {4});
  EXPECT_EQ(loss.output.outputs()[2].as<float>()[0], 4);
  for (const auto &joined : {loss.output.concat(), loss.output.merge()})
    EXPECT_EQ(joined.status().message(),
              "output 'y', 4 microbatches of f32[], has no batch axis to join "
              "them along; take stack(), which makes a new first axis");
}

TEST(OutputTensor, OfNothingIsNothing) {
  const Given<float> empty(DType::F32, {0, 4}, 1, 2, {});
  expectTensor<float>(empty.output.reduceMean(), {DType::F32, {0, 2}}, {});
  expectTensor<float>(empty.output.stack(), {DType::F32, {2, 0, 2}}, {});
}

TEST(OutputTensor, SaysWhatHasNoMeanOrSum) {
  const Given<int32_t> count(DType::I32, {2}, 0, 2, {1, 2});
  EXPECT_EQ(count.output.reduceMean().status().message(),
            "output 'y', 2 microbatches of i32[1], has no mean: it is no "
            "float; take reduceSum() or convert it in the model");
  const Given<uint8_t> flag(DType::Bool, {2}, 0, 2, {1, 1});
  EXPECT_EQ(flag.output.reduceSum().status().message(),
            "output 'y', 2 microbatches of bool[1], has no sum: bool is no "
            "number; take stack()");
  EXPECT_EQ(flag.output.accumulate().status().message(),
            "output 'y', 2 microbatches of bool[1], has no mean: it is no "
            "float; take stack() or convert it in the model");
  EXPECT_EQ(count.output.accumulate("var").status().message(),
            "output 'y' cannot be accumulated by method 'var'; the methods "
            "are: 'variable', 'add_n', 'accumulate_n'");
}

TEST(OutputTensor, ElementsOfAType) {
  Given<int64_t> count(DType::I64, {3}, 0, 1, {5, 6, 7});
  const auto values = count.output.values<int64_t>();
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_EQ(std::vector<int64_t>(values->begin(), values->end()), count.values);
  EXPECT_EQ(count.output.values<uint64_t>().status().message(),
            "output 'y' has i64 elements; u64 was asked for");
  Given<uint16_t> half(DType::BF16, {1}, 0, 1, {0x3f80});
  EXPECT_EQ(half.output.values<uint16_t>().status().message(),
            "output 'y' has bf16 elements; u16 was asked for");

  const StepOutput both(std::span(&count.output, 1));
  EXPECT_EQ((*both.values<int64_t>("y"))[2], 7);
  EXPECT_EQ(both.values<float>("y").status().code(),
            StatusCode::InvalidArgument);
  EXPECT_EQ(both.values<int64_t>("z").status().message(),
            "no output 'z'; the step has 'y'");
  EXPECT_EQ(StepOutput().values<float>("z").status().message(),
            "no output 'z'; the step has none");
}

/// What a step returns, of an output that is joined inside and of one that is
/// not joined.
TEST(OutputTensor, OfAStep) {
  for (int32_t axis : {1, -1}) {
    auto maker = makeChain(2, 1);
    maker->entry().outputs[0].batchAxis = axis;
    auto program = maker->finish();
    ASSERT_TRUE(program.ok()) << program.status().message();
    SessionOptions options;
    options.devices = deviceList("cpu", 2);
    auto session = openSession(program.take(), options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    const TestTensor x({2, 24});
    const InputTensor inputs[] = {x.as("x")};
    auto result = (*session)->step("predict", inputs, {});
    ASSERT_TRUE(result.ok()) << result.status().message();
    const OutputTensor *y = result->find("y");
    const auto values = result->values<float>("y");
    ASSERT_TRUE(values.ok()) << values.status().message();
    EXPECT_EQ(static_cast<const void *>(values->data()), y->data);
    EXPECT_EQ(values->size(),
              size_t(numElements({y->shape.begin(), y->shape.end()})));
    const std::vector<HostTensor> parts = y->outputs();
    ASSERT_EQ(parts.size(), 3u);
    for (size_t m = 0; m < 3; ++m)
      for (size_t i = 0; i < 16; ++i)
        EXPECT_EQ(parts[m].as<float>()[i],
                  chainOf(x.values[i / 8 * 24 + m * 8 + i % 8], 2))
            << axis << " " << m << " " << i;
    const StatusOr<HostTensor> mean = y->reduceMean();
    ASSERT_TRUE(mean.ok());
    EXPECT_EQ(mean->as<float>()[0], chainOf(8, 2));
  }
}

} // namespace
