// SPDX-License-Identifier: Apache-2.0
// The code of the README.

#include "TemporaryFolder.h"
#include "smp/capture/Hook.h"
#include "smp/checkpoint/CheckpointManager.h"
#include "smp/compile/CompileModel.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include "smp/runtime/Session.h"
#include <gtest/gtest.h>

namespace {

TEST(Readme, AModelIsMadeAndOpened) {
#include "model.inc"
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_EQ(session->entries()[0].name, "predict");
  EXPECT_EQ(session->memory().size(), 2u);
}

/// In a folder that is gone afterwards.
class InFolder {
public:
  InFolder() : before(std::filesystem::current_path()) {
    std::filesystem::current_path(folder.path());
  }
  ~InFolder() { std::filesystem::current_path(before); }

private:
  smp::TemporaryFolder folder;
  std::filesystem::path before;
};

smp::StatusOr<smp::Model> buildTrained() {
  smp::GraphBuilder g;
  auto model = [](smp::GraphBuilder &g, const smp::Tensor &x) {
    return smp::layers::linear(g, x, 10, "classifier");
  };
#include "train.inc"
  g.output("scores", model(g, g.input("x", {smp::DType::F32, {1, 16}}, 0)), 0);
  return std::move(g).finish();
}

TEST(Readme, AModelIsTrainedKeptAndWatched) {
  auto made = buildTrained();
  ASSERT_TRUE(made.ok()) << made.status().message();
  auto program = smp::compile::compileModel(made.take());
  ASSERT_TRUE(program.ok()) << program.status().message();
  auto shared = smp::SharedProgram::read(program->bytes());
  auto opened = smp::Session::open(*shared);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  smp::Session session = opened.take();
  const std::vector<float> x(32 * 16, 0.25f);
  const std::vector<int64_t> classes(32, 3);
  const int64_t shape[] = {32, 16};
  const smp::InputTensor inputs[] = {
      {"x", {smp::DType::F32, shape, x.data()}},
      {"classes", {smp::DType::I64, {shape, 1}, classes.data()}}};
  float loss = 0, before = 1e9;
  for (int i = 0; i < 3; ++i) {
#include "steps.inc"
    ASSERT_TRUE(output.ok()) << output.status().message();
    EXPECT_LT(loss, before);
    before = loss;
  }
  const InFolder inFolder;
#include "keep.inc"
  EXPECT_TRUE(watched.ok() && attached.ok());
  ASSERT_TRUE(restored.ok()) << restored.status().message();
  EXPECT_FALSE(*restored);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_EQ(*path, "run/ckpt-1");
  EXPECT_TRUE(std::filesystem::exists("run/ckpt-1.model.safetensors"));
}

} // namespace
