// SPDX-License-Identifier: Apache-2.0
// Models for a target that nothing of the product knows: alone, and beside the
// processor in one program. Results are those of the reference evaluator.

#include "Models.h"
#include "TapeDriver.h"
#include "TapeTarget.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/compile/Compile.h"
#include "smp/drivers/RegisterDrivers.h"
#include "smp/exec/RunnableProgram.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/PartitionLayout.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/tools/ReferenceProgram.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

/// How a program is divided: the target of each partition.
using Targets = std::vector<std::string>;

class Tape : public testing::Test {
protected:
  void SetUp() override {
    mlir::DialectRegistry registry;
    compile::registerDialects(registry);
    codegen::addTarget<TapeTarget>(registry);
    context.appendDialectRegistry(registry);
  }

  /// The program's bytes.
  std::vector<std::byte> compile(const std::string &text,
                                 const Targets &targets) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    compile::CompileOptions options;
    options.targets = targets;
    options.placement.partitions = int64_t(targets.size());
    // Training alone, small as it is, would best be on one device.
    for (auto entry : module->getOps<ir::EntryOp>())
      options.placement.weights[entry.getSymName().str()] = 1;
    auto exported = compile::compile(*module, {}, options);
    if (failed(exported)) {
      ADD_FAILURE() << "not compiled";
      return {};
    }
    auto bytes = serializeProgram(exported->program);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    return bytes.take();
  }

  mlir::MLIRContext context;
};

std::unique_ptr<SessionCore> openOn(std::shared_ptr<RunnableProgram> program,
                                    const Targets &targets) {
  SessionOptions options;
  for (size_t i = 0; i < targets.size(); ++i)
    options.devices += (i ? "," : "") + targets[i] + ":" + std::to_string(i);
  auto drivers = std::make_unique<DriverRegistry>();
  registerDrivers(*drivers);
  drivers->add(makeTapeDriver());
  auto session =
      SessionCore::open(std::move(program), options, std::move(drivers));
  EXPECT_TRUE(session.ok()) << session.status().message();
  return session.ok() ? session.take() : nullptr;
}

/// Values below 7, so that they may be indices.
HostTensor inputOf(const TensorType &type) {
  HostTensor tensor = HostTensor::zeros(type);
  for (size_t i = 0; i < size_t(type.elements()); ++i)
    if (type.dtype == DType::I64)
      tensor.as<int64_t>()[i] = int64_t(i * 5 % 7);
    else
      tensor.as<float>()[i] = float(i * 5 % 7) / 7 - 0.4f;
  return tensor;
}

/// Largest difference, beside the largest value. AdamW's first step is nearly
/// the sign of the gradient, and as long wherever that is small.
void expectClose(const HostTensor &expected, std::span<const std::byte> found,
                 const std::string &what) {
  ASSERT_EQ(expected.bytes.size(), found.size()) << what;
  if (expected.type.dtype != DType::F32) {
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.bytes.begin()))
        << what;
    return;
  }
  const auto *values = reinterpret_cast<const float *>(found.data());
  double most = 1e-3, off = 0;
  for (size_t i = 0; i < expected.as<float>().size(); ++i) {
    most = std::max(most, std::abs(double(expected.as<float>()[i])));
    off = std::max(off, std::abs(double(values[i]) - expected.as<float>()[i]));
  }
  EXPECT_LE(off, 1e-4 * most) << what;
}

