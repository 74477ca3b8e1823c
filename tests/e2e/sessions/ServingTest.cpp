// SPDX-License-Identifier: Apache-2.0
// Many threads that serve one model: its weights are there once.
#include "ProcessMemory.h"
#include "smp/compile/CompileModel.h"
#include "smp/import/Layers.h"
#include "smp/runtime/SessionPool.h"
#include <barrier>
#include <gtest/gtest.h>
#include <thread>

using namespace smp;

namespace {

/// Four layers of 16 MiB of weights each, whose products are packed.
compile::CompiledModel compileLarge() {
  GraphBuilder g;
  Tensor x = g.input("x", {DType::F32, {8, 2048}}, 0);
  for (int i = 0; i < 4; ++i)
    x = layers::linear(g, x, 2048, "layer" + std::to_string(i),
                       {.bias = false});
  g.output("y", x, 0);
  return compile::compileModel(std::move(g).finish().take()).take();
}

/// What a Session has for itself.
uint64_t ownBytes(const Session &session) {
  uint64_t bytes = 0;
  for (const DeviceMemory &device : session.memory())
    bytes += device.currentBytes - device.sharedBytes;
  return bytes;
}

std::vector<float> stepOn(Session &session, float value) {
  const std::vector<float> x(8 * 2048, value);
  const std::vector<int64_t> shape = {8, 2048};
  const InputTensor in{"x", {DType::F32, shape, x.data()}};
  const auto output = session.step("predict", {&in, 1});
  if (!output.ok()) {
    ADD_FAILURE() << output.status().message();
    return {};
  }
  const auto *y = static_cast<const float *>(output->find("y")->data);
  return {y, y + 8 * 2048};
}

constexpr uint64_t kWeights = uint64_t(64) << 20;

TEST(Serving, FourThreadsHaveTheWeightsOnce) {
  const auto program = compileLarge();
  const auto shared = SharedProgram::read(program.bytes()).take();
  const uint64_t nothing = test::statusBytes("VmRSS:");
  auto first = std::make_unique<Session>(Session::open(shared).take());
  const std::vector<float> expected = stepOn(*first, 1);
  const uint64_t ofOne = test::statusBytes("VmRSS:") - nothing;
  EXPECT_GT(ofOne, kWeights);
  EXPECT_GE(first->memory()[0].sharedBytes, kWeights);

  std::barrier<> together(4);
  std::vector<std::unique_ptr<Session>> sessions(4);
  sessions[0] = std::move(first);
  std::vector<std::thread> threads;
  for (auto &session : sessions)
    threads.emplace_back([&] {
      together.arrive_and_wait();
      if (!session)
        session = std::make_unique<Session>(Session::open(shared).take());
      EXPECT_EQ(stepOn(*session, 1), expected);
    });
  for (std::thread &thread : threads)
    thread.join();
  uint64_t arenas = 0;
  for (const auto &session : sessions)
    arenas += ownBytes(*session);
  const uint64_t ofFour = test::statusBytes("VmRSS:") - nothing;
  RecordProperty("bytes_of_one", std::to_string(ofOne));
  RecordProperty("bytes_of_four", std::to_string(ofFour));
  EXPECT_LE(double(ofFour), 1.1 * double(ofOne) + double(arenas));
}

TEST(Serving, APoolServesMoreThreadsThanItHasSessions) {
  const auto program = compileLarge();
  const auto shared = SharedProgram::read(program.bytes()).take();
  auto pool = SessionPool::open(shared, 2).take();
  EXPECT_EQ(pool.size(), 2u);
  const std::vector<float> expected = stepOn(*pool.take(), 2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] {
      for (int step = 0; step < 3; ++step)
        EXPECT_EQ(stepOn(*pool.take(), 2), expected);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
