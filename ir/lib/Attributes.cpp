// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/DialectImplementation.h"
#include "smp/ir/Smp.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace smp::ir;

static ParseResult parsePartition(AsmParser &parser, int64_t &partition) {
  if (succeeded(parser.parseOptionalKeyword("all"))) {
    partition = PlacementAttr::kAll;
    return success();
  }
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseInteger(partition))
    return failure();
  if (partition < 0)
    return parser.emitError(where) << "partition " << partition
                                   << " is negative; write 0, 1, ... or all";
  return success();
}

static void printPartition(AsmPrinter &printer, int64_t partition) {
  if (partition == PlacementAttr::kAll)
    printer << "all";
  else
    printer << partition;
}

static ParseResult parseDouble(AsmParser &parser, FailureOr<APFloat> &value) {
  double parsed;
  if (parser.parseFloat(parsed))
    return failure();
  value = APFloat(parsed);
  return success();
}

static void printDouble(AsmPrinter &printer, const APFloat &value) {
  printer.printFloat(value);
}

#include "smp/ir/SmpEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "smp/ir/SmpAttributes.cpp.inc"

LogicalResult JoinAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               JoinKind kind, StringAttr reason) {
  if ((kind == JoinKind::Mixed) == bool(reason))
    return success();
  return emitError() << "a join of kind " << stringifyJoinKind(kind)
                     << (reason ? " has no reason to give; only mixed does"
                                : " needs a reason: which op mixes rows");
}

void SmpDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "smp/ir/SmpAttributes.cpp.inc"
      >();
}
