// SPDX-License-Identifier: Apache-2.0
// How outputs of imported models follow from rows of their inputs.

#include "ModelBuilder.h"
#include "smp/ir/Placement.h"

using namespace smp;

namespace {

/// A model over x with one output y, and what the importer decides of it.
class RowsTest : public testing::Test {
protected:
  /// "concat 0", "same", or "mixed: " and the reason; an error if there is one.
  static std::string joinOf(Import &import, unsigned result = 0) {
    if (!import.ok())
      return "error: " + import.error;
    auto entry = import.entry();
    auto join = entry.getResultAttrOfType<ir::JoinAttr>(result, ir::kJoinAttr);
    if (!join)
      return "undecided";
    std::string text = ir::stringifyJoinKind(join.getKind()).str();
    if (join.getReason())
      return text + ": " + join.getReason().str();
    if (auto axis = entry.getResultAttrOfType<mlir::IntegerAttr>(
            result, ir::kBatchAxisAttr))
      text += " " + std::to_string(axis.getInt());
    return text;
  }

  static std::string joinOf(const std::string &inputs, const std::string &nodes,
                            OnnxOptions options = oneRow(),
                            const std::vector<std::string> &output = {"o"}) {
    Import import(parseText("graph {" + inputs +
                            tensorInfo("output", "y", output) + nodes + "}"),
                  options);
    return joinOf(import);
  }

  static OnnxOptions oneRow() {
    OnnxOptions options;
    options.dims["batch"] = 1;
    return options;
  }

  static std::string constant(const std::string &name,
                              const std::string &values, int count) {
    return "initializer { name: '" + name + "' dims: " + std::to_string(count) +
           " data_type: 7 int64_data: [" + values + "] }\n";
  }

  const std::string x = tensorInfo("input", "x", {"batch", "12"});
};

} // namespace

TEST_F(RowsTest, WhatAnOutputIsCalledIsNoMatter) {
  EXPECT_EQ(joinOf(x, "node { op_type: 'Relu' input: 'x' output: 'y' }",
                   oneRow(), {"Reluy_dim_0", "12"}),
            "concat 0");
  EXPECT_EQ(joinOf(x,
                   "node { name: 'sum' op_type: 'ReduceSum' input: 'x' "
                   "output: 'y' }",
                   oneRow(), {"batch", "batch"}),
            "mixed: 'sum' (smp.reduce) combines all rows, by sum");
}

TEST_F(RowsTest, RowsAreAlongAnyDimension) {
  EXPECT_EQ(joinOf(tensorInfo("input", "x", {"2", "batch", "4"}),
                   "node { op_type: 'Softmax' input: 'x' output: 'y' }"),
            "concat 1");
}

TEST_F(RowsTest, AllInputsOfTheSymbolAreSplit) {
  Import import(parseText("graph {" + x +
                          tensorInfo("input", "h", {"2", "batch", "12"}) +
                          tensorInfo("output", "y", {"o"}) +
                          "node { op_type: 'Add' input: 'x' input: 'h' "
                          "output: 'y' } }"),
                oneRow());
  EXPECT_EQ(joinOf(import), "concat 1");
  auto axis =
      import.entry().getArgAttrOfType<mlir::IntegerAttr>(1, ir::kBatchAxisAttr);
  ASSERT_TRUE(axis);
  EXPECT_EQ(axis.getInt(), 1);
}

TEST_F(RowsTest, SimilarityMixesRows) {
  EXPECT_EQ(
      joinOf(x, "node { op_type: 'Transpose' input: 'x' output: 't' }"
                "node { name: 'alike' op_type: 'MatMul' input: 'x' input: 't' "
                "output: 'y' }"),
      "mixed: 'alike' (smp.dot_general) pairs every row with every row");
}

