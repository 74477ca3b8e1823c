// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/BatchRows.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/passes/EntryWeights.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

namespace {
struct RowsOfInput {
  int64_t rows;
  std::string input; ///< With its batch axis, as x[0].
};
} // namespace

/// Of the inputs that a caller gives.
static void collectRows(EntryOp entry, SmallVector<RowsOfInput> &all) {
  for (BlockArgument input : entry.getArguments()) {
    const unsigned i = input.getArgNumber();
    auto axis = entry.getArgAttrOfType<IntegerAttr>(i, kBatchAxisAttr);
    if (!axis || entry.getArgAttr(i, kIsMicrobatchAttr))
      continue;
    all.push_back(
        {cast<RankedTensorType>(input.getType()).getDimSize(axis.getInt()),
         (getValueName(input) + "[" + Twine(axis.getInt()) + "]").str()});
  }
}

FailureOr<int64_t> rowsOfMicrobatch(ModuleOp module) {
  const EntryWeights weights(module);
  SmallVector<RowsOfInput> all;
  for (auto entry : module.getOps<EntryOp>())
    if (weights.of(entry) > EntryWeights::kLeast)
      collectRows(entry, all);
  if (all.empty())
    return module.emitError()
           << "a microbatch has no number of rows, since no input says what "
              "its rows are along; say so by --batch, or smp.batch_axis in "
              "text";
  for (const RowsOfInput &other : all)
    if (other.rows != all.front().rows)
      return module.emitError()
             << "a microbatch has no number of rows: " << all.front().input
             << " is " << all.front().rows << " long and " << other.input
             << " is " << other.rows
             << "; make them as long as each other, or say the number of "
                "microbatches";
  return all.front().rows;
}

} // namespace smp::passes
