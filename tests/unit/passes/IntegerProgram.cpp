// SPDX-License-Identifier: Apache-2.0
#include "IntegerProgram.h"
#include <algorithm>
#include <cassert>
#include <charconv>
#include <map>

namespace smp::passes {

namespace {

/// x_i_p: item i is on partition p, 0 or 1. Everything else is as small as the
/// rows let it be: load, the greatest load; s_t_p, how long p sends tensor t;
/// r_t_p_q, at least 1 where q gets it from p; w_p, work bytes; o_p, the place
/// of p in an order in which values move.
class Writer {
public:
  explicit Writer(const PartitionProblem &problem) : problem(problem) {}

  std::string write() {
    addItems();
    for (uint32_t p = 0; p < problem.getNumPartitions(); ++p)
      addLimit(p);
    for (size_t t = 0; t < problem.getTensors().size(); ++t)
      addTensor(t);
    for (const auto &[p, terms] : loads)
      addRow(terms + " - load <= 0");
    return "Minimize\n obj: load\nSubject To\n" + rows + "Binaries\n" +
           binaries + "End\n";
  }

private:
  using Item = uint32_t;
  using Partition = uint32_t;

  static std::string number(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  }
  static std::string name(const char *kind, size_t a) {
    return kind + ("_" + std::to_string(a));
  }
  template <typename... Rest>
  static std::string name(const char *kind, size_t a, Rest... rest) {
    return name(name(kind, a).c_str(), rest...);
  }
  static std::string x(Item i, Partition p) { return name("x", i, p); }
  static std::string term(double factor, const std::string &variable) {
    return "\n + " + number(factor) + " " + variable;
  }
  void addRow(const std::string &row) {
    rows += name(" c", numRows++) + ": " + row + "\n";
  }

  void addItems() {
    const uint32_t partitions = problem.getNumPartitions();
    const double perSecond = problem.costPerSecond();
    for (Item i = 0; i < problem.getItems().size(); ++i) {
      const PartitionItem &item = problem.getItems()[i];
      std::string all;
      for (Partition p = 0; p < partitions; ++p) {
        binaries += " " + x(i, p) + "\n";
        all += term(1, x(i, p));
        loads[p] += term(problem.secondsOf(item, p) * perSecond +
                             double(item.residentBytes) * problem.costPerByte(),
                         x(i, p));
        if (!item.allowed.empty() &&
            !std::count(item.allowed.begin(), item.allowed.end(), p))
          addRow(x(i, p) + " = 0");
      }
      addRow(all + " = 1");
    }
    for (const auto &pin : problem.getPins())
      addRow(x(pin.item, pin.partition) + " = 1");
    for (const auto &tie : problem.getTies())
      for (Partition p = 0; p < partitions && tie.a != tie.b; ++p)
        addRow(x(tie.a, p) + " - " + x(tie.b, p) + " = 0");
  }

  void addLimit(Partition p) {
    const auto limit = problem.getMemoryLimit(p);
    if (!limit)
      return;
    std::string sum = term(1, name("w", p));
    for (Item i = 0; i < problem.getItems().size(); ++i) {
      const PartitionItem &item = problem.getItems()[i];
      sum += term(double(item.residentBytes), x(i, p));
      addRow(name("w", p) + " - " + number(double(item.workBytes)) + " " +
             x(i, p) + " >= 0");
    }
    addRow(sum + " <= " + number(double(*limit)));
  }

  void addTensor(size_t t) {
    const PartitionProblem::Tensor &tensor = problem.getTensors()[t];
    const uint32_t partitions = problem.getNumPartitions();
    for (Partition p = 0; p < partitions; ++p) {
      loads[p] += term(problem.costPerSecond(), name("s", t, p));
      for (Partition q = 0; q < partitions; ++q) {
        if (p == q)
          continue;
        const TransferCost cost = problem.costOf(tensor, p, q);
        loads[q] += term(problem.costPerSecond() * cost.receiverSeconds,
                         name("r", t, p, q));
        addRow(name("s", t, p) + " - " + number(cost.senderSeconds) + " " +
               name("r", t, p, q) + " >= 0");
        for (Item consumer : tensor.consumers)
          addRow(name("r", t, p, q) + " - " + x(tensor.producer, p) + " - " +
                 x(consumer, q) + " >= -1");
      }
    }
    if (problem.getContiguity() == Contiguity::Required &&
        !problem.getItems()[tensor.producer].isBackward)
      for (Item consumer : tensor.consumers)
        if (!problem.getItems()[consumer].isBackward)
          addOrder(tensor.producer, consumer);
  }

  /// Partitions have their consumers' partitions behind them.
  void addOrder(Item producer, Item consumer) {
    const uint32_t partitions = problem.getNumPartitions();
    const std::string far = number(partitions);
    for (Partition p = 0; p < partitions; ++p)
      for (Partition q = 0; q < partitions; ++q)
        if (p != q)
          addRow(name("o", q) + " - " + name("o", p) + " - " + far + " " +
                 x(producer, p) + " - " + far + " " + x(consumer, q) +
                 " >= " + number(1.0 - 2.0 * partitions));
    for (Partition p = 0; p < partitions; ++p)
      addRow(name("o", p) + " <= " + number(partitions - 1.0));
  }

  const PartitionProblem &problem;
  std::map<Partition, std::string> loads;
  std::string rows, binaries;
  size_t numRows = 0;
};

} // namespace

std::string writeIntegerProgram(const PartitionProblem &problem) {
  assert(problem.getObjective() == Objective::Throughput);
  return Writer(problem).write();
}

} // namespace smp::passes
