// SPDX-License-Identifier: Apache-2.0
// Graphs, and what is wrong with ops and graphs.

#include "ReferenceHelpers.h"

using namespace smp;
using namespace smp::test;

/// y = (x + @weight) * x; @weight := x + @weight.
static Graph exampleGraph() {
  const TensorType type{DType::F32, {2}};
  Graph graph;
  graph.values = {{"x", type}, {"w", type}, {"sum", type}, {"y", type}};
  graph.inputs = {0};
  graph.outputs = {3, 3};
  graph.ops = {{"read_w", "read", {}, {1}, {{"variable", "weight"}}, {}},
               {"add", "add", {0, 1}, {2}, {}, {}},
               {"mul", "mul", {2, 0}, {3}, {}, {}},
               {"update", "assign", {2}, {}, {{"variable", "weight"}}, {}},
               {"", "return", {3, 3}, {}, {}, {}}};
  return graph;
}

static Evaluation run(const Graph &graph,
                      HostTensor x = tensor<float>({2}, {3, 4})) {
  const HostTensor weight = tensor<float>({2}, {10, 20});
  const HostTensor inputs[] = {std::move(x)};
  return evaluate(graph, inputs, [&](std::string_view name) {
    return name == "weight" ? &weight : nullptr;
  });
}

TEST(ReferenceGraph, ReadsAssignsAndReturns) {
  Evaluation result = run(exampleGraph());
  ASSERT_TRUE(result.ok()) << result.error;
  ASSERT_EQ(result.results.size(), 2u);
  expectBits(valuesOf<float>(result.results[0]), {39, 96});
  expectBits(valuesOf<float>(result.results[1]), {39, 96});
  ASSERT_EQ(result.assigned.size(), 1u);
  expectBits(valuesOf<float>(result.assigned.at("weight")), {13, 24});
}

TEST(ReferenceGraph, AnInputMayBeAnOutput) {
  Graph graph;
  graph.values = {{"x", {DType::F32, {2}}}};
  graph.inputs = graph.outputs = {0};
  Evaluation result = run(graph);
  ASSERT_TRUE(result.ok()) << result.error;
  expectBits(valuesOf<float>(result.results[0]), {3, 4});
}

/// y = x + 5; @weight := 5; 5 is returned as well, and `unused` is not used.
static Graph splatGraph(Splat unused) {
  const TensorType type{DType::F32, {2}};
  const Splat five{type, tensor<float>({}, {5}).bytes};
  Graph graph;
  graph.values = {{"x", type}, {"5", type}, {"", unused.type}, {"y", type}};
  graph.inputs = {0};
  graph.outputs = {3, 1};
  graph.ops = {{"five", "constant", {}, {1}, {{"value", five}}, {}},
               {"unused", "constant", {}, {2}, {{"value", unused}}, {}},
               {"add", "add", {0, 1}, {3}, {}, {}},
               {"update", "assign", {1}, {}, {{"variable", "weight"}}, {}}};
  return graph;
}

TEST(ReferenceGraph, ASplatIsWrittenOutForWhoReadsIt) {
  // There is no machine with the memory for all elements of this one.
  const Splat huge{{DType::F32, {1ll << 24, 1ll << 20}},
                   std::vector<std::byte>(4)};
  Evaluation result = run(splatGraph(huge));
  ASSERT_TRUE(result.ok()) << result.error;
  expectBits(valuesOf<float>(result.results[0]), {8, 9});
  expectBits(valuesOf<float>(result.results[1]), {5, 5});
  expectBits(valuesOf<float>(result.assigned.at("weight")), {5, 5});
}

/// More elements than any machine has memory for.
static const Shape kHuge{1ll << 24, 1ll << 20};

/// y: the first of `ops`' values that has no reader; x is i64[2].
static Evaluation runOnHuge(const std::vector<GraphValue> &values,
                            const std::vector<GraphOp> &ops) {
  Graph graph;
  graph.values = {{"x", {DType::I64, {2}}}, {"two", {DType::F32, kHuge}}};
  graph.values.insert(graph.values.end(), values.begin(), values.end());
  const Splat two{{DType::F32, kHuge}, tensor<float>({}, {2}).bytes};
  graph.ops = {{"two", "constant", {}, {1}, {{"value", two}}, {}}};
  graph.ops.insert(graph.ops.end(), ops.begin(), ops.end());
  graph.inputs = {0};
  graph.outputs = {uint32_t(graph.values.size() - 1)};
  const HostTensor inputs[] = {tensor<int64_t>({2}, {7, 3})};
  return evaluate(graph, inputs, {});
}

