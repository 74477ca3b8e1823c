// SPDX-License-Identifier: Apache-2.0
#include "CheckpointHelpers.h"

namespace smp::test {

static void addVariable(Program &program, const std::string &name,
                        VariableKind kind, TensorType type) {
  Variable variable;
  variable.name = name;
  variable.kind = kind;
  variable.type = std::move(type);
  variable.initializer.kind = Initializer::Kind::Splat;
  variable.initializer.a = 1;
  program.variables.push_back(std::move(variable));
}

std::unique_ptr<ProgramMaker> makeTrainable() {
  auto maker = makeChain(1);
  Program &program = maker->program;
  program.entries[0].name = "train";
  program.entries[0].mode = Mode::Train;
  addVariable(program, "w", VariableKind::Parameter, kTensor);
  addVariable(program, "b", VariableKind::Parameter, {DType::BF16, {3}});
  addVariable(program, "optimizer/w.m", VariableKind::Optimizer, kTensor);
  addVariable(program, "b.m", VariableKind::Optimizer, {DType::F32, {3}});
  addVariable(program, "mean", VariableKind::State, {DType::F64, {}});
  addVariable(program, "key", VariableKind::Random, {DType::I64, {2}});
  addVariable(program, "table", VariableKind::Constant, {DType::U8, {5}});
  return maker;
}

Trained::Trained(std::unique_ptr<ProgramMaker> made, SessionOptions options)
    : maker(std::move(made)) {
  options.log = [this](LogLevel level, std::string_view line) {
    if (level == LogLevel::Warning)
      warnings.emplace_back(line);
  };
  auto program = maker->finish();
  EXPECT_TRUE(program.ok()) << program.status().message();
  auto opened = openSession(program.take(), std::move(options));
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  session = opened.take();
}

void Trained::step() {
  const TestTensor x({2, 8});
  EXPECT_TRUE(session->step("train", std::vector{x.as("x")}, {}).ok());
  for (const VariableSignature &variable : session->variables()) {
    std::vector<std::byte> bytes = values()[variable.name];
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = std::byte(7 * int(bytes[i]) + int(i) + 3);
    EXPECT_TRUE(session
                    ->setVariable(variable.name, {variable.dtype,
                                                  variable.shape, bytes.data()})
                    .ok());
  }
}

Values Trained::values() {
  Values all;
  for (const VariableSignature &variable : session->variables()) {
    const TensorType type{variable.dtype, variable.shape};
    std::vector<std::byte> &bytes = all[variable.name];
    bytes.resize(size_t(type.bytes()));
    EXPECT_TRUE(session->getVariable(variable.name, bytes).ok());
  }
  return all;
}

Values Trained::valuesHere() {
  Values all;
  for (const VariableSignature &variable : session->variables()) {
    std::vector<std::byte> bytes(
        size_t(TensorType{variable.dtype, variable.shape}.bytes()));
    if (session->getVariable(variable.name, bytes).ok())
      all[variable.name] = std::move(bytes);
  }
  return all;
}

Values savedOf(Values all) {
  all.erase("table");
  return all;
}

std::string save(CheckpointManager &manager) {
  StatusOr<std::string> path = manager.save();
  EXPECT_TRUE(path.ok()) << path.status().message();
  return path.ok() ? *path : "";
}

bool restore(CheckpointManager &manager) {
  StatusOr<RestoreReport> restored = manager.restore();
  EXPECT_TRUE(restored.ok()) << restored.status().message();
  return restored.ok() && *restored;
}

} // namespace smp::test
