// SPDX-License-Identifier: Apache-2.0
// Every op with a gradient rule, and every composite, against central
// differences in f64: its gradient, and the gradient of its gradient. An op
// joins by having the interface; without a sample it fails.

#include "GradientSamples.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/Smp.h"
#include "smp/model/Reference.h"
#include "smp/passes/catalog/AllPasses.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <regex>

using namespace smp;
using namespace smp::test;

namespace {

struct Case {
  std::string op;
  const GradientSample *sample; ///< Null: there is none.
  std::string name;
};

std::ostream &operator<<(std::ostream &out, const Case &one) {
  return out << one.name;
}

/// A case per sample of each op that a gradient can pass.
std::vector<Case> cases() {
  mlir::MLIRContext context;
  context.loadDialect<ir::SmpDialect>();
  std::vector<Case> result;
  for (mlir::RegisteredOperationName op :
       context.getRegisteredOperationsByDialect("smp")) {
    std::string mnemonic = op.getStringRef().substr(strlen("smp.")).str();
    if (!op.hasInterface<ir::GradientOpInterface>() &&
        !op.hasInterface<ir::DecomposeOpInterface>())
      continue;
    if (mnemonic == "stop_gradient")
      continue;
    size_t before = result.size();
    for (const GradientSample &sample : gradientSamples())
      if (sample.op == mnemonic)
        result.push_back(
            {mnemonic, &sample,
             mnemonic + "_" + std::to_string(result.size() - before)});
    if (result.size() == before)
      result.push_back({mnemonic, nullptr, mnemonic});
  }
  return result;
}

struct Argument {
  std::string name, type;
  /// Whether gradients are taken with respect to it.
  bool isFloat() const {
    return type.find("f64>") != std::string::npos &&
           name.find("weights") == std::string::npos;
  }
};

/// The text of a sample as a program with a loss that no sum hides anything in:
/// squares of the results with weights, and a little of each argument.
class ProgramText {
public:
  explicit ProgramText(const GradientSample &sample) : sample(sample) {
    static const std::regex argument(R"(%(\w+): (tensor<[^>]*>))");
    for (std::sregex_iterator
             it(sample.arguments.begin(), sample.arguments.end(), argument),
         end;
         it != end; ++it)
      arguments.push_back({(*it)[1], (*it)[2]});
    arguments.push_back({"weights", sample.result});
  }

  /// Arguments that gradients are taken with respect to.
  std::vector<Argument> floats() const {
    std::vector<Argument> result;
    for (const Argument &argument : arguments)
      if (argument.isFloat())
        result.push_back(argument);
    return result;
  }

  /// Returns the loss and its gradients with respect to `wanted`.
  std::string once(const std::vector<Argument> &wanted) {
    body = sample.ops + "\n";
    std::string loss = makeLoss();
    std::vector<std::string> results = gradients("g", loss, wanted);
    results.insert(results.begin(), {loss, "tensor<f64>"});
    return program(results);
  }

  /// Returns a weighted sum of all gradients, and the gradients of that.
  std::string twice() {
    body = sample.ops + "\n";
    gradients("g", makeLoss(), floats());
    std::string loss;
    for (const Argument &argument : floats()) {
      const std::string weight = "weights_" + argument.name;
      arguments.push_back({weight, argument.type});
      const std::string sum =
          weigh("g_" + argument.name, argument.type, weight);
      loss = loss.empty() ? sum : addUp(loss, sum);
    }
    std::vector<std::string> results = gradients("h", loss, floats());
    results.insert(results.begin(), {loss, "tensor<f64>"});
    return program(results);
  }

  std::vector<Argument> arguments;

private:
  std::string fresh() { return "%t" + std::to_string(counter++); }

  std::string addUp(const std::string &x, const std::string &y) {
    std::string sum = fresh();
    body += sum + " = smp.add " + x + ", " + y + " : tensor<f64>\n";
    return sum;
  }

