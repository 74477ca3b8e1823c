// SPDX-License-Identifier: Apache-2.0
// A step in several microbatches gives what the model compiled for all rows
// gives, or is refused: for every op, over random shapes.

#include "RowCases.h"
#include "Seed.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/compile/CompileModel.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Smp.h"
#include "smp/model/Philox.h"
#include "smp/runtime/Session.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace smp;
using namespace smp::test;

namespace {

constexpr int64_t kVariants = 5;

std::string entryName(size_t number, int64_t variant) {
  return rowCases()[number].op + "." + std::to_string(number) + "." +
         std::to_string(variant);
}

/// All cases in all variants, an entry each, for so many rows in each of
/// `count` microbatches.
StatusOr<Model> build(int64_t part, int64_t count, uint32_t seed) {
  GraphBuilder g("rows", seed);
  for (size_t i = 0; i < rowCases().size(); ++i)
    for (int64_t v = 0; v < kVariants; ++v) {
      g.beginEntry(entryName(i, v));
      RowOperands operands(g, part * count, seed + uint32_t(i * 16), v);
      operands.isOneByOne = part == 1;
      g.output("y", rowCases()[i].build(operands));
    }
  return std::move(g).finish();
}

struct Compiled {
  compile::CompiledModel bytes;
  SharedProgram program;
  Session session;
};

StatusOr<std::unique_ptr<Compiled>> compileFor(int64_t part, int64_t count,
                                               uint32_t seed) {
  StatusOr<Model> model = build(part, count, seed);
  if (!model.ok())
    return model.status();
  compile::ModelOptions options;
  options.levels = {"v2"};
  auto bytes = compile::compileModel(model.take(), options);
  if (!bytes.ok())
    return bytes.status();
  auto program = SharedProgram::read(bytes->bytes());
  if (!program.ok())
    return program.status();
  SessionOptions sessionOptions;
  sessionOptions.devices = "cpu:0=0";
  auto session = Session::open(*program, sessionOptions);
  if (!session.ok())
    return session.status();
  return std::unique_ptr<Compiled>(
      new Compiled{bytes.take(), program.take(), session.take()});
}

using Inputs = std::vector<std::pair<std::string, HostTensor>>;

Inputs makeInputs(const EntrySignature &entry, uint64_t seed) {
  Inputs inputs;
  for (const TensorSignature &input : entry.inputs) {
    HostTensor tensor = HostTensor::zeros({input.dtype, input.shape});
    fillNormal(tensor.bytes, input.dtype, 0, 1, seed + inputs.size());
    inputs.emplace_back(input.name, std::move(tensor));
  }
  return inputs;
}

StatusOr<HostTensor> run(Compiled &compiled, const std::string &entry,
                         const Inputs &inputs) {
  std::vector<InputTensor> given;
  for (const auto &[name, tensor] : inputs)
    given.push_back(
        {name, {tensor.type.dtype, tensor.type.shape, tensor.bytes.data()}});
  auto output = compiled.session.step(entry, given);
  if (!output.ok())
    return output.status();
  const OutputTensor &y = output->all()[0];
  HostTensor value =
      HostTensor::zeros({y.dtype, {y.shape.begin(), y.shape.end()}});
  std::memcpy(value.bytes.data(), y.data, y.bytes);
  return value;
}

/// Rounding apart, and infinities and NaN to the bit.
bool isClose(const HostTensor &x, const HostTensor &y) {
  if (x.type != y.type || x.type.dtype != DType::F32)
    return x.type == y.type && x.bytes == y.bytes;
  for (size_t i = 0; i < x.as<float>().size(); ++i) {
    const double a = double(x.as<float>()[i]), b = double(y.as<float>()[i]);
    if (std::isnan(a) != std::isnan(b) || std::isinf(a) != std::isinf(b) ||
        std::abs(a - b) > 1e-5 * (1 + std::abs(a)))
      return false;
  }
  return true;
}

} // namespace