/// Runs every entry once, and compares outputs and variables.
void expectReference(SessionCore &session,
                     std::shared_ptr<RunnableProgram> runnable) {
  const Program &program = runnable->program();
  auto reference = ReferenceProgram::open(runnable);
  ASSERT_TRUE(reference.ok()) << reference.status().message();
  for (const Entry &entry : program.entries) {
    NamedTensors tensors;
    std::vector<InputTensor> inputs;
    for (const EntryTensor &input : entry.inputs) {
      if (input.source != TensorSource::Caller)
        continue;
      const HostTensor &tensor = tensors[input.name] = inputOf(input.type);
      inputs.push_back(
          {input.name,
           {tensor.type.dtype, tensor.type.shape, tensor.bytes.data()}});
    }
    auto output = session.step(entry.name, inputs, {});
    ASSERT_TRUE(output.ok()) << entry.name << ": " << output.status().message();
    auto expected = reference->step(entry.name, tensors);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    for (size_t i = 0; i < expected->size(); ++i)
      expectClose({(*expected)[i].type, (*expected)[i].bytes},
                  {static_cast<const std::byte *>(output->all()[i].data),
                   output->all()[i].bytes},
                  entry.name + ": " + entry.outputs[i].name);
    for (const auto &[name, value] : reference->values()) {
      HostTensor found = HostTensor::zeros(value.type);
      ASSERT_TRUE(session.getVariable(name, found.bytes).ok()) << name;
      expectClose(value, found.bytes, entry.name + ": " + name);
    }
  }
}

/// What devices have allocated is what the layout says.
void expectPlannedMemory(SessionCore &session, const Program &program,
                         const Targets &targets) {
  MemoryTraits traits;
  for (uint32_t p = 0; p < targets.size(); ++p) {
    traits.importsHost.push_back(targets[p] == "cpu");
    traits.spaces.push_back(targets[p] == "cpu" ? 100 : p);
  }
  const ProgramLayout layout = layOut(program, traits);
  for (const DeviceMemory &device : session.memory())
    if (targets[device.partition] == "tape") { // Has no threads' scratch.
      EXPECT_EQ(device.currentBytes,
                layout.partitions[device.partition].memory().allocated());
    }
}

/// The kernels that a partition launches are its target's, two per group of the
/// tape's, the first of which writes to the arena alone.
void expectLaunches(const Program &program, const Targets &targets) {
  std::vector<size_t> launches(targets.size());
  for (const Stage &stage : program.stages) {
    launches[stage.partition] += stage.launches.size();
    const bool isTape = targets[stage.partition] == "tape";
    for (size_t i = 0; i < stage.launches.size(); ++i) {
      const Launch &launch = stage.launches[i];
      const Kernel &kernel = program.kernels[launch.kernel];
      ASSERT_FALSE(kernel.variants.empty());
      for (const KernelVariant &variant : kernel.variants)
        EXPECT_EQ(variant.target == kTapeArchitecture, isTape) << kernel.name;
      if (!isTape || i % 2)
        continue;
      EXPECT_NE(kernel.name.find("part 1 of 2"), std::string::npos);
      EXPECT_NE(program.kernels[stage.launches[i + 1].kernel].name.find(
                    "part 2 of 2"),
                std::string::npos);
      for (size_t b = launch.buffers.size() - kernel.numOutputs;
           b < launch.buffers.size(); ++b)
        EXPECT_EQ(launch.buffers[b].space, Space::Arena) << kernel.name;
    }
  }
  for (size_t count : launches)
    EXPECT_GT(count, 0u) << "a device has nothing to do";
}