// With one row, a reshape that flattens the batch and one that keeps it look
// alike.
TEST_F(RowsTest, ComputedShapesAreSeenWithMoreRows) {
  const std::string reshape =
      "node { name: 'cut' op_type: 'Reshape' input: 'x' input: 's' output: 'y' "
      "}";
  EXPECT_EQ(joinOf(x + constant("s", "-1, 6", 2), reshape), "concat 0");
  EXPECT_EQ(joinOf(x + constant("s", "2, -1", 2), reshape),
            "mixed: 'cut' (smp.reshape) cuts the rows apart");
  EXPECT_EQ(joinOf(x + constant("s", "0, 3, 4", 3), reshape), "concat 0");
}

TEST_F(RowsTest, AFirstRowIsNotEveryRow) {
  EXPECT_EQ(joinOf(x + constant("from", "0", 1) + constant("to", "1", 1) +
                       constant("axes", "0", 1),
                   "node { name: 'first' op_type: 'Slice' input: 'x' input: "
                   "'from' input: 'to' input: 'axes' output: 'y' }"),
            "mixed: 'first' (smp.slice) needs all of dimension 0 of 'x', which "
            "the rows are along");
}

TEST_F(RowsTest, TheNumberOfRowsIsNoConstant) {
  const std::string count =
      constant("zero", "0", 1) +
      "node { op_type: 'Shape' input: 'x' output: 'shape' }"
      "node { op_type: 'Gather' input: 'shape' input: 'zero' output: 'n' }"
      "node { name: 'number' op_type: 'Cast' input: 'n' output: 'f' "
      "  attribute { name: 'to' type: INT i: 1 } }"
      "node { op_type: 'Div' input: 'x' input: 'f' output: 'y' }";
  EXPECT_EQ(joinOf(x, count).substr(0, 6), "mixed:") << joinOf(x, count);
  EXPECT_NE(joinOf(x, count).find("follows from the number of rows"),
            std::string::npos)
      << joinOf(x, count);
}

TEST_F(RowsTest, WhatIsExpandedToTheBatchIsAlikeForAllRows) {
  const std::string expand =
      constant("twelve", "12", 1) + constant("first", "0", 1) +
      "initializer { name: 'bias' dims: 1 dims: 12 data_type: 1 float_data: "
      "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }"
      "node { op_type: 'Shape' input: 'x' output: 'shape' }"
      "node { op_type: 'Expand' input: 'bias' input: 'shape' output: 'e' }";
  EXPECT_EQ(joinOf(x, expand + "node { op_type: 'Add' input: 'x' input: 'e' "
                               "output: 'y' }"),
            "concat 0");
  EXPECT_EQ(joinOf(x, expand + "node { op_type: 'Identity' input: 'e' output: "
                               "'y' }"),
            "concat 0");
  EXPECT_EQ(joinOf(x, expand + "node { op_type: 'Relu' input: 'bias' output: "
                               "'y' }"),
            "same");
}

TEST_F(RowsTest, AModelForSoManyRowsSaysSo) {
  const std::string join =
      joinOf(x + constant("s", "1, 3, 4", 3),
             "node { name: 'cut' op_type: 'Reshape' input: 'x' input: 's' "
             "output: 'y' }");
  EXPECT_EQ(join.find("mixed: the model takes no other number of rows: m.onnx: "
                      "node 'cut' (Reshape): "),
            0u)
      << join;
}

// A fixed dimension that a person declares: the model may be written for one
// row, and then what it does with one is all that there is to know.
TEST_F(RowsTest, AFixedDimensionCanBeDeclared) {
  const std::string fixed = tensorInfo("input", "x", {"1", "12"});
  const std::string relu = "node { op_type: 'Relu' input: 'x' output: 'y' }";
  OnnxOptions options;
  options.batch = {{"x", 0}};
  EXPECT_EQ(joinOf(fixed, relu, {}), "undecided");
  EXPECT_EQ(joinOf(fixed, relu, options), "concat 0");
  EXPECT_EQ(joinOf(fixed + constant("s", "1, 3, 4", 3),
                   "node { op_type: 'Reshape' input: 'x' input: 's' output: "
                   "'y' }",
                   options),
            "undecided");
  options.batch = {{"x", 1}};
  EXPECT_EQ(joinOf(fixed, relu, options), "concat 1");
  options.batch = {{"x", 2}};
  EXPECT_EQ(joinOf(fixed, relu, options),
            "error: m.onnx: has no dimension x[2] to be the batch; its inputs "
            "have: x[0], x[1]\n");
}

