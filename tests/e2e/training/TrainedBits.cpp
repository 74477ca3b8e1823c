// SPDX-License-Identifier: Apache-2.0
#include "TrainedBits.h"
#include "MemoryCheck.h"
#include "ProgramSize.h"
#include "TemporaryFolder.h"
#include "smp/checkpoint/CheckpointManager.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Placement.h"
#include "smp/runtime/Communicators.h"
#include <array>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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

/// Pins the ops of each layer.
static void placeLayers(Model &model, const std::vector<int64_t> &partitions) {
  for (auto entry : model.parts().module->getOps<ir::EntryOp>())
    for (mlir::Operation &op : entry.getBody().front().without_terminator())
      for (size_t i = 0; i < partitions.size(); ++i)
        if (ir::getSourceName(&op).starts_with("layer" + std::to_string(i)))
          ir::setPlacement(&op, partitions[i], ir::Origin::User);
}

compile::CompiledModel compileFor(const Division &division) {
  char_lm::Shape shape = division.shape;
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
  if (!division.layersOn.empty()) {
    placeLayers(*model, division.layersOn);
    options.placement->mode = passes::PartitionMode::Manual;
    options.placement->defaultPartition = division.layersOn.front();
  }
  options.pipeline = division.pipeline;
  options.activeMicrobatches = division.active;
  if (division.canBeWatched)
    options.capture = [](std::string_view, TapRole) { return true; };
  auto compiled = compile::compileModel(model.take(), options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  if (!division.canBeWatched) // Twins are as large as what they show.
    EXPECT_EQ(checkSize(compiled->bytes()), "");
  EXPECT_EQ(checkMemory(compiled->bytes()), "");
  return compiled.take();
}

namespace {
/// The batch of a step, the same for everybody.
struct Batch {
  Batch(const char_lm::Shape &shape, int step)
      : dims{shape.batch * shape.microbatches, shape.block},
        tokens(size_t(dims[0] * dims[1])), targets(tokens.size()) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = tokenOf(shape, step, i);
      targets[i] = tokenOf(shape, step, i + 1);
    }
  }

  std::array<InputTensor, 2> inputs() const {
    return {{{"tokens", {DType::I64, dims, tokens.data()}},
             {"targets", {DType::I64, dims, targets.data()}}}};
  }

private:
  static int64_t tokenOf(const char_lm::Shape &shape, int step, size_t place) {
    return int64_t(place * 7919 + size_t(step) * 104729) % 131 %
           shape.characters;
  }

  std::array<int64_t, 2> dims;
  std::vector<int64_t> tokens, targets;
};
} // namespace

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

void add(Bits &bits, int step, const OutputTensor &tensor) {
  // Those of all microbatches, which lie side by side.
  const bool isJoined = tensor.batchAxis >= 0;
  const auto *first = static_cast<const std::byte *>(tensor.microbatch(0));
  bits["step " + std::to_string(step) + " " + std::string(tensor.name)].assign(
      first, first + tensor.bytes * (isJoined ? 1 : tensor.microbatches));
}

namespace {
/// Keeps what the steps show.
class Watcher : public StepObserver {
public:
  Watcher(Bits &bits, StepView view, int first)
      : bits(bits), view(view), next(first) {}

  StepView wants(const UpcomingStep &) override { return view; }
  bool gathers() const override { return true; }

  Status onStep(const CompletedStep &step) override {
    EXPECT_EQ(step.entry, "train");
    if (view != StepView::Outputs)
      EXPECT_FALSE(step.shown.empty());
    for (const ShownValue &value : step.shown)
      add(bits, next, value.tensor);
    ++next;
    return Status();
  }

private:
  Bits &bits;
  const StepView view;
  int next;
};
} // namespace

static void trainOnce(Session &session, Bits &bits, const Division &division,
                      int step) {
  const Batch batch(division.shape, step);
  auto output = session.step("train", batch.inputs());
  ASSERT_TRUE(output.ok()) << output.status().message();
  for (const OutputTensor &tensor : output->all())
    add(bits, step, tensor);
}

void train(Session &session, Bits &bits, const Division &division, int first) {
  const auto watcher = std::make_shared<Watcher>(bits, division.view, first);
  ASSERT_TRUE(session.addObserver(watcher, OnObserverError::Stop).ok());
  for (int step = first; step < division.steps; ++step)
    trainOnce(session, bits, division, step);
  collect(session, bits);
}

Session openSession(const compile::CompiledModel &compiled,
                    const Division &division, Communicator *communicator) {
  SessionOptions options;
  options.devices = division.devices;
  options.seed = division.seed;
  options.communicator = communicator;
  auto program = SharedProgram::read(compiled.bytes());
  auto session =
      program.ok() ? Session::open(*program, options) : program.status();
  EXPECT_TRUE(session.ok()) << session.status().message();
  division.prepare(*session);
  return session.take();
}

Bits trained(const Division &division) {
  Bits bits;
  const compile::CompiledModel compiled = compileFor(division);
  Session session = openSession(compiled, division);
  train(session, bits, division);
  return bits;
}

/// Runs `body` in a process of its own, which fails as its tests do. How it
/// ended.
static int inAProcess(
    const std::function<void()> &body,
    const std::function<void()> &meanwhile = [] {}) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  EXPECT_GT(child, 0);
  meanwhile();
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

Bits killedAndResumed(const Division &division, int at) {
  const compile::CompiledModel compiled = compileFor(division);
  TemporaryFolder folder;
  const int status = inAProcess([&] {
    Session session = openSession(compiled, division);
    CheckpointManager manager(session, {.directory = folder.path()});
    Bits bits;
    for (int step = 0; step < at; ++step) {
      trainOnce(session, bits, division, step);
      ASSERT_TRUE(manager.save().ok());
    }
    const Batch batch(division.shape, at);
    ASSERT_TRUE(
        session
            .stepAsync("train", batch.inputs(), {}, [](StatusOr<StepOutput>) {})
            .ok());
    raise(SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  Session session = openSession(compiled, division);
  CheckpointManager manager(session, {.directory = folder.path()});
  const auto restored = manager.restore();
  EXPECT_TRUE(restored.ok() && *restored) << restored.status().message();
  Bits bits;
  train(session, bits, division, at);
  return bits;
}

float lossOf(const Bits &bits, int step) {
  float value;
  std::memcpy(&value, bits.at("step " + std::to_string(step) + " loss").data(),
              sizeof(value));
  return value;
}

void onTwoProcesses(const compile::CompiledModel &compiled,
                    const std::string &devices,
                    const std::function<void(Session &, uint32_t rank)> &body) {
  const std::string address =
      "unix:" + testing::TempDir() + "smp-training-" + std::to_string(getpid());
  auto runRank = [&](uint32_t rank) {
    auto communicator =
        createSocketCommunicator({rank, 2, address, 60, "training"});
    ASSERT_TRUE(communicator.ok()) << communicator.status().message();
    Session session =
        openSession(compiled, {.devices = devices}, communicator->get());
    body(session, rank);
  };
  const int status = inAProcess([&] { runRank(1); }, [&] { runRank(0); });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void onTwoProcesses(const Division &division,
                    const std::function<void(Session &, uint32_t rank)> &body) {
  onTwoProcesses(compileFor(division), division.devices, body);
}

} // namespace smp::test
