// SPDX-License-Identifier: Apache-2.0
#include "Enums.h"
#include "llvm/Support/ErrorHandling.h"

namespace smp::codegen {

Mode toModel(ir::Mode mode) {
  switch (mode) {
  case ir::Mode::Train:
    return Mode::Train;
  case ir::Mode::Eval:
    return Mode::Eval;
  case ir::Mode::Predict:
    return Mode::Predict;
  case ir::Mode::Global:
    return Mode::Global;
  }
  llvm_unreachable("every mode is one of these");
}

VariableKind toModel(ir::VariableKind kind) {
  switch (kind) {
  case ir::VariableKind::Parameter:
    return VariableKind::Parameter;
  case ir::VariableKind::Optimizer:
    return VariableKind::Optimizer;
  case ir::VariableKind::State:
    return VariableKind::State;
  case ir::VariableKind::Random:
    return VariableKind::Random;
  case ir::VariableKind::Constant:
    return VariableKind::Constant;
  case ir::VariableKind::Accumulator:
    return VariableKind::Accumulator;
  }
  llvm_unreachable("every kind is one of these");
}

Unit toModel(ir::Unit unit) {
  switch (unit) {
  case ir::Unit::Forward:
    return Unit::Forward;
  case ir::Unit::BackwardInput:
    return Unit::BackwardInput;
  case ir::Unit::BackwardWeight:
    return Unit::BackwardWeight;
  case ir::Unit::Update:
    return Unit::Update;
  case ir::Unit::Prepare:
    return Unit::Prepare;
  }
  llvm_unreachable("every unit is one of these");
}

} // namespace smp::codegen