TEST_F(RowsTest, ABatchIsDeclaredInPlaceOfGuessed) {
  OnnxOptions options = oneRow();
  options.dims["other"] = 2;
  options.batch = {{"z", 0}};
  const std::string inputs = x + tensorInfo("input", "z", {"other", "batch"});
  EXPECT_EQ(joinOf(inputs, "node { op_type: 'Relu' input: 'z' output: 'y' }",
                   options),
            "concat 0");
  EXPECT_EQ(joinOf(inputs, "node { op_type: 'Relu' input: 'x' output: 'y' }",
                   options),
            "same");
  options.batch = {{"x", 0}, {"z", 0}};
  EXPECT_EQ(joinOf(inputs, "node { op_type: 'Relu' input: 'z' output: 'y' }",
                   options),
            "error: m.onnx: cannot have both z[0] and z[1] as the batch; an "
            "input has one batch axis\n");
}

/// Each row is written into a cache of its own, wherever.
TEST_F(RowsTest, RowsOfACacheAreWrittenApart) {
  for (const std::string mode : {"linear", "circular"}) {
    Import import(
        parseText(
            "opset_import { version: 24 } graph {" +
            tensorInfo("input", "cache", {"batch", "3", "5", "2"}) +
            tensorInfo("input", "update", {"batch", "3", "2", "2"}) +
            tensorInfo("input", "starts", {"batch"}, /*elementType=*/7) +
            tensorInfo("output", "y", {"o"}) +
            "node { op_type: 'TensorScatter' input: ['cache', 'update', "
            "'starts'] output: 'y' attribute { name: 'mode' type: STRING s: '" +
            mode + "' } } }"),
        oneRow());
    EXPECT_EQ(joinOf(import), "concat 0") << mode;
  }
}

//===----------------------------------------------------------------------===//
// What follows from the number of rows
//===----------------------------------------------------------------------===//

namespace {

/// Models that compute with the number of rows, `n`, a vector of one element.
class RowNumberTest : public RowsTest {
protected:
  /// The join of `y`, which the nodes make.
  std::string joinWith(const std::string &nodes, const std::string &more = "") {
    return joinOf(x + more + constant("zero", "0", 1) +
                      "node { op_type: 'Shape' input: 'x' output: 'shape' }"
                      "node { op_type: 'Gather' input: 'shape' input: 'zero' "
                      "output: 'n' }" +
                      nodes,
                  "");
  }
  static std::string scalar(const std::string &name, const std::string &value) {
    return "initializer { name: '" + name +
           "' data_type: 7 int64_data: " + value + " }\n";
  }
  static std::string number(const std::string &name, const std::string &value) {
    return "initializer { name: '" + name +
           "' data_type: 1 float_data: " + value + " }\n";
  }
  /// n, computed on, as a factor of x.
  std::string joinOfFactor(const std::string &compute,
                           const std::string &literals) {
    return joinWith(compute +
                        "node { op_type: 'Cast' input: 'm' output: 'f' "
                        "  attribute { name: 'to' type: INT i: 1 } }"
                        "node { name: 'times' op_type: 'Mul' input: 'x' input: "
                        "'f' output: 'xf' }"
                        "node { op_type: 'Add' input: 'xf' input: 'beside' "
                        "output: 'y' }",
                    literals);
  }
  static void expectFollows(const std::string &join) {
    EXPECT_EQ(join.substr(0, 6), "mixed:") << join;
    EXPECT_NE(join.find("follows from the number of rows"), std::string::npos)
        << join;
  }