  /// The sum of value * cos(weight).
  std::string weigh(const std::string &value, const std::string &type,
                    const std::string &weight) {
    std::string angle = fresh(), product = fresh();
    body += angle + " = smp.cos %" + weight + " : " + type + "\n";
    body +=
        product + " = smp.mul %" + value + ", " + angle + " : " + type + "\n";
    return total(product, type);
  }

  std::string total(const std::string &value, const std::string &type) {
    std::string sum = fresh(), dims;
    for (long i = 0, n = std::count(type.begin(), type.end(), 'x'); i < n; ++i)
      dims += (i ? ", " : ": ") + std::to_string(i);
    body += sum + " = smp.reduce sum " + value + " {dimensions = array<i64" +
            dims + ">} : (" + type + ") -> tensor<f64>\n";
    return sum;
  }

  std::string makeLoss() {
    body += "%square = smp.mul %r, %r : " + sample.result + "\n";
    std::string loss = weigh("square", sample.result, "weights");
    for (const Argument &argument : floats()) {
      std::string square = fresh();
      body += square + " = smp.mul %" + argument.name + ", %" + argument.name +
              " : " + argument.type + "\n";
      loss = addUp(loss, total(square, argument.type));
    }
    return loss;
  }

  /// Names and types, alternating.
  std::vector<std::string> gradients(const std::string &prefix,
                                     const std::string &loss,
                                     const std::vector<Argument> &wanted) {
    std::string names, values, types;
    std::vector<std::string> result;
    for (const Argument &argument : wanted) {
      const std::string comma = names.empty() ? "" : ", ";
      result.push_back("%" + prefix + "_" + argument.name);
      names += comma + result.back();
      values += comma + "%" + argument.name;
      types += comma + argument.type;
      result.push_back(argument.type);
    }
    body += names + " = smp.gradient " + loss + " of " + values +
            " : (tensor<f64>, " + types + ") -> (" + types + ")\n";
    return result;
  }

  std::string program(const std::vector<std::string> &results) const {
    std::string signature, declared, names, types;
    for (const Argument &argument : arguments)
      signature += (signature.empty() ? "%" : ", %") + argument.name + ": " +
                   argument.type + " {smp.name = \"" + argument.name + "\"}";
    for (size_t i = 0; i < results.size(); i += 2) {
      const std::string comma = i ? ", " : "";
      declared += comma + results[i + 1] + " {smp.name = \"r" +
                  std::to_string(i) + "\"}";
      names += comma + results[i];
      types += comma + results[i + 1];
    }
    return "smp.entry @f(" + signature + ") -> (" + declared + ") {\n" + body +
           "smp.return " + names + " : " + types + "\n}\n";
  }