void check(const std::vector<std::byte> &bytes, const Targets &targets) {
  auto loaded = RunnableProgram::read(bytes, {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  std::shared_ptr<RunnableProgram> runnable = loaded.take();
  const Program &program = runnable->program();
  expectLaunches(program, targets);
  auto session = openOn(runnable, targets);
  ASSERT_TRUE(session);
  expectPlannedMemory(*session, program, targets);
  expectReference(*session, runnable);
}

class Divided : public Tape, public testing::WithParamInterface<Targets> {};

TEST_P(Divided, TransformerGivesTheReferencesNumbers) {
  check(compile(transformer(), GetParam()), GetParam());
}

TEST_P(Divided, NetworkGivesTheReferencesNumbers) {
  check(compile(network(), GetParam()), GetParam());
}

/// What derives from variables is prepared where its target's passes have
/// formed it, and else computed in the step.
TEST_F(Tape, PreparedValuesOfTwoTargets) {
  const std::string text = R"mlir(
module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<16x16xf32> = #smp.normal<0.0, 0.5, 1>
smp.entry @predict(%x: tensor<4x16xf32> {smp.name = "x"}) -> (tensor<4x16xf32> {smp.name = "y"}, tensor<4x16xf32> {smp.name = "z"}) {
  %w = smp.read @w : tensor<16x16xf32>
  %0 = smp.softmax %w {axis = 1 : i64, smp.placement = #smp.placement<0, user>} : tensor<16x16xf32>
  %1 = smp.dot_general %x, %0 {smp.placement = #smp.placement<1, user>, lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %2 = smp.dot_general %1, %w {smp.placement = #smp.placement<0, user>, lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %3 = smp.gelu %x {smp.placement = #smp.placement<all, user>} : tensor<4x16xf32>
  %4 = smp.add %1, %3 {smp.placement = #smp.placement<1, user>} : tensor<4x16xf32>
  %5 = smp.add %2, %3 {smp.placement = #smp.placement<0, user>} : tensor<4x16xf32>
  smp.return %4, %5 : tensor<4x16xf32>, tensor<4x16xf32>
}
})mlir";
  for (const Targets &targets :
       {Targets{"tape", "cpu"}, Targets{"cpu", "tape"}})
    check(compile(text, targets), targets);
}

/// Forgets that a second launch finds written what the first has read.
class HastyTarget : public TapeTarget {
public:
  llvm::StringRef name() const override { return "hasty"; }
  ir::TargetAttr traits(mlir::MLIRContext *context) const override {
    return ir::TargetAttr::get(context, name());
  }
  mlir::FailureOr<codegen::KernelPlan> plan(ir::GroupOp group) const override {
    auto plan = codegen::KernelPlan::inOneLaunch(group);
    plan.launches.push_back(plan.launches.front());
    return plan;
  }
};

TEST_F(Tape, APlanThatReadsWhatItHasWrittenIsRefused) {
  mlir::DialectRegistry registry;
  codegen::addTarget<HastyTarget>(registry);
  context.appendDialectRegistry(registry);
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    said += d.str() + "\n";
    return mlir::success();
  });
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(transformer(), &context);
  compile::CompileOptions options;
  options.targets = {"hasty"};
  EXPECT_TRUE(failed(compile::compile(*module, {}, options)));
  EXPECT_NE(said.find("has a plan that reads an operand after its memory is "
                      "written: a fault of its target"),
            std::string::npos)
      << said;
}

TEST_F(Tape, LevelsAreThoseOfTheTargets) {
  auto refusal = [&](const Targets &targets,
                     const std::vector<std::string> &levels) {
    std::string said;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      said += d.str() + "\n";
      return mlir::success();
    });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(network(), &context);
    compile::CompileOptions options;
    options.targets = targets;
    options.placement.partitions = int64_t(targets.size());
    options.exporting.levels = levels;
    EXPECT_TRUE(failed(compile::compile(*module, {}, options)));
    return said;
  };
  EXPECT_EQ(refusal({"tape", "cpu"}, {"v3"}),
            "kernels for target 'tape' have the levels mono, stereo; none of "
            "them is wanted, but v3\n");
  EXPECT_EQ(refusal({"tape"}, {"mono", "v3"}),
            "no target of the program has a level 'v3'\n");
  EXPECT_EQ(refusal({"drum"}, {}),
            "there is no target 'drum'; there is cpu, cuda, tape\n");
}

INSTANTIATE_TEST_SUITE_P(Tape, Divided,
                         testing::Values(Targets{"cpu"}, Targets{"tape"},
                                         Targets{"tape", "tape"},
                                         Targets{"tape", "cpu"},
                                         Targets{"cpu", "tape"}));

} // namespace