  const std::string z = tensorInfo("input", "z", {"12"});
  const std::string expand =
      "node { op_type: 'Expand' input: 'z' input: 'shape' output: 'e' }";
  const std::string axis = constant("axis", "0", 1);
  const std::string sum = "node { name: 'sum' op_type: 'ReduceSum' input: 'e' "
                          "input: 'axis' output: 's' }";
};

std::string body(const std::string &name, const std::string &graph) {
  return "attribute { name: '" + name + "' type: GRAPH g { " + graph + " } }";
}

} // namespace

// Also where the model has a constant that is the same by chance.
TEST_F(RowNumberTest, AsAFactor) {
  for (const char *beside : {"101", "103", "8", "1", "0.5"}) {
    const std::string literals = number("beside", beside) +
                                 scalar("eight", "8") + scalar("two", "2") +
                                 scalar("none", "0");
    expectFollows(joinOfFactor(
        "node { op_type: 'Identity' input: 'n' output: 'm' }", literals));
    expectFollows(joinOfFactor(
        "node { op_type: 'Min' input: 'n' input: 'eight' output: 'm' }",
        literals));
    expectFollows(joinOfFactor(
        "node { op_type: 'Mod' input: 'n' input: 'two' output: 'm' }",
        literals));
    // What multiplies by 1, for every number that is tried, is no identity.
    expectFollows(joinOfFactor(
        "node { op_type: 'Greater' input: 'n' input: 'none' output: 'm' }",
        literals));
    EXPECT_EQ(
        joinOfFactor("node { op_type: 'Identity' input: 'two' output: 'm' }",
                     literals),
        "concat 0");
  }
}

TEST_F(RowNumberTest, AsACondition) {
  const std::string condition =
      "node { op_type: 'Greater' input: 'n' input: 'two' output: 'many' }"
      "node { op_type: 'Squeeze' input: 'many' output: 'c' }";
  auto branch = [](const std::string &op) {
    return "node { op_type: '" + op +
           "' input: 'x' output: 'b' } output { "
           "name: 'b' }";
  };
  const std::string choice = "node { name: 'choice' op_type: 'If' input: 'c' "
                             "output: 'y' ";
  expectFollows(joinWith(condition + choice +
                             body("then_branch", branch("Relu")) +
                             body("else_branch", branch("Neg")) + "}",
                         scalar("two", "2")));
  // A branch that makes nothing.
  expectFollows(joinWith(condition + choice +
                             body("then_branch", "output { name: 'x' }") +
                             body("else_branch", branch("Neg")) + "}",
                         scalar("two", "2")));
}

TEST_F(RowNumberTest, AsACount) {
  expectFollows(joinWith(
      "node { op_type: 'Squeeze' input: 'n' output: 'c' }"
      "node { op_type: 'Min' input: 'c' input: 'two' output: 'times' }"
      "node { name: 'twice' op_type: 'Loop' input: 'times' input: '' input: "
      "'x' output: 'y' " +
          body("body", "input { name: 'i' } input { name: 'go' } input { name: "
                       "'v' } output { name: 'go' } output { name: 'w' } node "
                       "{ op_type: 'Add' input: 'v' input: 'v' output: 'w' "
                       "}") +
          "}",
      scalar("two", "2")));
  EXPECT_EQ(
      joinWith("node { op_type: 'Squeeze' input: 'n' output: 'c' }"
               "node { name: 'twice' op_type: 'Loop' input: 'c' input: "
               "'' input: 'x' output: 'y' " +
               body("body", "input { name: 'i' } input { name: 'go' } input { "
                            "name: 'v' } output { name: 'go' } output { name: "
                            "'w' } node { op_type: 'Add' input: 'v' input: 'v' "
                            "output: 'w' }") +
               "}"),
      "mixed: for another number of rows it has other ops");
}

