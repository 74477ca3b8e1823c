// SPDX-License-Identifier: Apache-2.0
#include "RandomModule.h"
#include <vector>

namespace smp::test {
namespace {

struct Value {
  std::string name;
  unsigned rows = 0, columns = 0; ///< Without columns: of one dimension.
  bool isUsed = false;

  std::string type() const {
    return "tensor<" + std::to_string(rows) +
           (columns ? "x" + std::to_string(columns) : "") + "xf32>";
  }
};

class Writer {
public:
  Writer(std::mt19937 &random, bool isTrained)
      : random(random), isTrained(isTrained) {}

  std::string write(unsigned most) {
    const unsigned inputs = 1 + below(2);
    const unsigned rows = size();
    std::string arguments;
    for (unsigned i = 0; i < inputs; ++i) {
      const std::string number = std::to_string(i);
      values.push_back({"%x" + number, rows, size()});
      arguments += (i ? ", %x" : "%x") + number + ": " + values[i].type() +
                   " {smp.name = \"x" + number +
                   "\", smp.batch_axis = 0 : i64}";
    }
    addProduct();
    for (unsigned count = 1 + below(most - 1); count > 0; --count)
      addOp();
    const std::string end = isTrained ? addLoss() : addResults();
    return variables + "smp.entry @predict(" + arguments + ") -> (" + results +
           ") {\n" + reads + ops + end + "}\n";
  }

private:
  unsigned below(unsigned count) { return unsigned(random() % count); }
  unsigned size() { return 16u << below(4); }

  /// A value of two dimensions, more often a late one.
  size_t pick() {
    for (;;) {
      const size_t i = values.size() - 1 -
                       std::min(below(unsigned(values.size())),
                                below(unsigned(values.size())));
      if (values[i].columns)
        return i;
    }
  }

  size_t pickOf(const std::string &type) {
    for (;;)
      if (const size_t i = below(unsigned(values.size()));
          values[i].type() == type)
        return i;
  }

  Value &use(size_t i) {
    values[i].isUsed = true;
    return values[i];
  }

  /// Reads a parameter, of a shape that there is already now and then the same.
  std::string parameter(const std::string &type) {
    for (const auto &[name, known] : parameters)
      if (known == type && below(3) == 0)
        return name;
    const std::string number = std::to_string(parameters.size());
    variables += "smp.variable @p" + number + " parameter : " + type +
                 " = #smp.splat<0.01>\n";
    reads += "  %p" + number + " = smp.read @p" + number + " : " + type + "\n";
    parameters.emplace_back("%p" + number, type);
    return "%p" + number;
  }

  std::string result(unsigned rows, unsigned columns) {
    const std::string number = std::to_string(values.size());
    values.push_back({"%v" + number, rows, columns});
    return "  %v" + number + " = ";
  }

  void addOp() {
    switch (below(8)) {
    case 0:
    case 1:
    case 2:
      return addProduct();
    case 3:
      return addReduction();
    case 4:
      return addBinary(/*hasParameter=*/true);
    case 5:
      return addBinary(/*hasParameter=*/false);
    default:
      return addUnary();
    }
  }

  void addProduct() {
    const Value from = use(pick());
    const Value weight{"", from.columns, size()};
    const std::string name = parameter(weight.type());
    const std::string to = result(from.rows, weight.columns);
    ops += to + "smp.dot_general " + from.name + ", " + name +
           " {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch "
           "= array<i64>, rhs_contract = array<i64: 0>} : (" +
           from.type() + ", " + weight.type() + ") -> " + values.back().type() +
           "\n";
  }

  void addReduction() {
    const Value from = use(pick());
    const std::string to = result(from.rows, 0);
    ops += to + "smp.reduce " + (below(2) ? "sum " : "max ") + from.name +
           " {dimensions = array<i64: 1>} : (" + from.type() + ") -> " +
           values.back().type() + "\n";
  }

  void addUnary() {
    const Value from = use(pick());
    const char *const names[] = {"exp", "tanh", "relu"};
    const std::string to = result(from.rows, from.columns);
    ops += to + "smp." + names[below(3)] + " " + from.name + " : " +
           from.type() + "\n";
  }

  void addBinary(bool hasParameter) {
    const Value from = use(pick());
    const std::string other =
        hasParameter ? parameter(from.type()) : use(pickOf(from.type())).name;
    const std::string to = result(from.rows, from.columns);
    ops += to + "smp." + (below(2) ? "add " : "mul ") + from.name + ", " +
           other + " : " + from.type() + "\n";
  }

  /// All that nobody uses.
  std::string addResults() {
    std::string names, types;
    for (const Value &value : values)
      if (!value.isUsed && value.name[1] == 'v') {
        const std::string separator = names.empty() ? "" : ", ";
        names += separator + value.name;
        types += separator + value.type();
        results += separator + value.type() + " {smp.name = \"" +
                   value.name.substr(1) + "\"}";
      }
    return "  smp.return " + names + " : " + types + "\n";
  }

  /// The sum of all that nobody uses.
  std::string addLoss() {
    std::string sum;
    const size_t count = values.size();
    for (size_t i = 0; i < count; ++i) {
      if (values[i].isUsed || values[i].name[1] != 'v')
        continue;
      const std::string number = std::to_string(i);
      ops += "  %s" + number + " = smp.reduce sum " + values[i].name +
             " {dimensions = array<i64: 0" + (values[i].columns ? ", 1" : "") +
             ">} : (" + values[i].type() + ") -> tensor<f32>\n";
      if (!sum.empty())
        ops += "  %t" + number + " = smp.add " + sum + ", %s" + number +
               " : tensor<f32>\n";
      sum = (sum.empty() ? "%s" : "%t") + number;
    }
    results = "tensor<f32> {smp.name = \"loss\"}";
    return "  smp.return " + sum + " : tensor<f32>\n";
  }

  std::mt19937 &random;
  const bool isTrained;
  std::vector<Value> values;
  std::vector<std::pair<std::string, std::string>> parameters; ///< And types.
  std::string variables, reads, ops, results;
};

} // namespace

std::string randomModule(std::mt19937 &random, unsigned most, bool isTrained) {
  return Writer(random, isTrained).write(most);
}

} // namespace smp::test