TEST(Microbatches, GiveWhatAllRowsGiveOrAreRefused) {
  const uint32_t seed = chooseSeed();
  std::printf("SMP_TEST_SEED=%u\n", seed);
  std::map<std::string, int> joined;
  int refused = 0;
  for (int64_t rows : {1, 3}) {
    auto part = compileFor(rows, 1, seed);
    ASSERT_TRUE(part.ok()) << part.status().message();
    for (int64_t count : {2, 4}) {
      auto whole = compileFor(rows, count, seed);
      ASSERT_TRUE(whole.ok()) << whole.status().message();
      for (const EntrySignature &entry : (*whole)->program.entries()) {
        const std::string op = entry.name.substr(0, entry.name.find('.'));
        const Inputs inputs = makeInputs(entry, seed);
        auto expected = run(**whole, entry.name, inputs);
        auto given = run(**part, entry.name, inputs);
        if (!given.ok()) {
          EXPECT_NE(given.status().message().find("mixes their rows"),
                    std::string::npos)
              << entry.name << ": " << given.status().message();
          ++refused;
          continue;
        }
        ASSERT_TRUE(expected.ok()) << expected.status().message();
        EXPECT_TRUE(isClose(*given, *expected))
            << entry.name << ", " << rows << " rows in each of " << count
            << " microbatches: " << toString(given->type) << " instead of "
            << toString(expected->type);
        ++joined[op];
      }
    }
  }
  for (const RowCase &one : rowCases())
    EXPECT_GT(joined[one.op], 0) << one.op;
  EXPECT_GT(refused, 0);
}

/// Those that passes make come after the rows have been followed, and what
/// draws is a step by definition.
TEST(Microbatches, EveryOpIsTried) {
  std::set<std::string> tried = {"pack",        "packed_matmul",
                                 "packed_conv", "depthwise_conv",
                                 "random",      "statistics"};
  for (const RowCase &one : rowCases())
    tried.insert(one.op);
  mlir::MLIRContext context;
  context.loadDialect<ir::SmpDialect>();
  for (mlir::RegisteredOperationName op :
       context.getRegisteredOperationsByDialect("smp"))
    if (op.hasInterface<ir::AxesOpInterface>())
      EXPECT_TRUE(tried.count(op.stripDialect().str()))
          << op.getStringRef().str();
}

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

TEST(Microbatches, SumsMeansAndStacksAreSaid) {
  GraphBuilder g;
  Tensor x = g.input("x", {DType::F32, {2, 3}}, 0);
  Tensor total = g.sum(x);
  g.output("sum", total, JoinBy::Sum);
  g.output("mean", total, JoinBy::Mean);
  g.output("stack", total, JoinBy::Stack);
  g.output("same", g.splat({DType::F32, {2}}, 3));
  auto bytes = compile::compileModel(std::move(g).finish().take());
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  auto program = SharedProgram::read(bytes->bytes());
  ASSERT_TRUE(program.ok()) << program.status().message();
  std::string joins;
  for (const TensorSignature &output : program->entries()[0].outputs)
    joins += output.join + " ";
  EXPECT_EQ(joins, "sum mean concat same ");
  auto session = Session::open(*program);
  ASSERT_TRUE(session.ok()) << session.status().message();
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7,  8,  9,
                                      0, 0, 0, 1, 1, 1, -1, -1, -1};
  for (int64_t microbatches : {3, 1}) {
    const int64_t shape[] = {2 * microbatches, 3};
    const InputTensor input{"x", {DType::F32, shape, numbers.data()}};
    float bound = 0;
    const OutputBinding binding{"mean", &bound, sizeof(bound)};
    auto output = session->step("predict", {&input, 1}, {0, {&binding, 1}});
    ASSERT_TRUE(output.ok()) << output.status().message();
    auto values = [&](const char *name) {
      const OutputTensor *tensor = output->find(name);
      const auto *data = static_cast<const float *>(tensor->data);
      return std::vector<float>(data, data + tensor->bytes / sizeof(float));
    };
    const bool all = microbatches == 3;
    EXPECT_EQ(values("sum"), std::vector<float>{all ? 45.f : 21.f});
    EXPECT_EQ(bound, all ? 15.f : 21.f);
    EXPECT_EQ(output->find("mean")->data, &bound);
    EXPECT_EQ(values("stack"),
              all ? std::vector<float>({21, 24, 0}) : std::vector<float>({21}));
    EXPECT_EQ(values("same"), std::vector<float>({3, 3}));
  }
}
