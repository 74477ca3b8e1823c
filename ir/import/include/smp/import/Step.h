// SPDX-License-Identifier: Apache-2.0
// Steps as functions: what a step does with its batch, cut into microbatches.
//
//   smp::step(
//       g, "train", smp::EntryMode::Train,
//       {{"x", {smp::DType::F32, {32, 16}}}, {"y", {smp::DType::I64, {32}}}},
//       [&](smp::GraphBuilder &g, const smp::StepTensors &in) {
//         smp::Tensor scores = model(g, {in["x"]}).front();
//         smp::Tensor loss = smp::losses::crossEntropy(g, scores, in["y"]);
//         g.train(loss, {.learningRate = 1e-3});
//         return smp::StepResults{{"loss", loss}, {"scores", scores}};
//       },
//       {.microbatches = 4});

#ifndef SMP_IMPORT_STEP_H
#define SMP_IMPORT_STEP_H

#include "smp/import/GraphBuilder.h"
#include <functional>
#include <map>

namespace smp {

/// An input of a step, with the type of the whole batch.
struct StepInput {
  std::string name;
  TensorType type;
};

/// What a step returns by a name.
struct StepResult {
  std::string name;
  Tensor value;
  /// The dimension that the microbatches' values are joined along, counted from
  /// the end when negative. Not given: the first; none for a scalar.
  std::optional<int64_t> batchAxis = {};
};
using StepResults = std::vector<StepResult>;

/// The inputs of one microbatch.
class StepTensors {
public:
  /// The input of this name. One that does not exist is an error of the
  /// builder's.
  Tensor operator[](std::string_view name) const;
  /// As the step was given them.
  const std::vector<Tensor> &all() const { return tensors; }

private:
  friend class StepScope;
  explicit StepTensors(GraphBuilder &builder) : builder(builder) {}

  GraphBuilder &builder; // Borrowed for the call of the step's function.
  std::vector<std::string> names;
  std::vector<Tensor> tensors;
};

/// Builds what a step computes of one microbatch.
using StepFunction =
    std::function<StepResults(GraphBuilder &, const StepTensors &)>;

struct StepFunctionOptions {
  /// How many microbatches the batch is cut into; 0: what smp::init() was told
  /// or, without that, 1.
  int64_t microbatches = 0;
  /// Inputs that all microbatches get whole.
  std::vector<std::string> nonSplitInputs = {};
  /// The dimension that an input is cut along, counted from the end when
  /// negative; that of the others is the first.
  std::map<std::string, int64_t> inputSplitAxes = {};
};

/// Makes the entry `name` of what `function` builds. It is called once, now,
/// with inputs of one microbatch's size; Session::step() takes the whole batch
/// and runs it for each microbatch, but for what train() and accumulate() make,
/// which is computed once per step. DistributedModels are called in here. A
/// mistake is kept by the builder and names the step and the input: a size that
/// the number of microbatches does not divide, a name that is no input's or is
/// in both lists, an axis that is no dimension.
void step(GraphBuilder &builder, std::string_view name, EntryMode mode,
          const std::vector<StepInput> &inputs, const StepFunction &function,
          const StepFunctionOptions &options = {});

} // namespace smp

#endif // SMP_IMPORT_STEP_H
