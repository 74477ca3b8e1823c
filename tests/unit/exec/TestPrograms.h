// SPDX-License-Identifier: Apache-2.0
// Small programs made by hand, whose kernels are tests/kernels/TestKernels.c.

#ifndef SMP_TESTS_UNIT_EXEC_TESTPROGRAMS_H
#define SMP_TESTS_UNIT_EXEC_TESTPROGRAMS_H

#include "smp/drivers/RegisterDrivers.h"
#include "smp/exec/RunnableProgram.h"
#include "smp/exec/SessionCore.h"
#include <cstring>
#include <gtest/gtest.h>

namespace smp::test {

/// f32[2x8]: 16 elements, which the kernels work on.
inline const TensorType kTensor{DType::F32, {2, 8}};

BufferRef input(uint32_t index);
BufferRef output(uint32_t index);
BufferRef variable(uint32_t index);
BufferRef prepared(uint32_t index);
BufferRef arena(uint64_t offset, uint64_t bytes = 64);
BufferRef constant(uint64_t offset, uint64_t bytes = 64);

/// Builds a Program step by step; every tensor is kTensor unless said.
class ProgramMaker {
public:
  explicit ProgramMaker(uint32_t partitions);

  /// Returns the kernel's number; the same symbol and tiles twice are the same
  /// kernel.
  uint32_t kernel(const std::string &symbol, uint32_t buffers,
                  uint32_t tiles = 1);
  Launch launch(const std::string &symbol, std::vector<BufferRef> buffers,
                uint32_t tiles = 1);
  uint32_t stage(uint32_t partition, uint32_t inputs, uint32_t outputs,
                 std::vector<Launch> launches, uint64_t arenaBytes = 0);
  uint32_t splat(const std::string &name, double value);
  uint32_t prepare(uint32_t partition, std::vector<Launch> launches);

  Entry &entry() { return program.entries[0]; }
  void input(const std::string &name, int32_t batchAxis = 0,
             TensorType type = kTensor);
  void output(const std::string &name, int32_t batchAxis = 0,
              TensorType type = kTensor);
  void edge(Edge::End from, std::vector<Edge::End> to, uint32_t depth = 2);

  /// Once the stages are there: steps of so many microbatches, interleaved.
  void interleave(uint32_t microbatches);
  StatusOr<std::shared_ptr<RunnableProgram>> finish();
  /// The file of the finished program.
  std::span<const std::byte> file() const { return bytes; }
  Program program;

private:
  std::vector<std::byte> bytes; // Of the finished program.
};

/// Says what every launch works on: all `dtype`, made by its first op.
void describeLaunches(Program &program, DType dtype = DType::F32);

inline constexpr int32_t kCaller = Edge::kCaller;

/// x -> twice plus one, `partitions` times, one stage on each -> y.
std::unique_ptr<ProgramMaker> makeChain(uint32_t partitions,
                                        int32_t batchAxis = 0);
/// The same with `chunks` stages on each partition, dealt round, in the order
/// that is planned for stages of equal cost.
std::unique_ptr<ProgramMaker> makeChunks(uint32_t partitions, uint32_t chunks,
                                         int32_t batchAxis = 0);
/// Gives the first entry the order that is planned for these costs.
void planOrder(ProgramMaker &maker, const std::vector<double> &costs);
/// Gives the first entry a twin that shows what the first launch of each stage
/// makes, whole: v0, v1 and so on.
void showStages(ProgramMaker &maker);
/// Gives the chain's entry a twin, "predict.values", which shows the value of
/// y alone.
void addTwin(ProgramMaker &chain);
/// What the chain makes of one element.
float chainOf(float x, uint32_t partitions);

/// A Session of the program with all drivers, whose log goes to `log`.
StatusOr<std::unique_ptr<SessionCore>>
openSession(std::shared_ptr<RunnableProgram> program, SessionOptions options);

/// Devices "null:0,null:1" and so on; emulated ones are on two GPUs.
std::string deviceList(const std::string &driver, uint32_t count);

/// Values 0, 1, 2 ... in a tensor of the shape.
struct TestTensor {
  TestTensor(std::vector<int64_t> shape, float first = 0);
  InputTensor as(std::string_view name) const {
    return {name, {DType::F32, shape, values.data()}};
  }
  std::vector<int64_t> shape;
  std::vector<float> values;
};

std::vector<float> floatsOf(const OutputTensor *tensor);

} // namespace smp::test

#endif // SMP_TESTS_UNIT_EXEC_TESTPROGRAMS_H
