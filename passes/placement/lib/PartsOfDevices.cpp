// SPDX-License-Identifier: Apache-2.0
// Each part is a partition of its own to the solver; then parts are given to
// devices in the order in which the model needs them. Where pins say on which
// device an item is, any of the device's parts may have it.
#include "PartsOfDevices.h"
#include "smp/passes/planning/PartitionSolver.h"
#include <algorithm>

namespace smp::passes {
namespace {

/// What of one stage for each part is worth: without it parts of a device
/// would be one.
constexpr double kPartWorth = 2;

class PartSolver {
public:
  PartSolver(const PartitionProblem &problem, uint32_t devices, uint32_t parts,
             PartOrder order)
      : problem(problem), devices(devices), parts(parts), order(order),
        pinOf(problem.getItems().size(), kNoPin) {
    for (const PartitionProblem::Pin &pin : problem.getPins())
      pinOf[pin.item] = pin.partition;
  }

  std::variant<std::vector<uint32_t>, PartitionConflict> run() {
    const PartitionProblem question = ask();
    PartitionResult result = solvePartition(question);
    if (auto *conflict = std::get_if<PartitionConflict>(&result))
      return std::move(*conflict);
    std::vector<uint32_t> partOf =
        std::get<PartitionAnswer>(result).partitionOf;
    if (problem.getPins().empty())
      sortParts(partOf);
    for (uint32_t &part : partOf)
      part = deviceOf(part);
    return partOf;
  }

private:
  static constexpr uint32_t kNoPin = ~uint32_t(0);

  uint32_t deviceOf(uint32_t part) const {
    const uint32_t turn = part / devices, place = part % devices;
    return order == PartOrder::There && turn % 2 == 1 ? devices - 1 - place
                                                      : place;
  }

  PartitionProblem ask() const {
    PartitionProblem question(devices * parts);
    for (uint32_t i = 0; i < pinOf.size(); ++i) {
      PartitionItem item = problem.getItems()[i];
      for (uint32_t part = 0; pinOf[i] != kNoPin && part < devices * parts;
           ++part)
        if (deviceOf(part) == pinOf[i])
          item.allowed.push_back(part);
      question.addItem(std::move(item));
    }
    for (const PartitionProblem::Tensor &tensor : problem.getTensors())
      question.addTensor(tensor);
    for (const PartitionProblem::Tie &tie : problem.getTies())
      question.colocate(tie.a, tie.b, tie.variable);
    question.setMemoryWeight(problem.getMemoryWeight());
    if (parts > 1)
      question.preferContiguous(kPartWorth);
    else if (problem.getContiguity() == Contiguity::Preferred)
      question.preferContiguous(problem.getContiguousWorth());
    for (uint32_t part = 0; parts == 1 && part < devices; ++part)
      if (const auto limit = problem.getMemoryLimit(part))
        question.setMemoryLimit(part, *limit);
    return question;
  }

  /// By the first item that they have: items are in the order of the model.
  void sortParts(std::vector<uint32_t> &partOf) const {
    std::vector<uint32_t> numberOf(devices * parts, kNoPin);
    uint32_t next = 0;
    for (uint32_t &part : partOf) {
      if (numberOf[part] == kNoPin)
        numberOf[part] = next++;
      part = numberOf[part];
    }
  }

  const PartitionProblem &problem;
  const uint32_t devices, parts;
  const PartOrder order;
  std::vector<uint32_t> pinOf; ///< By item.
};

} // namespace

std::variant<std::vector<uint32_t>, PartitionConflict>
solveParts(const PartitionProblem &problem, uint32_t devices, uint32_t parts,
           PartOrder order) {
  return PartSolver(problem, devices, parts, order).run();
}

} // namespace smp::passes
