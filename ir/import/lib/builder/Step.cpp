// SPDX-License-Identifier: Apache-2.0
// Entries made of functions.

#include "smp/import/Step.h"
#include "BuilderState.h"
#include "smp/base/Lists.h"

namespace smp {

/// A step while its function runs.
class StepScope {
public:
  StepScope(GraphBuilder &builder, std::string_view name, EntryMode mode,
            const StepFunctionOptions &options);
  ~StepScope();

  void checkNames(const std::vector<StepInput> &inputs);
  void addInput(const StepInput &input);
  void addResult(const StepResult &result);

  const StepTensors &tensors() const { return made; }
  bool isUsable() const { return builder.status().ok(); }

private:
  void fail(const std::string &message) { builder.fail(where + message); }
  bool isSplit(const std::string &name) const {
    return llvm::find(options.nonSplitInputs, name) ==
           options.nonSplitInputs.end();
  }

  GraphBuilder &builder;
  const StepFunctionOptions &options;
  std::string where; // "step 'train': ".
  int64_t microbatches = 1;
  StepTensors made;
};

static int64_t configuredMicrobatches() {
  std::optional<Config> config = initializedConfig();
  return config ? config->microbatches : 1;
}

StepScope::StepScope(GraphBuilder &builder, std::string_view name,
                     EntryMode mode, const StepFunctionOptions &options)
    : builder(builder), options(options),
      where("step '" + std::string(name) + "': "), made(builder) {
  microbatches =
      options.microbatches ? options.microbatches : configuredMicrobatches();
  builder.state->beginStep(name, mode);
  builder.microbatches(microbatches);
}

StepScope::~StepScope() { builder.state->endStep(); }

void StepScope::checkNames(const std::vector<StepInput> &inputs) {
  std::vector<std::string> names;
  for (const StepInput &input : inputs)
    names.push_back(input.name);
  auto check = [&](const char *option, const std::string &name) {
    if (llvm::find(names, name) == names.end())
      fail(std::string(option) + " has '" + name +
           "', which is no input; the inputs are: " + listNames(names));
  };
  for (const std::string &name : options.nonSplitInputs)
    check("nonSplitInputs", name);
  for (const auto &[name, axis] : options.inputSplitAxes) {
    check("inputSplitAxes", name);
    if (!isSplit(name))
      fail("input '" + name +
           "' is in nonSplitInputs and in inputSplitAxes; it is either split "
           "or not");
  }
}

/// The axis counted from the start; nothing when there is none.
static std::optional<int64_t> fromStart(int64_t axis, size_t rank) {
  const int64_t counted = axis < 0 ? axis + int64_t(rank) : axis;
  if (counted < 0 || counted >= int64_t(rank))
    return std::nullopt;
  return counted;
}

void StepScope::addInput(const StepInput &input) {
  TensorType type = input.type;
  const std::string what =
      "input '" + input.name + "', a " + toString(type) + ", ";
  int64_t batchAxis = kNoBatchAxis;
  if (isSplit(input.name)) {
    auto given = options.inputSplitAxes.find(input.name);
    const int64_t wanted =
        given == options.inputSplitAxes.end() ? 0 : given->second;
    auto axis = fromStart(wanted, type.shape.size());
    if (!axis)
      return fail(what + "is to be split along dimension " +
                  std::to_string(wanted) + ", but it has " +
                  std::to_string(type.shape.size()) +
                  "; name another in inputSplitAxes, or the input in "
                  "nonSplitInputs");
    int64_t &size = type.shape[size_t(*axis)];
    if (size % microbatches)
      return fail(what + "has " + std::to_string(size) + " in dimension " +
                  std::to_string(*axis) + ", which does not divide into " +
                  std::to_string(microbatches) + " microbatches");
    size /= microbatches;
    batchAxis = *axis;
  }
  made.names.push_back(input.name);
  made.tensors.push_back(builder.input(input.name, type, batchAxis));
}

void StepScope::addResult(const StepResult &result) {
  const size_t rank = result.value.shape().size();
  if (!result.value)
    return fail("result '" + result.name + "' is an empty tensor");
  if (!result.batchAxis)
    return builder.output(result.name, result.value, rank ? 0 : kNoBatchAxis);
  auto axis = fromStart(*result.batchAxis, rank);
  if (!axis)
    return fail("result '" + result.name + "', a " +
                toString(result.value.type()) +
                ", is to be joined along "
                "dimension " +
                std::to_string(*result.batchAxis) + ", but it has " +
                std::to_string(rank));
  builder.output(result.name, result.value, *axis);
}

Tensor StepTensors::operator[](std::string_view name) const {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return tensors[i];
  builder.fail("a step's function asks for input '" + std::string(name) +
               "'; the inputs are: " + listNames(names));
  return {};
}

void step(GraphBuilder &builder, std::string_view name, EntryMode mode,
          const std::vector<StepInput> &inputs, const StepFunction &function,
          const StepFunctionOptions &options) {
  StepScope scope(builder, name, mode, options);
  if (!scope.isUsable())
    return;
  if (!function)
    return builder.fail("step '" + std::string(name) + "': has no function");
  scope.checkNames(inputs);
  for (const StepInput &input : inputs)
    if (scope.isUsable())
      scope.addInput(input);
  if (!scope.isUsable())
    return;
  for (const StepResult &result : function(builder, scope.tensors()))
    if (scope.isUsable())
      scope.addResult(result);
}

} // namespace smp
