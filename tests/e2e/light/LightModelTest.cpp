// SPDX-License-Identifier: Apache-2.0
// Whole convolutional networks: the recorded logits, the same bits however the
// network is split, and other logits when one weight is another.

#include "CompileHere.h"
#include "Machine.h"
#include "Recording.h"
#include "Seed.h"
#include "SeededModel.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/import/OnnxImport.h"
#include "smp/ir/Placement.h"
#include "smp/runtime/Session.h"
#include "smp/tools/Npy.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <set>

using namespace smp;

/// The folder that utils/get-model brings the networks into, or why it did not.
static const StatusOr<std::string> &networkFolder() {
  static const StatusOr<std::string> folder = []() -> StatusOr<std::string> {
    std::string text;
    FILE *pipe =
        popen(SMP_TEST_SOURCE_DIR "/../utils/get-model onnx-light 2>&1", "r");
    for (int c; pipe && (c = std::fgetc(pipe)) != EOF;)
      text += char(c);
    if (!pipe || pclose(pipe) != 0)
      return Status(StatusCode::Unavailable, text);
    text.pop_back(); // The end of the line.
    return text;
  }();
  return folder;
}

/// ||actual - expected|| / ||expected||, in f64.
static double distance(const std::vector<float> &actual,
                       std::span<const double> expected) {
  double error = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(error / norm);
}

namespace {
/// When a network runs on emulated GPUs.
enum class Runs { Never, Long, Always };

struct Network {
  const char *name;
  int64_t mostPartitions; ///< Split over 2 and so on up to these.
  Runs runs = Runs::Never;
};

/// What takes the processor a moment takes an emulated GPU minutes.
bool isEmulated() { return test::machineUnderTest().target != "cpu"; }

class LightModel : public testing::TestWithParam<Network> {
protected:
  void SetUp() override {
    const bool isLong = std::getenv("SMP_TEST_LONG");
    if (isEmulated() && GetParam().runs < (isLong ? Runs::Long : Runs::Always))
      GTEST_SKIP() << "takes the emulator minutes: two of the networks run on "
                      "it, five with SMP_TEST_LONG";
    if (!networkFolder().ok())
      GTEST_SKIP() << "needs the light models: "
                   << networkFolder().status().message();
    auto read = test::readSeededModel(*networkFolder() + "/light_" +
                                      GetParam().name + ".onnx");
    ASSERT_TRUE(read);
    model = std::move(*read);
    auto recorded =
        readNpy(std::string(SMP_TEST_SOURCE_DIR "/e2e/light/logits/") +
                GetParam().name + ".npy");
    ASSERT_TRUE(recorded.ok()) << recorded.status().message();
    expected = recorded.take();
    ASSERT_EQ(expected.type.dtype, DType::F64);
  }