TEST_F(RowNumberTest, AsABound) {
  const std::string some = scalar("one", "1") + constant("ones", "1", 1) + axis;
  const std::string few =
      "node { op_type: 'Min' input: 'n' input: 'ones' output: 'm' }";
  expectFollows(joinWith(few + "node { name: 'cut' op_type: 'Slice' input: 'x' "
                               "input: 'zero' input: 'm' input: 'ones' "
                               "output: 'y' }",
                         some));
  expectFollows(joinWith(few + "node { name: 'best' op_type: 'TopK' input: 'x' "
                               "input: 'm' output: 'y' output: 'i' }",
                         some));
}

TEST_F(RowNumberTest, AsALength) {
  EXPECT_EQ(joinWith(expand + "node { op_type: 'Add' input: 'x' input: 'e' "
                              "output: 'y' }",
                     z),
            "concat 0");
  const std::string combined =
      "mixed: 'sum' (smp.reduce) needs all of dimension 0 of 'e', which is as "
      "long as there are rows";
  EXPECT_EQ(joinWith(expand + sum +
                         "node { op_type: 'Add' input: 'x' input: "
                         "'s' output: 'y' }",
                     z + axis),
            combined);
  EXPECT_EQ(joinWith(expand + sum +
                         "node { op_type: 'Identity' input: 's' "
                         "output: 'y' }",
                     z + axis),
            combined);
  // Of constants it is computed at once.
  expectFollows(joinWith(
      "node { op_type: 'ConstantOfShape' input: 'n' output: 'e' }" + sum +
          "node { op_type: 'Add' input: 'x' input: 's' output: 'y' }",
      axis));
}

// What a constant that is as long holds is known at once.
TEST_F(RowNumberTest, AsALengthThatIsCut) {
  const std::string ones = "node { op_type: 'ConstantOfShape' input: 'n' "
                           "output: 'e' attribute { name: 'value' type: TENSOR "
                           "t { dims: 1 data_type: 1 float_data: 1 } } }";
  const std::string times = sum + "node { op_type: 'Mul' input: 'x' input: 's' "
                                  "output: 'y' }";
  auto cut = [&](const std::string &node) {
    std::string text = ones + node + times;
    text.replace(text.rfind("input: 'e'"), 10, "input: 'c'");
    return joinWith(text, axis + constant("three", "3", 1) +
                              constant("five", "0, 5", 2) +
                              constant("two", "2", 1));
  };
  expectFollows(cut("node { op_type: 'Slice' input: 'e' input: 'zero' input: "
                    "'three' output: 'c' }"));
  expectFollows(cut("node { op_type: 'Pad' input: 'e' input: 'five' output: "
                    "'p' } node { op_type: 'Slice' input: 'p' input: 'two' "
                    "input: 'three' output: 'c' }"));
}

TEST_F(RowNumberTest, AsALengthThatIsScanned) {
  const std::string join = joinWith(
      "node { op_type: 'ConstantOfShape' input: 'n' output: 'e' }"
      "node { op_type: 'Scan' input: 'start' input: 'e' output: 'turned' "
      "attribute { name: 'num_scan_inputs' type: INT i: 1 } " +
          body("body",
               "input { name: 'v' } input { name: 'item' } output { name: 'w' "
               "} node { op_type: 'Sub' input: 'one' input: 'v' output: 'w' "
               "}") +
          "} node { op_type: 'Mul' input: 'x' input: 'turned' output: 'y' }",
      number("start", "1") + number("one", "1"));
  EXPECT_EQ(join.substr(0, 6), "mixed:") << join;
}

