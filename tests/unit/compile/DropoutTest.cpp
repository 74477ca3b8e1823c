// SPDX-License-Identifier: Apache-2.0
// What a Session drops is what the counters say, whichever partition drops it.

#include "smp/compile/CompileModel.h"
#include "smp/import/Layers.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Names.h"
#include "smp/model/Philox.h"
#include "smp/runtime/Session.h"
#include <gtest/gtest.h>
#include <map>

using namespace smp;

namespace {

constexpr int64_t kRows = 3, kColumns = 37, kMicrobatches = 2;
constexpr size_t kElements = kRows * kColumns;
constexpr float kRate = 0.25;

/// Where the draws of an op come from.
struct Source {
  uint64_t seed = 0;
  uint32_t site = 0;
};

/// Two layers that drop, pinned to partitions.
Model makeModel(int64_t first, int64_t second) {
  GraphBuilder g("model", /*seed=*/9);
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {kRows, kColumns}}, 0);
  g.microbatches(kMicrobatches);
  auto drop = [&](const Tensor &x, int64_t where, const std::string &name) {
    auto scope = partition(where);
    Tensor y = layers::dropout(g, x, kRate, name);
    g.output(name, y, 0);
    return y;
  };
  drop(drop(x, first, "first"), second, "second");
  return std::move(g).finish().take();
}

std::map<std::string, Source> sourcesOf(Model &model) {
  std::map<std::string, Source> sources;
  model.parts().module->walk([&](ir::RandomOp op) {
    sources[ir::getOriginName(op).str()] = {op.getSeed(),
                                            uint32_t(op.getSite())};
  });
  return sources;
}

/// `x` without what the step, counted from 0, drops.
std::vector<float> dropped(std::vector<float> x, const Source &source,
                           uint32_t step) {
  for (size_t i = 0; i < x.size(); ++i) {
    const auto element = uint32_t(i % kElements);
    const uint32_t word =
        philox({element / 4, uint32_t(i / kElements), step + 1, source.site},
               source.seed)[element % 4];
    const bool isKept = float(word >> 8) * 0x1p-24f >= kRate;
    x[i] = isKept ? x[i] * float(1 / (1 - double(kRate))) : 0;
  }
  return x;
}

std::vector<float> valuesOf(const StepOutput &output, std::string_view name) {
  const OutputTensor *tensor = output.find(name);
  EXPECT_TRUE(tensor) << name;
  if (!tensor)
    return {};
  const auto *data = static_cast<const float *>(tensor->data);
  return std::vector<float>(data, data + tensor->bytes / sizeof(float));
}

void run(int64_t first, int64_t second, int64_t partitions) {
  Model model = makeModel(first, second);
  std::map<std::string, Source> sources = sourcesOf(model);
  ASSERT_TRUE(sources.count("first/random") && sources.count("second/random"));
  compile::ModelOptions options;
  options.placement.emplace().partitions = partitions;
  auto program = compile::compileModel(std::move(model), options);
  ASSERT_TRUE(program.ok()) << program.status().message();
  auto session = Session::open(SharedProgram::read(program->bytes()).take());
  ASSERT_TRUE(session.ok()) << session.status().message();

  std::vector<float> x(kMicrobatches * kElements);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i + 1);
  const int64_t shape[] = {kMicrobatches * kRows, kColumns};
  const InputTensor inputs[] = {{"x", {DType::F32, shape, x.data()}}};
  for (uint32_t step = 0; step < 3; ++step) {
    auto output = session->step("train", inputs);
    ASSERT_TRUE(output.ok()) << output.status().message();
    const std::vector<float> expected =
        dropped(x, sources["first/random"], step);
    EXPECT_EQ(valuesOf(*output, "first"), expected) << "step " << step;
    EXPECT_EQ(valuesOf(*output, "second"),
              dropped(expected, sources["second/random"], step))
        << "step " << step;
  }
}

TEST(Dropout, IsThatOfItsCountersOnOnePartition) { run(0, 0, 1); }
TEST(Dropout, IsThatOfItsCountersOnTwo) {
  run(0, 1, 2);
  run(1, 0, 2);
}

} // namespace