  /// The program for so many partitions, placed by the solver around what
  /// `pin` pins.
  std::optional<test::ProgramBytes>
  compile(int64_t partitions,
          const std::function<void(mlir::ModuleOp)> &pin = {}) {
    mlir::DialectRegistry registry;
    compile::registerDialects(registry);
    mlir::MLIRContext context(registry);
    std::string error;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      error += d.str() + "\n";
      return mlir::success();
    });
    auto imported = importOnnx(&context, model.bytes, GetParam().name, ".", {});
    if (failed(imported)) {
      ADD_FAILURE() << error;
      return std::nullopt;
    }
    if (pin)
      pin(*imported->module);
    compile::CompileOptions options;
    options.placement.partitions = partitions;
    auto program =
        test::compileHere(*imported->module, imported->weights, options, error);
    EXPECT_TRUE(program) << error;
    return program;
  }

  std::vector<float> step(Session &session) {
    InputTensor input{model.input,
                      {DType::F32, model.shape, model.values.data()}};
    auto output = session.step("predict", {&input, 1});
    if (!output.ok() || output->all().size() != 1) {
      ADD_FAILURE() << output.status().message();
      return {};
    }
    const OutputTensor &logits = output->all()[0];
    EXPECT_EQ(logits.bytes, expected.as<double>().size() * sizeof(float));
    auto *data = static_cast<const float *>(logits.data);
    return {data, data + logits.bytes / sizeof(float)};
  }

  static StatusOr<Session> open(const StatusOr<SharedProgram> &program,
                                int64_t partitions) {
    const SessionOptions options{
        .devices = test::machineUnderTest().devices(uint32_t(partitions)),
        .deadlineSeconds = isEmulated() ? 3600.0 : 60.0};
    return program.ok() ? Session::open(*program, options) : program.status();
  }

  /// Logits of the model over two or three devices, with drawn pins: of ops,
  /// and not of variables, which are where they are used.
  std::vector<float> runPinned(std::mt19937 &random) {
    const auto partitions = int64_t(2 + random() % 2);
    auto bytes = compile(partitions, [&](mlir::ModuleOp module) {
      std::vector<mlir::Operation *> ops;
      for (auto entry : module.getOps<ir::EntryOp>())
        for (mlir::Operation &op : entry.getBody().front().without_terminator())
          if (!mlir::isa<ir::ReadOp>(op))
            ops.push_back(&op);
      for (size_t count = 1 + random() % 6; count > 0; --count)
        ir::setPlacement(ops[random() % ops.size()],
                         int64_t(random() % uint32_t(partitions)),
                         ir::Origin::User);
    });
    if (!bytes)
      return {};
    auto session = open(SharedProgram::read(bytes->get()), partitions);
    if (session.ok())
      return step(*session);
    ADD_FAILURE() << session.status().message();
    return {};
  }

  /// Logits of the model split over `partitions` devices.
  std::vector<float> runSplit(int64_t partitions) {
    auto bytes = compile(partitions);
    if (!bytes)
      return {};
    auto program = SharedProgram::read(bytes->get());
    auto session = open(program, partitions);
    if (!session.ok()) {
      ADD_FAILURE() << session.status().message();
      return {};
    }
    auto logits = step(*session);
    record(partitions, bytes->get(), logits);
    std::set<uint32_t> used;
    for (const StageTime &stage : session->stageTimes())
      if (stage.runs)
        used.insert(stage.partition);
    EXPECT_EQ(used.size(), size_t(partitions)) << "a device has nothing to do";
    if (partitions == 1)
      expectOtherLogitsOfOtherWeights(*program, *session);
    return logits;
  }

  /// Where SMP_TEST_RECORD names a folder: the program and its step.
  void record(int64_t partitions, std::span<const std::byte> program,
              const std::vector<float> &logits) const {
    const char *folder = std::getenv("SMP_TEST_RECORD");
    if (!folder)
      return;
    const auto tensorOf = [](std::vector<int64_t> shape,
                             const std::vector<float> &values) {
      const auto bytes = std::as_bytes(std::span(values));
      return HostTensor{{DType::F32, std::move(shape)},
                        {bytes.begin(), bytes.end()}};
    };
    const test::RecordedStep step{"predict",
                                  {tensorOf(model.shape, model.values)},
                                  {tensorOf(expected.type.shape, logits)},
                                  ""};
    const Status status = test::writeRecording(
        std::string(folder) + "/LightModel." + GetParam().name + "-" +
            std::to_string(partitions),
        program, {&step, 1});
    EXPECT_TRUE(status.ok()) << status.message();
  }

  /// The comparison fails when one weight is another.
  void expectOtherLogitsOfOtherWeights(const SharedProgram &program,
                                       Session &session) {
    for (const VariableSignature &variable : program.variables()) {
      if (variable.shape.size() != 4 || variable.dtype != DType::F32)
        continue;
      int64_t count = 1;
      for (int64_t size : variable.shape)
        count *= size;
      std::vector<float> weights(static_cast<size_t>(count));
      auto bytes = std::as_writable_bytes(std::span(weights));
      ASSERT_TRUE(session.getVariable(variable.name, bytes).ok());
      weights[0] += 1;
      ASSERT_TRUE(session
                      .setVariable(variable.name,
                                   {DType::F32, variable.shape, weights.data()})
                      .ok());
      EXPECT_GT(distance(step(session), expected.as<double>()), kBound)
          << variable.name;
      return;
    }
    FAIL() << "no weight of a convolution is a variable";
  }

  static constexpr double kBound = 1e-5;
  test::SeededModel model;
  HostTensor expected;
};
} // namespace

TEST_P(LightModel, GivesTheRecordedLogitsHoweverSplit) {
  std::vector<float> whole = runSplit(1);
  ASSERT_EQ(whole.size(), expected.as<double>().size());
  double error = distance(whole, expected.as<double>());
  std::cout << GetParam().name << ": " << error
            << " from the recorded logits\n";
  EXPECT_LE(error, kBound);
  const int64_t most = isEmulated() ? 2 : GetParam().mostPartitions;
  for (int64_t partitions = 2; partitions <= most; ++partitions) {
    std::vector<float> split = runSplit(partitions);
    ASSERT_EQ(split.size(), whole.size());
    EXPECT_EQ(memcmp(split.data(), whole.data(), whole.size() * sizeof(float)),
              0)
        << "over " << partitions << " devices the bits differ";
  }
}

/// No variable of these networks is used twice, so that all pins can be kept.
TEST_P(LightModel, GivesTheSameBitsUnderDrawnPins) {
  if (isEmulated())
    GTEST_SKIP() << "takes the emulator minutes";
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<float> whole = runSplit(1);
  const unsigned sets = std::getenv("SMP_TEST_LONG") ? 20 : 1;
  for (unsigned set = 0; set < sets && !HasFailure(); ++set) {
    const std::vector<float> pinned = runPinned(random);
    ASSERT_EQ(pinned.size(), whole.size());
    EXPECT_EQ(memcmp(pinned.data(), whole.data(), whole.size() * sizeof(float)),
              0)
        << "set " << set;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, LightModel,
    testing::Values(Network{"inception_v1", 3, Runs::Long},
                    Network{"resnet50", 3, Runs::Long},
                    Network{"shufflenet", 3, Runs::Always},
                    Network{"squeezenet", 3, Runs::Always},
                    Network{"vgg19", 3, Runs::Long}, Network{"bvlc_alexnet", 2},
                    Network{"densenet121", 2}, Network{"inception_v2", 2},
                    Network{"zfnet512", 2}),
    [](auto &info) { return std::string(info.param.name); });
