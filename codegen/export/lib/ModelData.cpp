// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/export/ModelData.h"
#include "smp/ir/ModelTypes.h"
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

static Initializer initializerOf(mlir::Attribute attribute) {
  if (auto splat = mlir::dyn_cast<ir::SplatAttr>(attribute))
    return {Initializer::Kind::Splat, splat.getValue().convertToDouble(), 0, 0};
  if (auto normal = mlir::dyn_cast<ir::NormalAttr>(attribute))
    return {Initializer::Kind::Normal, normal.getMean().convertToDouble(),
            normal.getStddev().convertToDouble(), normal.getSeed()};
  if (auto uniform = mlir::dyn_cast<ir::UniformAttr>(attribute))
    return {Initializer::Kind::Uniform, uniform.getLow().convertToDouble(),
            uniform.getHigh().convertToDouble(), uniform.getSeed()};
  return {};
}

Variable toModel(ir::VariableOp variable) {
  return {variable.getSymName().str(), ir::toModel(variable.getTensorType()),
          toModel(variable.getKind()),
          initializerOf(variable.getInitializer())};
}

} // namespace smp::codegen