TEST(ReferenceGraph, WhatIsMadeOfSplatsIsOneElement) {
  const TensorType huge{DType::F32, kHuge},
      half{DType::F32, {1ll << 23, 1ll << 20}},
      turned{DType::F32, {1ll << 20, 1ll << 23}}, flat{DType::F32, {1ll << 43}},
      wide{DType::F32, {4, 1ll << 43}}, truth{DType::Bool, {4, 1ll << 43}},
      y{DType::F32, {4, 2}};
  const Evaluation result = runOnHuge(
      {{"", huge},
       {"", half},
       {"", turned},
       {"", flat},
       {"", wide},
       {"", truth},
       {"", wide},
       {"y", y}},
      {{"add", "add", {1, 1}, {2}, {}, {}},
       {"half",
        "slice",
        {2},
        {3},
        {{"starts", List{1, 0}},
         {"limits", List{1ll << 24, 1ll << 20}},
         {"strides", List{2, 1}}},
        {}},
       {"turned", "transpose", {3}, {4}, {{"permutation", List{1, 0}}}, {}},
       {"flat", "reshape", {4}, {5}, {}, {}},
       {"wide", "broadcast", {5}, {6}, {{"dimensions", List{1}}}, {}},
       {"ask", "compare", {6, 6}, {7}, {{"direction", "ne"}}, {}},
       {"select", "select", {7, 6, 6}, {8}, {}, {}},
       {"gather", "gather", {8, 0}, {9}, {{"axis", int64_t(1)}}, {}}});
  ASSERT_TRUE(result.ok()) << result.error;
  expectBits(valuesOf<float>(result.results[0]), std::vector<float>(8, 4));
}

static GraphOp sliceOf(uint32_t from, uint32_t to, List limits) {
  const List zeros(limits.size(), 0), ones(limits.size(), 1);
  return {"slice",
          "slice",
          {from},
          {to},
          {{"starts", zeros}, {"limits", limits}, {"strides", ones}},
          {}};
}

TEST(ReferenceGraph, AStretchedNumberIsOneElement) {
  const Evaluation result = runOnHuge(
      {{"", {DType::I64, {1}}},
       {"", {DType::I64, kHuge}},
       {"y", {DType::I64, {2, 1}}}},
      {sliceOf(0, 2, {1}),
       {"stretch", "broadcast", {2}, {3}, {{"dimensions", List{1}}}, {}},
       sliceOf(3, 4, {2, 1})});
  ASSERT_TRUE(result.ok()) << result.error;
  expectBits(valuesOf<int64_t>(result.results[0]), {7, 7});
}

TEST(ReferenceGraph, SplatsAreReadWithinTheirBounds) {
  const Shape five{1ll << 24, 5};
  const Evaluation result = runOnHuge(
      {{"", {DType::F32, five}}, {"y", {DType::F32, {1ll << 24, 2}}}},
      {sliceOf(1, 2, five),
       {"gather", "gather", {2, 0}, {3}, {{"axis", int64_t(1)}}, {}}});
  EXPECT_EQ(result.error, "op 'gather' (gather): index 7 is not in 0..4");
}

/// The evaluator says what does not fit, before it takes any of it.
TEST(ReferenceGraph, WhatThereIsNoMemoryForIsAnError) {
  const auto expectTold = [](const Evaluation &result, const std::string &op,
                             const std::string &bytes) {
    EXPECT_EQ(result.error.find(op + ": needs " + bytes + " bytes of memory"),
              0u)
        << result.error;
    EXPECT_NE(result.error.find("the process may have "), std::string::npos)
        << result.error;
  };
  const TensorType huge{DType::F32, kHuge};
  // 4 bytes and 16 of numbers of each of 2^44, and 12 of the result.
  expectTold(runOnHuge({{"y", {DType::F32, {}}}},
                       {{"sum",
                         "reduce",
                         {1},
                         {2},
                         {{"kind", "sum"}, {"dimensions", List{0, 1}}},
                         {}}}),
             "op 'sum' (reduce)", "351843720888332");
  expectTold(
      runOnHuge({{"y", huge}},
                {{"count", "iota", {}, {2}, {{"dimension", int64_t(0)}}, {}}}),
      "op 'count' (iota)", "211106232532992");
  expectTold(runOnHuge({{"y", huge}}, {{"add", "add", {1, 1}, {2}, {}, {}}}),
             "output 0", "70368744177664");
}

