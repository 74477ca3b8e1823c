// SPDX-License-Identifier: Apache-2.0
// What ops become in TensorFlow. That they mean the same is for
// tests/conformance and tests/e2e/export.
#include "ExportGraphs.h"
#include "SavedModelText.h"
#include "smp/tools/ExportSavedModel.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

using Ints = std::vector<int64_t>;

proto::tensorflow::MetaGraph graphOf(const GraphMaker &maker) {
  const auto bytes = serializeSavedModel(maker.finish());
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  proto::tensorflow::SavedModel model;
  if (!bytes.ok() || !model.ParseFromString(*bytes))
    return {};
  EXPECT_EQ(model.saved_model_schema_version(), 1);
  EXPECT_EQ(model.meta_graphs_size(), 1);
  return model.meta_graphs(0);
}

std::string whyNot(const GraphMaker &maker) {
  const auto bytes = serializeSavedModel(maker.finish());
  EXPECT_FALSE(bytes.ok());
  return bytes.status().message();
}

TEST(TensorFlow, AVariableIsRestoredAndSaved) {
  GraphMaker m;
  const uint32_t x = m.input("x", floats({2, 3}));
  const uint32_t w = m.read("dense.w", floats({4, 3}));
  m.output("y", m.op("dot_general", {x, w}, floats({2, 4}),
                     {{"lhs_batch", Ints()},
                      {"rhs_batch", Ints()},
                      {"lhs_contract", Ints{1}},
                      {"rhs_contract", Ints{1}}},
                     "dense"));
  const proto::tensorflow::MetaGraph graph = graphOf(m);
  EXPECT_EQ(textOf(graph), R"(input x = x:0: 1[2x3]
x = Placeholder() dtype=1 shape=[2x3]
dense.w = VarHandleOp() dtype=1 shape=[4x3] shared_name='dense.w'
dense.w/Read = ReadVariableOp(dense.w) dtype=1
constant = Const() dtype=9 value=9[2] 1 0
y/Transpose = Transpose(dense.w/Read, constant) T=1 Tperm=9
y = MatMul(x, y/Transpose) T=1
save/prefix/default = Const() dtype=7 value=7[scalar]'model'
save/prefix = PlaceholderWithDefault(save/prefix/default) dtype=7 shape=[scalar]
save/tensor_names = Const() dtype=7 value=7[1]'dense.w'
save/slices = Const() dtype=7 value=7[1]''
save/SaveV2 = SaveV2(save/prefix, save/tensor_names, save/slices, dense.w/Read) dtypes=1
save/saved = Identity(save/prefix, ^save/SaveV2) T=7
save/RestoreV2 = RestoreV2(save/prefix, save/tensor_names, save/slices) dtypes=1
save/assign = AssignVariableOp(dense.w, save/RestoreV2) dtype=1
save/restored = NoOp(^save/assign)
output y = y:0: 1[2x4]
)");
  EXPECT_EQ(graph.meta_info_def().tags(0), "serve");
  EXPECT_EQ(graph.signature_def(0).key(), "serving_default");
  EXPECT_EQ(graph.saver_def().filename_tensor_name(), "save/prefix:0");
  EXPECT_EQ(graph.saver_def().save_tensor_name(), "save/saved:0");
  EXPECT_EQ(graph.saver_def().restore_op_name(), "save/restored");
  ASSERT_EQ(graph.collection_def_size(), 1);
  EXPECT_EQ(graph.collection_def(0).key(), "variables");
  proto::tensorflow::Variable variable;
  ASSERT_TRUE(variable.ParseFromString(
      graph.collection_def(0).value().bytes_list().value(0)));
  EXPECT_EQ(variable.variable_name(), "dense.w:0");
  EXPECT_EQ(variable.initializer_name(), "save/assign");
  EXPECT_EQ(variable.snapshot_name(), "dense.w/Read:0");
}

/// Programs are read from files, which may say anything.
TEST(TensorFlow, OperandsThatAreNotThereAreNoCrash) {
  for (const char *mnemonic : {"select",
                               "add",
                               "sub",
                               "pow",
                               "div",
                               "shift_left",
                               "fma",
                               "scatter_nd",
                               "gather",
                               "gather_elements",
                               "top_k",
                               "batch_norm",
                               "layer_norm",
                               "convert",
                               "reduce",
                               "scan",
                               "arg_reduce",
                               "dot_general",
                               "reshape",
                               "concat",
                               "bit_cast",
                               "compare",
                               "scatter_elements"}) {
    GraphMaker m;
    m.output("y", m.op(mnemonic, {}, floats({4}), {}, "op"));
    const std::string why = whyNot(m);
    EXPECT_NE(why.find("'op' (smp." + std::string(mnemonic) + " "),
              std::string::npos)
        << why;
  }
}

