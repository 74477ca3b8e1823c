// SPDX-License-Identifier: Apache-2.0
// The loss and every gradient of one training step, in f32 by compiled kernels,
// against PyTorch's in f64: gradients/ has what record_gradients.py recorded of
// those. And the same bits when the network is split.

#include "MemoryCheck.h"
#include "Networks.h"
#include "ProgramSize.h"
#include "SeededValues.h"
#include "smp/compile/CompileModel.h"
#include "smp/import/ModelParts.h"
#include "smp/ir/Placement.h"
#include "smp/runtime/Session.h"
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace smp;
using namespace smp::test;

namespace {

/// What is known of a tensor in f64.
struct Known {
  double norm = 0;
  std::array<double, kDirections> products{};
};

struct Recorded {
  double loss = 0;
  std::map<std::string, Known> tensors;
};

Recorded readRecorded(const Network &network) {
  const std::string path = SMP_TEST_SOURCE_DIR "/e2e/training/gradients/" +
                           std::string(network.name) + ".txt";
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  Recorded recorded;
  std::string line, name;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    words >> name;
    if (name == "loss") {
      words >> recorded.loss;
      continue;
    }
    Known &known = recorded.tensors[name];
    words >> known.norm;
    for (double &product : known.products)
      words >> product;
    EXPECT_TRUE(words) << path << ": " << name;
  }
  return recorded;
}

/// A bound of ‖g - known‖ / ‖known‖. The 16 directions are normally distributed
/// and know nothing of the error e, so that the sum of its squared products
/// with them is ‖e‖^2 times a number that is distributed as chi-squared with 16
/// degrees of freedom, and that is below 1.4 with a probability of 8e-7. All
/// gradients together have more than this error with one below 1e-4.
double errorBound(const std::string &name, std::span<const float> values,
                  const Known &known) {
  const auto products = project(name, values);
  double squares = 0;
  for (size_t i = 0; i < products.size(); ++i)
    squares +=
        (products[i] - known.products[i]) * (products[i] - known.products[i]);
  return std::sqrt(squares / 1.4) / known.norm;
}

using Values = std::map<std::string, std::vector<float>>;

/// The outputs of one step, and the states after it.
StatusOr<Values> runStep(const Network &network, int64_t partitions) {
  StatusOr<Model> model = network.build();
  if (!model.ok())
    return model.status();
  mlir::ModuleOp module = *model->parts().module;
  auto entry = module.lookupSymbol<ir::EntryOp>("train");
  entry->setAttr(ir::kLossAttr,
                 mlir::StringAttr::get(module.getContext(), "loss"));
  compile::ModelOptions options;
  options.levels = {"v2"};
  options.placement.emplace();
  options.placement->partitions = partitions;
  options.placement->mode = passes::PartitionMode::IgnoreAnnotations;
  auto program = compile::compileModel(model.take(), options);
  if (!program.ok())
    return program.status();
  EXPECT_EQ(test::checkSize(program->bytes()), "");
  EXPECT_EQ(test::checkMemory(program->bytes()), "");
  auto shared = SharedProgram::read(program->bytes());
  if (!shared.ok())
    return shared.status();
  auto session = Session::open(*shared);
  if (!session.ok())
    return session.status();
  for (const VariableSignature &one : session->variables()) {
    HostTensor value = seededVariable(one.name, one.shape);
    SMP_RETURN_IF_ERROR(session->setVariable(
        one.name, {one.dtype, one.shape, value.bytes.data()}));
  }
  auto view = [](const HostTensor &tensor) {
    return TensorView{tensor.type.dtype, tensor.type.shape,
                      tensor.bytes.data()};
  };
  const InputTensor inputs[] = {{"x", view(network.x)},
                                {"target", view(network.target)}};
  auto output = session->step("train", inputs);
  if (!output.ok())
    return output.status();
  Values values;
  for (const OutputTensor &one : output->all()) {
    const auto *data = static_cast<const float *>(one.data);
    values[std::string(one.name)].assign(data,
                                         data + one.bytes / sizeof(float));
  }
  for (const VariableSignature &one : session->variables()) {
    if (one.kind != "state")
      continue;
    std::vector<float> &value = values[one.name];
    value.resize(size_t(TensorType{one.dtype, one.shape}.elements()));
    SMP_RETURN_IF_ERROR(session->getVariable(
        one.name, std::as_writable_bytes(std::span(value))));
  }
  return values;
}

class TrainingStep : public testing::TestWithParam<Network (*)()> {};

TEST_P(TrainingStep, AgreesWithPyTorchInF64) {
  const Network network = GetParam()();
  const Recorded recorded = readRecorded(network);
  StatusOr<Values> values = runStep(network, 1);
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_NEAR(values->at("loss").at(0) / recorded.loss, 1, 1e-5);
  EXPECT_EQ(values->size(), recorded.tensors.size() + 1);
  double worst = 0;
  for (const auto &[name, known] : recorded.tensors) {
    ASSERT_TRUE(values->count(name)) << name;
    const double bound = errorBound(name, values->at(name), known);
    EXPECT_LE(bound, 1e-4) << name;
    worst = std::max(worst, bound);
  }
  RecordProperty("worst", std::to_string(worst));

  StatusOr<Values> split = runStep(network, 2);
  ASSERT_TRUE(split.ok()) << split.status().message();
  for (const auto &[name, value] : *values)
    EXPECT_TRUE(value == split->at(name)) << name << " differs when split";
}

/// The comparison notices an error of a thousandth in one tensor.
TEST(ErrorBoundTest, IsAboveTheErrorAndNotFarAbove) {
  HostTensor values = seededTensor("values", {1000});
  HostTensor errors = seededTensor("errors", {1000});
  Known known;
  known.products = project("values", values.as<float>());
  double norm = 0, errorNorm = 0;
  for (size_t i = 0; i < 1000; ++i) {
    float &value = values.as<float>()[i];
    norm += double(value) * double(value);
    const float before = value;
    value += 1e-3f * errors.as<float>()[i];
    errorNorm += double(value - before) * double(value - before);
  }
  known.norm = std::sqrt(norm);
  const double error = std::sqrt(errorNorm / norm);
  const double bound = errorBound("values", values.as<float>(), known);
  EXPECT_GT(bound, error);
  EXPECT_LT(bound, 6 * error);
}

INSTANTIATE_TEST_SUITE_P(Networks, TrainingStep,
                         testing::Values(residualNetwork, characterTransformer),
                         [](const auto &info) {
                           return std::string(info.param().name);
                         });

} // namespace
