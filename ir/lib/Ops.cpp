// SPDX-License-Identifier: Apache-2.0
// What TableGen makes of the ops.

#include "smp/ir/Smp.h"

using namespace mlir;

/// An enum attribute of an op as its word alone: `smp.reduce sum %x`.
template <typename AttrTy>
static ParseResult parseWord(OpAsmParser &parser, AttrTy &attribute) {
  using Enum = decltype(attribute.getValue());
  SMLoc where = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Enum> value = smp::ir::symbolizeEnum<Enum>(word);
  if (!value)
    return parser.emitError(where)
           << "'" << word << "' is no " << AttrTy::getMnemonic();
  attribute = AttrTy::get(parser.getContext(), *value);
  return success();
}

template <typename AttrTy>
static void printWord(OpAsmPrinter &printer, Operation *, AttrTy attribute) {
  printer << stringifyEnum(attribute.getValue());
}

#define GET_OP_CLASSES
#include "smp/ir/SmpOps.cpp.inc"