/// Users say what names there are; nodes are called what TensorFlow allows.
TEST(TensorFlow, NamesAreSpeltAsTensorFlowAllows) {
  GraphMaker m;
  const uint32_t x = m.input("/in:0 \xc3\xa9", floats({2}));
  m.output("out put", m.op("neg", {x}, floats({2}), {}, "_hidden"));
  m.output("", x);
  const proto::tensorflow::MetaGraph graph = graphOf(m);
  EXPECT_EQ(textOf(graph), "input /in:0 \xc3\xa9 = in_0___:0: 1[2]\n"
                           R"(in_0___ = Placeholder() dtype=1 shape=[2]
out_put = Neg(in_0___) T=1
value = Identity(in_0___) T=1
output out put = out_put:0: 1[2]
output  = value:0: 1[2]
)");
  EXPECT_FALSE(graph.has_saver_def());
}

/// Halves are computed in f32 and rounded once.
TEST(TensorFlow, OpsOfHalvesAreRoundedOnce) {
  GraphMaker m;
  const TensorType type = {DType::F16, {2}};
  const uint32_t x = m.input("x", type);
  m.output("y", m.op("fma", {x, x, x}, type));
  EXPECT_EQ(textOf(graphOf(m)), R"(input x = x:0: 19[2]
x = Placeholder() dtype=19 shape=[2]
y/Cast = Cast(x) SrcT=19 DstT=1
y/Mul = Mul(y/Cast, y/Cast) T=1
y/AddV2 = AddV2(y/Mul, y/Cast) T=1
y = Cast(y/AddV2) SrcT=1 DstT=19
output y = y:0: 19[2]
)");
}

/// Programs are read from files, which may say anything.
TEST(TensorFlow, EveryOpWithoutCounterpartIsNamed) {
  const struct {
    const char *mnemonic;
    TensorType type;
    AttributeMap attributes;
    const char *why;
  } cases[] = {
      {"random", floats({4}), {}, ""},
      {"transpose", floats({4}), {}, " without attribute 'permutation'"},
      {"pow", {DType::U64, {4}}, {}, " of u64"},
      {"compare", floats({4}), {{"direction", "up"}}, " with direction up"},
      {"reduce", floats({4}), {{"kind", "most"}}, " of kind most"},
      {"scan", floats({4}), {{"kind", "most"}}, " of kind most"},
      {"conv", floats({4}), {}, " without spatial dimensions"},
      {"conv", {DType::I64, {4}}, {}, " of integers of 64 bits"},
      {"pad", floats({4}), {}, " without a padding per dimension"},
      {"window_reduce", floats({4}), {}, " of rank 1"},
      {"top_k", floats({}), {}, " of rank 0"},
      {"gather_nd", floats({4}), {}, " of no tuples"},
      {"gather_nd", floats({4}), {{"batch_dims", int64_t(7)}}, " of no tuples"},
      {"window_reduce",
       floats({1, 1, 4}),
       {{"window", Ints{int64_t(1) << 62}},
        {"strides", Ints{1}},
        {"low", Ints{0}},
        {"high", Ints{0}},
        {"dilations", Ints{1}}},
       " of a window of 4611686018427387904 elements"},
      {"pad",
       floats({4}),
       {{"low", Ints{INT64_MAX}},
        {"high", Ints{INT64_MAX}},
        {"interior", Ints{INT64_MAX}}},
       " of another size than its result"},
      {"iota",
       floats({int64_t(1) << 40}),
       {{"dimension", int64_t(0)}},
       " up to 1099511627776"},
      {"neg", floats(Shape(9, 1)), {}, " of rank 9"},
      {"arg_reduce", floats(Shape(8, 1)), {}, " of rank 8"}};
  GraphMaker m;
  std::string all;
  for (const auto &one : cases) {
    const uint32_t x = m.input("x", one.type);
    m.output("y", m.op(one.mnemonic, {x}, one.type, one.attributes, "op"));
    all += std::string(all.empty() ? "" : ", ") + "'op' (smp." + one.mnemonic +
           one.why + ")";
  }
  EXPECT_EQ(whyNot(m), "entry 'predict' has 18 ops without counterpart in "
                       "TensorFlow: " +
                           all + "; export an entry that does without");
}

} // namespace
