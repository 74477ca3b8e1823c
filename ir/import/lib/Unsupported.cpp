// SPDX-License-Identifier: Apache-2.0
// Tells all operators that cannot be imported at once.

#include "Importer.h"
#include "OpTable.h"
#include "smp/base/Lists.h"
#include "llvm/ADT/MapVector.h"

namespace smp::frontend {

namespace {
/// Looks through nodes, their bodies and the functions that they call.
class Survey {
public:
  explicit Survey(const Functions &functions) : functions(functions) {}

  using Opsets = std::map<std::string, int64_t>; // By domain.

  void addNodes(const NodeList &nodes, const Opsets &opsets) {
    for (const onnx::NodeProto &node : nodes)
      addNode(node, opsets);
  }

  std::string text() const {
    if (refused.empty())
      return {};
    return "uses " + std::to_string(refused.size()) +
           (refused.size() == 1 ? " operator" : " operators") +
           " that cannot be imported: " +
           smp::join(refused, "; ", [](const auto &each) {
             const auto &[operatorName, found] = each;
             return operatorName + " (" + std::to_string(found.count) +
                    (found.count == 1 ? " node, '" : " nodes, the first '") +
                    found.firstNode + "'): " + found.reason;
           });
  }

private:
  struct Refusal {
    int count = 0;
    std::string firstNode, reason;
  };

  void addNode(const onnx::NodeProto &node, const Opsets &opsets) {
    auto function = functions.find(
        functionKey(node.domain(), node.op_type(), overloadOf(node)));
    if (function != functions.end())
      return addFunction(*function->second, opsets);
    std::string reason = whyRefused(node, opsetOf(opsets, node.domain()));
    if (!reason.empty()) {
      std::string name =
          isOnnxDomain(node.domain()) ? "" : node.domain() + "::";
      Refusal &refusal = refused[name + node.op_type()];
      if (refusal.count++ == 0) {
        refusal.firstNode = node.name();
        refusal.reason = reason;
      }
    }
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        addNodes(attribute.g().node(), opsets);
  }

  void addFunction(const onnx::FunctionProto &function, Opsets opsets) {
    if (!visited.insert(&function).second || depth >= kMaxNesting)
      return;
    for (const onnx::OperatorSetIdProto &own : function.opset_import())
      opsets[isOnnxDomain(own.domain()) ? "" : own.domain()] = own.version();
    ++depth;
    addNodes(function.node(), opsets);
    --depth;
  }

  static std::string whyRefused(const onnx::NodeProto &node, int64_t opset) {
    if (!isKnownDomain(node.domain()))
      return "domain '" + node.domain() + "' is not known";
    if (opset == 0)
      return "the model does not say which version of its operators it uses "
             "(opset_import)";
    Rule rule = findRule(node.domain(), node.op_type(), opset);
    if (rule.row)
      return rule.row->import ? "" : rule.row->change;
    if (rule.firstVersion && opset < kFirstOpset)
      return "its version in opset " + std::to_string(opset) +
             " is not supported; convert the model to opset " +
             std::to_string(kFirstOpset) + " or newer";
    if (rule.firstVersion)
      return "it came with opset " + std::to_string(rule.firstVersion) +
             ", the model uses " + std::to_string(opset);
    return "no such operator is known";
  }

  const Functions &functions;
  llvm::MapVector<std::string, Refusal, std::map<std::string, unsigned>>
      refused;
  llvm::DenseSet<const onnx::FunctionProto *> visited;
  int depth = 0;
};
} // namespace

std::string listUnsupported(const onnx::ModelProto &model, const Frame &frame,
                            const Functions &functions) {
  Survey survey(functions);
  survey.addNodes(model.graph().node(), frame.opsets);
  return survey.text();
}

} // namespace smp::frontend
