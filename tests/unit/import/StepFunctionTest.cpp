// SPDX-License-Identifier: Apache-2.0
// Entries made of functions: what a microbatch is, and what is refused.

#include "BuilderHelpers.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include "smp/import/Step.h"
#include "smp/ir/Training.h"

using namespace smp;
using namespace smp::test;

namespace {

class StepFunctionTest : public testing::Test {
protected:
  ~StepFunctionTest() override { finalize(); }
};

class Doubling : public DistributedModel {
public:
  using DistributedModel::DistributedModel;

private:
  std::vector<Tensor> call(GraphBuilder &g,
                           const std::vector<Tensor> &inputs) override {
    return {g.add(inputs.front(), inputs.front())};
  }
};

const TensorType kBatch{DType::F32, {12, 6}};

/// Returns its inputs, negated, by their names.
StepResults negate(GraphBuilder &g, const StepTensors &in,
                   const std::vector<std::string> &names) {
  StepResults results;
  for (const std::string &name : names)
    results.push_back({name, g.neg(in[name])});
  return results;
}

std::string typeOf(ir::EntryOp entry, unsigned argument) {
  auto type =
      mlir::cast<mlir::RankedTensorType>(entry.getArgumentTypes()[argument]);
  return toString(ir::toModel(type));
}
int64_t axisOf(mlir::Attribute attribute) {
  auto axis = mlir::dyn_cast_or_null<mlir::IntegerAttr>(attribute);
  return axis ? axis.getInt() : kNoBatchAxis;
}
int64_t inputAxis(ir::EntryOp entry, unsigned i) {
  return axisOf(entry.getArgAttr(i, ir::kBatchAxisAttr));
}
int64_t outputAxis(ir::EntryOp entry, unsigned i) {
  return axisOf(entry.getResultAttr(i, ir::kBatchAxisAttr));
}
int64_t microbatchesOf(ir::EntryOp entry) {
  return axisOf(entry->getAttr(ir::kMicrobatchesAttr));
}

TEST_F(StepFunctionTest, CutsInputsAlongTheirAxes) {
  GraphBuilder g;
  step(g, "train", EntryMode::Train,
       {{"x", kBatch}, {"y", kBatch}, {"z", kBatch}, {"mask", kBatch}},
       [](GraphBuilder &g, const StepTensors &in) {
         EXPECT_EQ(in.all().size(), 4u);
         StepResults results = negate(g, in, {"x", "y", "z", "mask"});
         results[1].batchAxis = -1;
         results.push_back({"sum", g.sum(in["x"])});
         return results;
       },
       {.microbatches = 3,
        .nonSplitInputs = {"mask"},
        .inputSplitAxes = {{"y", 1}, {"z", -2}}});
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  ir::EntryOp entry = entryOf(model->parts(), "train");
  EXPECT_EQ(entry.getMode(), ir::Mode::Train);
  EXPECT_EQ(microbatchesOf(entry), 3);
  EXPECT_EQ(typeOf(entry, 0), "f32[4x6]");
  EXPECT_EQ(typeOf(entry, 1), "f32[12x2]");
  EXPECT_EQ(typeOf(entry, 2), "f32[4x6]");
  EXPECT_EQ(typeOf(entry, 3), "f32[12x6]");
  const int64_t inputs[] = {0, 1, 0, kNoBatchAxis};
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(inputAxis(entry, i), inputs[i]) << i;
  // Results are joined along the first axis unless they say another.
  const int64_t outputs[] = {0, 1, 0, 0, kNoBatchAxis};
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_EQ(outputAxis(entry, i), outputs[i]) << i;
}

TEST_F(StepFunctionTest, TakesItsMicrobatchesFromTheConfiguration) {
  auto build = [](int64_t microbatches) {
    GraphBuilder g;
    step(g, "train", EntryMode::Train, {{"x", kBatch}},
         [](GraphBuilder &g, const StepTensors &in) {
           return negate(g, in, {"x"});
         },
         {.microbatches = microbatches});
    auto model = std::move(g).finish();
    EXPECT_TRUE(model.ok()) << model.status().message();
    return typeOf(entryOf(model->parts(), "train"), 0);
  };
  EXPECT_EQ(build(0), "f32[12x6]");
  ASSERT_TRUE(init(Config{.partitions = 2, .microbatches = 4}).ok());
  EXPECT_EQ(build(0), "f32[3x6]");
  EXPECT_EQ(build(6), "f32[2x6]");
}

TEST_F(StepFunctionTest, TheLossMayBeReturnedByAnyName) {
  for (const char *name : {"loss", "error"}) {
    GraphBuilder g;
    step(g, "train", EntryMode::Train, {{"x", kBatch}},
         [&](GraphBuilder &g, const StepTensors &in) -> StepResults {
           Tensor loss = losses::meanSquaredError(
               g, layers::linear(g, in["x"], 6, "fc"), in["x"]);
           g.train(loss, {});
           return {{name, loss}};
         });
    auto model = std::move(g).finish();
    ASSERT_TRUE(model.ok()) << model.status().message();
    ir::EntryOp entry = entryOf(model->parts(), "train");
    EXPECT_EQ(entry.getNumResults(), 1u);
    EXPECT_EQ(entry->getAttrOfType<mlir::StringAttr>(ir::kLossAttr), name);
    EXPECT_EQ(entry.getResultAttrOfType<mlir::StringAttr>(0, ir::kNameAttr),
              name);
  }
}

TEST_F(StepFunctionTest, SeveralStepsShareVariables) {
  GraphBuilder g;
  for (const char *name : {"train", "eval"})
    step(g, name, EntryMode::Eval, {{"x", kBatch}},
         [](GraphBuilder &g, const StepTensors &in) -> StepResults {
           return {{"y", layers::linear(g, in["x"], 2, "fc")}};
         });
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto variables = model->parts().module->getOps<ir::VariableOp>();
  EXPECT_EQ(std::distance(variables.begin(), variables.end()), 2);
}

//===----------------------------------------------------------------------===//
// Where models are called
//===----------------------------------------------------------------------===//

TEST_F(StepFunctionTest, ModelsAreCalledInStepsAndBegunEntries) {
  GraphBuilder g;
  Doubling model("net");
  step(g, "train", EntryMode::Train, {{"x", kBatch}},
       [&](GraphBuilder &g, const StepTensors &in) -> StepResults {
         return {{"y", model(g, {in["x"]}).front()}};
       });
  g.beginEntry("predict");
  g.output("y", model(g, {g.input("x", kBatch)}).front());
  auto made = std::move(g).finish();
  EXPECT_TRUE(made.ok()) << made.status().message();
}

TEST_F(StepFunctionTest, ModelsAreNotCalledElsewhere) {
  const std::string rest =
      "is called outside of a step; model() calls can only be made inside a "
      "function given to smp::step(), or after beginEntry()";
  GraphBuilder first;
  Tensor x = first.input("x", kBatch);
  EXPECT_FALSE(Doubling("net")(first, {x}).front());
  EXPECT_EQ(first.status().message(), "model 'net': " + rest);
  // A step has ended when its function has.
  GraphBuilder later;
  step(later, "eval", EntryMode::Eval, {{"x", kBatch}},
       [](GraphBuilder &g, const StepTensors &in) {
         return negate(g, in, {"x"});
       });
  later.output("y", Doubling()(later, {later.constant(1)}).front());
  EXPECT_EQ(later.status().message(), "model: " + rest);
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

std::string refusal(
    const StepFunctionOptions &options,
    const StepFunction &function = [](GraphBuilder &g, const StepTensors &in) {
      return negate(g, in, {"x"});
    }) {
  GraphBuilder g;
  step(g, "train", EntryMode::Train,
       {{"x", kBatch}, {"rate", {DType::F32, {}}}}, function, options);
  return std::move(g).finish().status().message();
}

TEST_F(StepFunctionTest, NamesWhatIsWrongWithItsOptions) {
  const std::vector<std::string> whole{"rate"};
  EXPECT_EQ(refusal({.microbatches = 5, .nonSplitInputs = whole}),
            "step 'train': input 'x', a f32[12x6], has 12 in dimension 0, "
            "which does not divide into 5 microbatches");
  EXPECT_EQ(refusal({.microbatches = 4,
                     .nonSplitInputs = whole,
                     .inputSplitAxes = {{"x", 1}}}),
            "step 'train': input 'x', a f32[12x6], has 6 in dimension 1, which "
            "does not divide into 4 microbatches");
  EXPECT_EQ(refusal({.nonSplitInputs = {"rate", "mask"}}),
            "step 'train': nonSplitInputs has 'mask', which is no input; the "
            "inputs are: 'x', 'rate'");
  EXPECT_EQ(refusal({.inputSplitAxes = {{"y", 0}}}),
            "step 'train': inputSplitAxes has 'y', which is no input; the "
            "inputs are: 'x', 'rate'");
  EXPECT_EQ(
      refusal({.nonSplitInputs = {"rate", "x"}, .inputSplitAxes = {{"x", 0}}}),
      "step 'train': input 'x' is in nonSplitInputs and in "
      "inputSplitAxes; it is either split or not");
  for (int64_t axis : {2, -3})
    EXPECT_EQ(
        refusal({.nonSplitInputs = whole, .inputSplitAxes = {{"x", axis}}}),
        "step 'train': input 'x', a f32[12x6], is to be split along "
        "dimension " +
            std::to_string(axis) +
            ", but it has 2; name another in inputSplitAxes, or the input in "
            "nonSplitInputs");
  EXPECT_EQ(refusal({}),
            "step 'train': input 'rate', a f32[], is to be split along "
            "dimension 0, but it has 0; name another in inputSplitAxes, or the "
            "input in nonSplitInputs");
  EXPECT_EQ(refusal({.microbatches = -2}),
            "entry 'train': has -2 microbatches; it must be 1 at least");
  EXPECT_EQ(refusal({.microbatches = int64_t(1) << 32}),
            "entry 'train': has 4294967296 microbatches; it must be 1 at least "
            "and 65536 at most");
}

TEST_F(StepFunctionTest, NamesWhatIsWrongWithItsFunction) {
  auto refused = [](const StepFunction &function) {
    return refusal({.nonSplitInputs = {"rate"}}, function);
  };
  EXPECT_EQ(refused(nullptr), "step 'train': has no function");
  EXPECT_EQ(refused([](GraphBuilder &, const StepTensors &) {
              return StepResults();
            }),
            "entry 'train': has no output and assigns no variable");
  EXPECT_EQ(refused([](GraphBuilder &g, const StepTensors &in) {
              return negate(g, in, {"z"});
            }),
            "a step's function asks for input 'z'; the inputs are: 'x', "
            "'rate'");
  EXPECT_EQ(refused([](GraphBuilder &, const StepTensors &) -> StepResults {
              return {{"y", Tensor()}};
            }),
            "step 'train': result 'y' is an empty tensor");
  EXPECT_EQ(refused([](GraphBuilder &, const StepTensors &in) -> StepResults {
              return {{"y", in["rate"], 0}};
            }),
            "step 'train': result 'y', a f32[], is to be joined along "
            "dimension 0, but it has 0");
  EXPECT_EQ(refused([](GraphBuilder &g, const StepTensors &in) {
              g.beginEntry("other");
              return negate(g, in, {"x"});
            }),
            "entry 'other': is begun inside of step 'train'; a step is one "
            "entry");
}

/// Ops of an ended step may be gone from the result, but not from memory.
TEST_F(StepFunctionTest, TensorsOfAnotherStepAreRefused) {
  GraphBuilder g;
  Tensor unused;
  step(g, "train", EntryMode::Train, {{"x", kBatch}},
       [&](GraphBuilder &g, const StepTensors &in) {
         unused = g.exp(in["x"]);
         return negate(g, in, {"x"});
       });
  g.output("y", g.neg(unused));
  EXPECT_EQ(g.status().message(),
            "op 'neg': has a tensor of entry 'train' as operand 0; entries "
            "share variables only");
}

} // namespace
