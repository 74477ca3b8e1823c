// SPDX-License-Identifier: Apache-2.0
#include "PinSeconds.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include <algorithm>

using namespace mlir;

namespace smp::compile {

/// The name of an op, or of the one that it is a part of.
static std::string nameOf(const GraphOp &op) {
  auto whole = op.attributes.find("smp.part_of");
  const auto *text = whole == op.attributes.end()
                         ? nullptr
                         : std::get_if<std::string>(&whole->second);
  return text ? *text : op.name;
}

void notePinSeconds(ModuleOp module, const passes::Explanation &explanation,
                    std::map<std::string, Graph> &graphs) {
  std::map<std::string, double> ofPin;
  for (const passes::Explanation::Pin &pin : explanation.pins)
    if (pin.bottleneck)
      ofPin[pin.name] = std::max(0.0, explanation.bottleneck - *pin.bottleneck);
  std::map<std::string, double> ofName;
  for (auto entry : module.getOps<ir::EntryOp>())
    for (Operation &op : entry.getBody().front())
      if (auto placement = ir::getPlacement(&op);
          placement && placement.isUser())
        if (auto pin = ofPin.find(passes::describe(&op)); pin != ofPin.end())
          if (std::string name = ir::getOriginName(&op).str(); !name.empty())
            ofName[name] = pin->second;
  for (auto &[name, graph] : graphs)
    for (GraphOp &op : graph.ops)
      if (op.placement.origin == Origin::User)
        if (auto found = ofName.find(nameOf(op)); found != ofName.end())
          op.attributes["smp.pin_seconds"] = found->second;
}

} // namespace smp::compile
