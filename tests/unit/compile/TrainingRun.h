// SPDX-License-Identifier: Apache-2.0
// A model that is trained: compiled, opened, stepped, looked at.

#ifndef SMP_TESTS_UNIT_COMPILE_TRAININGRUN_H
#define SMP_TESTS_UNIT_COMPILE_TRAININGRUN_H

#include "smp/compile/CompileModel.h"
#include "smp/import/GraphBuilder.h"
#include "smp/runtime/Session.h"
#include <cstring>
#include <gtest/gtest.h>
#include <map>

namespace smp::test {

inline std::vector<float> floatsOf(const std::vector<std::byte> &bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

/// How a model is split.
struct Split {
  int64_t partitions = 1;
  passes::PartitionMode mode = passes::PartitionMode::IgnoreAnnotations;
  PipelineKind pipeline = PipelineKind::Interleaved;
  std::string devices = {};
  CheckNumerics checkNumerics = CheckNumerics::Off;
  bool canBeWatched = false;
};

class TrainingRun {
public:
  static StatusOr<TrainingRun> open(StatusOr<Model> model, const Split &split) {
    if (!model.ok())
      return model.status();
    compile::ModelOptions options;
    options.levels = {"v2"};
    options.pipeline = split.pipeline;
    options.placement.emplace();
    options.placement->partitions = split.partitions;
    options.placement->mode = split.mode;
    if (split.canBeWatched)
      options.capture = [](std::string_view, TapRole) { return true; };
    auto program = compile::compileModel(model.take(), options);
    if (!program.ok())
      return program.status();
    auto bytes = std::make_unique<compile::CompiledModel>(program.take());
    auto shared = SharedProgram::read(bytes->bytes());
    if (!shared.ok())
      return shared.status();
    SessionOptions sessionOptions;
    sessionOptions.devices = split.devices;
    sessionOptions.checkNumerics = split.checkNumerics;
    auto session = Session::open(*shared, sessionOptions);
    if (!session.ok())
      return session.status();
    return TrainingRun(std::move(bytes), session.take());
  }

  /// The outputs' bytes, by name, or why there are none.
  StatusOr<std::map<std::string, HostTensor>>
  step(std::string_view entry,
       const std::vector<std::pair<std::string, HostTensor>> &inputs) {
    std::vector<InputTensor> views;
    for (const auto &[name, tensor] : inputs)
      views.push_back(
          {name, {tensor.type.dtype, tensor.type.shape, tensor.bytes.data()}});
    auto output = session.step(entry, views);
    if (!output.ok())
      return output.status();
    std::map<std::string, HostTensor> results;
    for (const OutputTensor &one : output->all()) {
      HostTensor &result = results[std::string(one.name)];
      // Values of microbatches that are not joined lie one after the other.
      const uint64_t count = one.batchAxis < 0 ? one.microbatches : 1;
      Shape shape(one.shape.begin(), one.shape.end());
      if (count > 1)
        shape.insert(shape.begin(), int64_t(count));
      result = HostTensor::zeros({one.dtype, shape});
      std::memcpy(result.bytes.data(),
                  static_cast<const std::byte *>(one.data) -
                      one.bytes * (count - 1),
                  result.bytes.size());
    }
    return results;
  }

  HostTensor variable(const std::string &name) {
    for (const VariableSignature &one : session.variables()) {
      if (one.name != name)
        continue;
      HostTensor value = HostTensor::zeros({one.dtype, one.shape});
      Status status = session.getVariable(name, value.bytes);
      EXPECT_TRUE(status.ok()) << status.message();
      return value;
    }
    ADD_FAILURE() << "there is no variable " << name;
    return {};
  }

  /// All that a checkpoint would have.
  std::map<std::string, std::vector<std::byte>> variables() {
    std::map<std::string, std::vector<std::byte>> all;
    for (const VariableSignature &one : session.variables())
      all[one.name] = variable(one.name).bytes;
    return all;
  }

  /// Of the program.
  std::span<const std::byte> bytes() const { return program->bytes(); }

  Session &running() { return session; }

private:
  TrainingRun(std::unique_ptr<compile::CompiledModel> program, Session session)
      : program(std::move(program)), session(std::move(session)) {}

  std::unique_ptr<compile::CompiledModel> program; // The Session reads it.
  Session session;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_COMPILE_TRAININGRUN_H