TEST(ReferenceGraph, WrongConstantsAreErrors) {
  Graph graph = splatGraph({{DType::F32, {2}}, std::vector<std::byte>(4)});
  graph.ops[0].attributes["value"] =
      Splat{{DType::F32, {2}}, std::vector<std::byte>(8)};
  EXPECT_EQ(run(graph).error, "op 'five' (constant): attribute 'value' has 8 "
                              "bytes; it must have 4");
  graph.ops[0].attributes["value"] = tensor<float>({3}, {1, 2, 3});
  EXPECT_EQ(run(graph).error, "op 'five' (constant): result 0 is declared as "
                              "f32[2] but is f32[3]");
  graph.ops[0].attributes["value"] = "five";
  EXPECT_EQ(run(graph).error,
            "op 'five' (constant): attribute 'value' must be a tensor");
  graph.ops[0].operands = {0};
  EXPECT_EQ(run(graph).error,
            "op 'five' (constant): has 1 operands; it takes 0");
}

TEST(ReferenceGraph, WrongInputsAreNamed) {
  EXPECT_EQ(run(exampleGraph(), tensor<float>({3}, {1, 2, 3})).error,
            "input 'x' is f32[2]; the tensor given is f32[3]");
  HostTensor shortOne = tensor<float>({2}, {1, 2});
  shortOne.bytes.pop_back();
  EXPECT_EQ(run(exampleGraph(), shortOne).error,
            "input 'x' is f32[2]; the tensor given of type f32[2] has 7 bytes");
  EXPECT_EQ(evaluate(exampleGraph(), {}, {}).error,
            "got 0 inputs; the graph has 1");
}

TEST(ReferenceGraph, WrongGraphsAreErrors) {
  Graph graph = exampleGraph();
  graph.ops[1].operands = {0, 2};
  EXPECT_EQ(run(graph).error,
            "op 'add' (add): operand value 2 is not defined before it");
  graph = exampleGraph();
  graph.ops[1].operands = {0, 99};
  EXPECT_EQ(run(graph).error,
            "op 'add' (add): operand value 99 is not defined before it");
  graph = exampleGraph();
  graph.ops[1].results = {0};
  EXPECT_EQ(
      run(graph).error,
      "op 'add' (add): result value 0 does not exist or is defined twice");
  graph = exampleGraph();
  graph.outputs = {7};
  EXPECT_EQ(run(graph).error, "output value 7 is not defined");
  graph = exampleGraph();
  graph.inputs = {7};
  EXPECT_EQ(run(graph).error, "input 0 is value 7 of 4");
  graph = exampleGraph();
  graph.ops[0].attributes["variable"] = "bias";
  EXPECT_EQ(run(graph).error,
            "op 'read_w' (read): there is no variable 'bias'");
  graph = exampleGraph();
  graph.ops[4] = graph.ops[3];
  EXPECT_EQ(run(graph).error,
            "op 'update' (assign): is a second assignment to 'weight'");
  graph = exampleGraph();
  graph.ops[1].mnemonic = "frobnicate";
  EXPECT_EQ(run(graph).error, "op 'add' (frobnicate): has no reference");
}