  const GradientSample &sample;
  std::string body;
  int counter = 0;
};

class Gradient : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    ASSERT_TRUE(GetParam().sample)
        << "smp." << GetParam().op
        << " has a gradient but no sample in GradientSamples.cpp";
    context.loadDialect<ir::SmpDialect>();
  }

  /// Differentiates a program and makes it plain data.
  Graph compile(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return {};
    mlir::PassManager manager(&context);
    manager.addPass(passes::createDifferentiatePass());
    EXPECT_TRUE(mlir::succeeded(manager.run(*module))) << text;
    auto graph = ir::exportGraph(*module->getOps<ir::EntryOp>().begin());
    EXPECT_TRUE(mlir::succeeded(graph));
    return mlir::succeeded(graph) ? std::move(*graph) : Graph();
  }

  /// Values for the graph's inputs.
  std::vector<HostTensor> draw(const Graph &graph) {
    const GradientSample &sample = *GetParam().sample;
    std::mt19937_64 random(kSeed);
    std::uniform_real_distribution<double> real(sample.low, sample.high);
    std::vector<HostTensor> inputs;
    for (uint32_t input : graph.inputs) {
      HostTensor tensor = HostTensor::zeros(graph.values[input].type);
      auto whole = [&](auto list, uint64_t limit) {
        for (auto &item : list)
          item = std::decay_t<decltype(item)>(random() % limit);
      };
      if (tensor.type.dtype == DType::F64)
        for (double &item : tensor.as<double>())
          item = real(random);
      else if (tensor.type.dtype == DType::I64)
        whole(tensor.as<int64_t>(), sample.limit);
      else if (tensor.type.dtype == DType::I32)
        whole(tensor.as<int32_t>(), sample.limit);
      else
        whole(tensor.as<uint8_t>(), 2);
      inputs.push_back(std::move(tensor));
    }
    return inputs;
  }

  static std::vector<HostTensor> run(const Graph &graph,
                                     const std::vector<HostTensor> &inputs) {
    Evaluation result = evaluate(graph, inputs, [](std::string_view) {
      return static_cast<const HostTensor *>(nullptr);
    });
    EXPECT_TRUE(result.ok()) << result.error;
    return std::move(result.results);
  }

  /// Central differences of result 0 by the elements of an input, against what
  /// the graph gave.
  void compare(const Graph &graph, std::vector<HostTensor> inputs, size_t input,
               const HostTensor &gradient) {
    for (size_t i = 0; i < gradient.as<double>().size(); ++i) {
      constexpr double kStep = 1e-5;
      double &item = inputs[input].as<double>()[i];
      const double middle = item;
      item = middle + kStep;
      const double above = run(graph, inputs)[0].as<double>()[0];
      item = middle - kStep;
      const double below = run(graph, inputs)[0].as<double>()[0];
      item = middle;
      const double expected = (above - below) / (2 * kStep);
      const double actual = gradient.as<double>()[i];
      EXPECT_NEAR(actual, expected, 1e-6 * (1 + std::fabs(expected)))
          << GetParam().name << " input " << input << " element " << i
          << " seed " << kSeed;
    }
  }

  void compareAll(const ProgramText &text, const Graph &graph) {
    std::vector<HostTensor> inputs = draw(graph);
    std::vector<HostTensor> results = run(graph, inputs);
    size_t gradient = 1;
    for (size_t input = 0; input < text.arguments.size(); ++input)
      if (text.arguments[input].isFloat()) {
        ASSERT_LT(gradient, results.size());
        compare(graph, inputs, input, results[gradient++]);
      }
  }

  static constexpr uint64_t kSeed = 20;
  mlir::MLIRContext context;
};

TEST_P(Gradient, IsThatOfCentralDifferences) {
  ProgramText text(*GetParam().sample);
  compareAll(text, compile(text.once(text.floats())));
}

TEST_P(Gradient, OfTheGradientToo) {
  if (!GetParam().sample->twice)
    GTEST_SKIP() << "an op of the gradient has no rule: the sample says so";
  ProgramText text(*GetParam().sample);
  compareAll(text, compile(text.twice()));
}

TEST_P(Gradient, IsTheSameForEachArgumentAlone) {
  ProgramText text(*GetParam().sample);
  Graph all = compile(text.once(text.floats()));
  std::vector<HostTensor> inputs = draw(all);
  std::vector<HostTensor> expected = run(all, inputs);
  size_t gradient = 1;
  for (const Argument &argument : text.floats()) {
    Graph alone = compile(ProgramText(*GetParam().sample).once({argument}));
    EXPECT_LE(alone.ops.size(), all.ops.size());
    std::vector<HostTensor> actual = run(alone, inputs);
    ASSERT_EQ(actual.size(), 2u);
    EXPECT_EQ(actual[1].bytes, expected[gradient++].bytes) << argument.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Gradient, testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

TEST(GradientSamples, ContainTheirOps) {
  for (const GradientSample &sample : gradientSamples())
    EXPECT_NE(sample.ops.find("smp." + sample.op + " "), std::string::npos)
        << sample.op;
}

} // namespace
