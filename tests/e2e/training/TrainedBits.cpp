// SPDX-License-Identifier: Apache-2.0
#include "TrainedBits.h"
#include "MemoryCheck.h"
#include "ProgramSize.h"
#include <cstring>
#include <gtest/gtest.h>

namespace smp::test {

char_lm::Shape smallShape() {
  char_lm::Shape shape;
  shape.layers = 3;
  shape.heads = 2;
  shape.width = 32;
  shape.block = 16;
  shape.characters = 29;
  shape.batch = 3;
  shape.microbatches = 4;
  shape.steps = 10;
  return shape;
}

compile::CompiledModel compileFor(const Division &division) {
  char_lm::Shape shape = smallShape();
  shape.recompute = division.recompute;
  shape.precision = division.precision;
  auto model = char_lm::buildModel(shape);
  EXPECT_TRUE(model.ok()) << model.status().message();
  compile::ModelOptions options;
  options.targets = division.targets;
  if (division.targets.empty())
    options.levels = {"v3"};
  options.placement.emplace().partitions = division.partitions;
  options.placement->memoryLimit = division.memoryLimit;
  options.pipeline = division.pipeline;
  options.activeMicrobatches = division.active;
  auto compiled = compile::compileModel(model.take(), options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  EXPECT_EQ(checkSize(compiled->bytes()), "");
  EXPECT_EQ(checkMemory(compiled->bytes()), "");
  return compiled.take();
}

/// The batch of a step, the same for everybody.
static std::vector<int64_t> tokensOf(int step, int offset) {
  const char_lm::Shape shape = smallShape();
  std::vector<int64_t> tokens(
      size_t(shape.batch * shape.microbatches * shape.block));
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = int64_t((i + size_t(offset)) * 7919 + size_t(step) * 104729) %
                131 % shape.characters;
  return tokens;
}

void collect(Session &session, Bits &bits) {
  for (const VariableSignature &variable : session.variables()) {
    size_t bytes = sizeOf(variable.dtype);
    for (int64_t size : variable.shape)
      bytes *= size_t(size);
    std::vector<std::byte> value(bytes);
    if (session.getVariable(variable.name, value).ok())
      bits[variable.name] = std::move(value);
  }
}

void train(Session &session, Bits &bits) {
  const char_lm::Shape shape = smallShape();
  const int64_t dims[] = {shape.batch * shape.microbatches, shape.block};
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<int64_t> tokens = tokensOf(step, 0),
                               targets = tokensOf(step, 1);
    const InputTensor inputs[] = {
        {"tokens", {DType::I64, dims, tokens.data()}},
        {"targets", {DType::I64, dims, targets.data()}}};
    auto output = session.step("train", inputs);
    ASSERT_TRUE(output.ok()) << output.status().message();
    for (const OutputTensor &tensor : output->all()) {
      const auto *first = static_cast<const std::byte *>(tensor.microbatch(0));
      bits["step " + std::to_string(step) + " " + std::string(tensor.name)]
          .assign(first, first + tensor.bytes * tensor.microbatches);
    }
  }
  collect(session, bits);
}

Bits trained(const Division &division) {
  Bits bits;
  const compile::CompiledModel compiled = compileFor(division);
  auto program = SharedProgram::read(compiled.bytes());
  EXPECT_TRUE(program.ok()) << program.status().message();
  SessionOptions options;
  options.devices = division.devices;
  auto session = Session::open(*program, options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  train(*session, bits);
  return bits;
}

float lossOf(const Bits &bits, int step) {
  float value;
  std::memcpy(&value, bits.at("step " + std::to_string(step) + " loss").data(),
              sizeof(value));
  return value;
}

} // namespace smp::test
