// SPDX-License-Identifier: Apache-2.0
#include "PrepareModel.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "smp/passes/EntryWeights.h"

using namespace mlir;

namespace smp::compile {

namespace {
/// An entry of a model for microbatches of so many rows.
struct SizedEntry {
  ir::EntryOp entry;
  int64_t rows;
};

struct Input {
  std::string name;
  TensorType type;
  TensorType ofRow; ///< With one row, where it has rows.
};
} // namespace

/// Those that a caller gives.
static std::vector<Input> inputsOf(ir::EntryOp entry) {
  std::vector<Input> inputs;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    const auto number = unsigned(i);
    if (entry.getArgAttr(number, ir::kIsMicrobatchAttr))
      continue;
    Input &input = inputs.emplace_back();
    auto name = entry.getArgAttrOfType<StringAttr>(number, ir::kNameAttr);
    input.name = name.str();
    input.type = input.ofRow = ir::toModel(cast<RankedTensorType>(type));
    if (auto axis =
            entry.getArgAttrOfType<IntegerAttr>(number, ir::kBatchAxisAttr))
      input.ofRow.shape[size_t(axis.getInt())] = 1;
  }
  return inputs;
}

static std::optional<int64_t> rowsOfStep(SizedEntry of) {
  auto count = of.entry->getAttrOfType<IntegerAttr>(ir::kMicrobatchesAttr);
  return count ? std::optional(count.getInt() * of.rows) : std::nullopt;
}

static LogicalResult checkSteps(SizedEntry of, SizedEntry first) {
  const std::optional<int64_t> rows = rowsOfStep(of),
                               firstRows = rowsOfStep(first);
  if (rows == firstRows)
    return success();
  auto say = [](std::optional<int64_t> count) {
    return count ? std::to_string(*count) : std::string("any number of");
  };
  return of.entry.emitError()
         << "a step of entry '" << of.entry.getSymName() << "' has "
         << say(rows) << " rows where a microbatch has " << of.rows << ", and "
         << say(firstRows) << " where it has " << first.rows
         << "; say the rows of a step, which are the same for each size";
}

static LogicalResult checkInputs(SizedEntry of, SizedEntry first) {
  const std::vector<Input> inputs = inputsOf(of.entry),
                           firstInputs = inputsOf(first.entry);
  if (inputs.size() != firstInputs.size())
    return of.entry.emitError()
           << "entry '" << of.entry.getSymName() << "' has " << inputs.size()
           << " inputs where a microbatch has " << of.rows << " rows, and "
           << firstInputs.size() << " where it has " << first.rows
           << "; build the same model for each size";
  for (const auto &[input, other] : llvm::zip(inputs, firstInputs))
    if (input.name != other.name || input.ofRow != other.ofRow)
      return of.entry.emitError()
             << "input '" << input.name << "' of entry '"
             << of.entry.getSymName() << "' is " << toString(input.type)
             << " where a microbatch has " << of.rows << " rows, and '"
             << other.name << "' " << toString(other.type) << " where it has "
             << first.rows
             << ": sizes are of what rows are along, and of nothing else";
  return success();
}

LogicalResult checkSizes(ArrayRef<PreparedModel> models) {
  ModuleOp first = models.front().module;
  const passes::EntryWeights weights(first);
  for (const PreparedModel &model : models.drop_front()) {
    ModuleOp module = model.module;
    for (auto entry : first.getOps<ir::EntryOp>()) {
      if (weights.of(entry) <= passes::EntryWeights::kLeast)
        continue;
      auto same = module.lookupSymbol<ir::EntryOp>(entry.getSymName());
      if (!same)
        return module.emitError()
               << "there is no entry '" << entry.getSymName()
               << "' where a microbatch has " << model.rows
               << " rows; build the same model for each size";
      const SizedEntry of{same, model.rows},
          ofFirst{entry, models.front().rows};
      if (failed(checkSteps(of, ofFirst)) || failed(checkInputs(of, ofFirst)))
        return failure();
    }
  }
  return success();
}

} // namespace smp::compile