TEST(ReferenceOp, WrongCallsAreErrors) {
  HostTensor x = tensor<float>({2}, {1, 2});
  EXPECT_EQ(call("add", {x}, {x.type}).error,
            "op 'node' (add): has 1 operands; it takes 2");
  EXPECT_EQ(call("concat", {}, {x.type}).error,
            "op 'node' (concat): has 0 operands; it takes at least 1");
  EXPECT_EQ(call("add", {x, x}, {}).error,
            "op 'node' (add): has 0 results; it gives 1");
  EXPECT_EQ(call("add", {x, x}, {{DType::F32, {3}}}).error,
            "op 'node' (add): result 0 is declared as f32[3] but is f32[2]");
  EXPECT_EQ(
      call("add", {x, tensor<int32_t>({2}, {1, 2})}, {x.type}).error,
      "op 'node' (add): operands must have one type, not f32[2] and i32[2]");
  EXPECT_EQ(call("softmax", {x}, {x.type}).error,
            "op 'node' (softmax): attribute 'axis' is missing");
  EXPECT_EQ(call("softmax", {x}, {x.type}, {{"axis", 1.5}}).error,
            "op 'node' (softmax): attribute 'axis' must be an integer");
  EXPECT_EQ(call("softmax", {x}, {x.type}, {{"axis", int64_t(1)}}).error,
            "op 'node' (softmax): attribute 'axis' is 1, no dimension of a "
            "tensor of rank 1");
  EXPECT_EQ(call("compare", {x, x}, {{DType::Bool, {2}}}, {{"direction", "up"}})
                .error,
            "op 'node' (compare): attribute 'direction' is 'up'");
  EXPECT_EQ(call("exp", {tensor<int32_t>({1}, {1})}, {{DType::I32, {1}}}).error,
            "op 'node' (exp): the operand must be a float");
  EXPECT_EQ(call("iota", {}, {{DType::I32, {INT64_MAX, 4}}},
                 {{"dimension", int64_t(0)}})
                .error,
            "op 'node' (iota): has a result of the impossible type "
            "i32[9223372036854775807x4]");
}

/// No combination of attributes crashes: each gives a result or an error.
TEST(ReferenceOp, WildAttributesNeverCrash) {
  const int64_t wild[] = {INT64_MIN, -(1ll << 62), -3,        -1,       0, 1, 2,
                          7,         1ll << 31,    1ll << 62, INT64_MAX};
  const char *mnemonics[] = {"pad",
                             "slice",
                             "transpose",
                             "conv",
                             "window_reduce",
                             "avg_pool",
                             "reduce",
                             "scan",
                             "top_k",
                             "concat",
                             "gather",
                             "softmax",
                             "broadcast",
                             "dot_general",
                             "reverse",
                             "iota",
                             "scatter_elements",
                             "gather_nd",
                             "pack",
                             "packed_matmul",
                             "packed_conv",
                             "depthwise_conv",
                             "gather_elements",
                             "arg_reduce",
                             "layer_norm"};
  const char *lists[] = {
      "low",       "high",      "interior",     "starts",      "limits",
      "strides",   "dilations", "window",       "permutation", "dimensions",
      "lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract"};
  const char *integers[] = {"columns", "features", "axis",       "k",
                            "largest", "groups",   "batch_dims", "dimension"};
  Random random(2024);
  const auto pick = [&](size_t count) { return size_t(random.rng() % count); };
  const HostTensor operands[] = {
      randomTensor<float>(random.rng, {1, 2, 3}),
      randomTensor<float>(random.rng, {2, 2, 1}), tensor<float>({}, {1}),
      tensor<int64_t>({2}, {0, 1}), tensor<int64_t>({1, 1, 1}, {1})};
  size_t worked = 0;
  for (int trial = 0; trial < 40000; ++trial) {
    Attributes attributes{{"kind", "max"}, {"epsilon", 0.1}};
    for (const char *name : lists) {
      List list(trial % 2 ? 3 : pick(4));
      for (int64_t &item : list)
        item = trial % 3 ? int64_t(pick(3)) : wild[pick(std::size(wild))];
      attributes[name] = list;
    }
    for (const char *name : integers)
      attributes[name] =
          trial % 5 ? int64_t(pick(3)) : wild[pick(std::size(wild))];
    if (trial % 7 == 0)
      attributes["mode"] = "reflect";
    const std::string mnemonic = mnemonics[pick(std::size(mnemonics))];
    std::vector<HostTensor> given;
    for (size_t i = 0, count = pick(4); i < count; ++i)
      given.push_back(operands[pick(std::size(operands))]);
    const Shape shape(pick(4), int64_t(pick(4)));
    std::vector<TensorType> types(mnemonic == "top_k" ? 2 : 1,
                                  {DType::F32, shape});
    Evaluation result = call(mnemonic, given, types, attributes);
    worked += result.ok();
    ASSERT_EQ(result.ok(), result.error.empty());
  }
  EXPECT_GT(worked, 20u);
}