// A single row is squeezed away, several are not.
TEST_F(RowNumberTest, AsARank) {
  const std::string image = tensorInfo("input", "i", {"batch", "1", "4", "5"});
  const std::string join =
      joinOf(image + constant("s", "-1, 4, 5", 3),
             "node { name: 'drop' op_type: 'Squeeze' input: 'i' output: 'q' }"
             "node { op_type: 'Softmax' input: 'q' output: 'm' attribute { "
             "name: 'axis' type: INT i: 1 } }"
             "node { op_type: 'Reshape' input: 'm' input: 's' output: 'y' }");
  expectFollows(join);
  EXPECT_EQ(joinOf(image + constant("one", "1", 1),
                   "node { op_type: 'Squeeze' input: 'i' input: 'one' output: "
                   "'y' }"),
            "concat 0");
}

// Whether a constant is evaluated while importing is no matter.
TEST_F(RowNumberTest, AsALengthOfManyBytes) {
  for (int bytes = 612; bytes <= 660; bytes += 4) {
    const std::string join = joinOf(
        tensorInfo("input", "x", {"batch", std::to_string(bytes / 4)}) +
            constant("from", "0", 1),
        "node { op_type: 'Shape' input: 'x' output: 'shape' }"
        "node { op_type: 'ConstantOfShape' input: 'shape' output: 'e' "
        "attribute { name: 'value' type: TENSOR t { dims: 1 data_type: 1 "
        "float_data: 2 } } }"
        "node { op_type: 'CumSum' input: 'e' input: 'last' output: 'c' }"
        "initializer { name: 'last' data_type: 7 int64_data: 1 }"
        "node { op_type: 'Add' input: 'x' input: 'c' output: 'y' }");
    EXPECT_EQ(join, "concat 0") << bytes;
  }
}

// An initialiser that somebody else computes with, too.
TEST_F(RowNumberTest, BesideAConstantThatIsShared) {
  EXPECT_EQ(
      joinWith("node { op_type: 'Div' input: 'n' input: 'n' output: 'o' }"
               "node { op_type: 'Mul' input: 'two' input: 'o' output: 't' "
               "} node { op_type: 'Cast' input: 'two' output: 'f' "
               "  attribute { name: 'to' type: INT i: 1 } }"
               "node { op_type: 'Mul' input: 'x' input: 'f' output: 'y' }",
               constant("two", "2", 1)),
      "concat 0");
}

TEST_F(RowNumberTest, AlongTwoDimensions) {
  const std::string join = joinWith(
      "node { op_type: 'Concat' input: 'n' input: 'n' output: 'square' "
      "  attribute { name: 'axis' type: INT i: 0 } }"
      "node { op_type: 'Expand' input: 'w' input: 'square' output: 'e' }"
      "node { name: 'pairs' op_type: 'MatMul' input: 'e' input: 'x' output: "
      "'y' }",
      number("w", "1"));
  EXPECT_EQ(join.substr(0, 6), "mixed:") << join;
}

// The sizes that do not depend on the rows, beside one that does.
TEST_F(RowNumberTest, AsASizeAmongOthers) {
  const std::string shape =
      "node { op_type: 'Gather' input: 'shape' input: 'one' output: 'f' }"
      "node { op_type: 'Div' input: 'f' input: 'four' output: 'q' }"
      "node { op_type: 'Concat' input: 'n' input: 'q' input: 'four' output: "
      "'s' attribute { name: 'axis' type: INT i: 0 } }"
      "node { op_type: 'Reshape' input: 'x' input: 's' output: 'r' }";
  const std::string literals =
      constant("one", "1", 1) + constant("four", "4", 1);
  EXPECT_EQ(joinWith(shape + "node { op_type: 'Relu' input: 'r' output: 'y' }",
                     literals),
            "concat 0");
  // What is computed from the others is a constant.
  EXPECT_EQ(joinWith(shape + "node { op_type: 'Cast' input: 'q' output: 'c' "
                             "  attribute { name: 'to' type: INT i: 1 } }"
                             "node { op_type: 'Mul' input: 'x' input: 'c' "
                             "output: 'y' }",
                     literals),
            "concat 0");
}
