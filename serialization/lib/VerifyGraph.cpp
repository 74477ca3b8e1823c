// SPDX-License-Identifier: Apache-2.0
#include "VerifyParts.h"

namespace smp {

namespace {
/// Checks that values are made once and before they are used.
class GraphVerifier {
public:
  GraphVerifier(const Program &program, const Entry &entry,
                const std::set<std::string_view> &variables)
      : program(program), entry(entry), graph(entry.graph),
        variables(variables), defined(graph.values.size()) {}

  Status verify(const Where &where) {
    for (size_t v = 0; v < graph.values.size(); ++v)
      SMP_RETURN_IF_ERROR(verifyType(graph.values[v].type,
                                     where.at("values", v).field("type")));
    SMP_RETURN_IF_ERROR(
        verifySignature(graph.inputs, entry.inputs, "inputs", where));
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      SMP_RETURN_IF_ERROR(define(graph.inputs[i], where.at("inputs", i)));
    for (size_t o = 0; o < graph.ops.size(); ++o)
      SMP_RETURN_IF_ERROR(verifyOp(graph.ops[o], where.at("ops", o)));
    SMP_RETURN_IF_ERROR(
        verifySignature(graph.outputs, entry.outputs, "outputs", where));
    for (size_t i = 0; i < graph.outputs.size(); ++i)
      SMP_RETURN_IF_ERROR(use(graph.outputs[i], where.at("outputs", i)));
    return Status();
  }

private:
  Status verifySignature(const std::vector<uint32_t> &list,
                         const std::vector<EntryTensor> &tensors,
                         const char *name, const Where &where) const {
    if (list.size() != tensors.size())
      return where.field(name).is("are " + std::to_string(list.size()) +
                                  ", those of the entry " +
                                  std::to_string(tensors.size()));
    for (size_t i = 0; i < list.size(); ++i) {
      const Where at = where.at(name, i);
      SMP_RETURN_IF_ERROR(
          at.checkIndex(list[i], graph.values.size(), "values"));
      const TensorType &type = graph.values[list[i]].type;
      if (type != tensors[i].type)
        return at.is("is a " + toString(type) + ", that of the entry a " +
                     toString(tensors[i].type));
    }
    return Status();
  }

  Status define(uint32_t value, const Where &where) {
    SMP_RETURN_IF_ERROR(where.checkIndex(value, graph.values.size(), "values"));
    if (defined[value])
      return where.is("is value " + std::to_string(value) +
                      ", which is made before");
    defined[value] = true;
    return Status();
  }

  Status use(uint32_t value, const Where &where) const {
    SMP_RETURN_IF_ERROR(where.checkIndex(value, graph.values.size(), "values"));
    if (!defined[value])
      return where.is("is value " + std::to_string(value) +
                      ", which is not made before");
    return Status();
  }

  Status verifyOp(const GraphOp &op, const Where &where) {
    if (op.mnemonic.empty())
      return where.field("mnemonic").is("is empty");
    for (size_t i = 0; i < op.operands.size(); ++i)
      SMP_RETURN_IF_ERROR(use(op.operands[i], where.at("operands", i)));
    for (size_t i = 0; i < op.results.size(); ++i)
      SMP_RETURN_IF_ERROR(define(op.results[i], where.at("results", i)));
    SMP_RETURN_IF_ERROR(verifyAttributes(op, where));
    return verifyPlacement(op.placement, where);
  }

  Status verifyPlacement(const Placement &placement, const Where &where) const {
    SMP_RETURN_IF_ERROR(where.field("origin").checkEnum(
        uint8_t(placement.origin), 0, uint8_t(Origin::Solver)));
    if (placement.partition == Placement::kAll)
      return Status();
    if (placement.partition < 0)
      return where.field("partition")
          .is("is " + std::to_string(placement.partition) +
              "; -1 is every device");
    return where.field("partition")
        .checkIndex(uint64_t(placement.partition), program.partitions,
                    "partitions");
  }

  Status verifyTensor(const std::string &name, const HostTensor &tensor,
                      const Where &where) const {
    SMP_RETURN_IF_ERROR(verifyType(tensor.type, where.field("tensor")));
    if (tensor.bytes.size() == size_t(tensor.type.bytes()))
      return Status();
    return where.is(quote(name) + " has " +
                    std::to_string(tensor.bytes.size()) + " bytes; a " +
                    toString(tensor.type) + " has " +
                    std::to_string(tensor.type.bytes()));
  }

  Status verifySplat(const std::string &name, const Splat &splat,
                     const Where &where) const {
    SMP_RETURN_IF_ERROR(verifyType(splat.type, where.field("splat")));
    if (splat.element.size() == sizeOf(splat.type.dtype))
      return Status();
    return where.is(quote(name) + " has " +
                    std::to_string(splat.element.size()) +
                    " bytes; an element of a " + toString(splat.type) +
                    " has " + std::to_string(sizeOf(splat.type.dtype)));
  }

  Status verifyAttributes(const GraphOp &op, const Where &where) const {
    for (const auto &[name, attribute] : op.attributes) {
      const Where at = where.field("attributes");
      if (const auto *tensor = std::get_if<HostTensor>(&attribute))
        SMP_RETURN_IF_ERROR(verifyTensor(name, *tensor, at));
      if (const auto *splat = std::get_if<Splat>(&attribute))
        SMP_RETURN_IF_ERROR(verifySplat(name, *splat, at));
    }
    if (op.mnemonic != "read" && op.mnemonic != "assign")
      return Status();
    auto found = op.attributes.find("variable");
    const std::string *variable =
        found == op.attributes.end() ? nullptr
                                     : std::get_if<std::string>(&found->second);
    if (!variable)
      return where.is("is a " + quote(op.mnemonic) +
                      " without the attribute 'variable'");
    if (!variables.count(*variable))
      return where.is("is a " + quote(op.mnemonic) + " of " + quote(*variable) +
                      ", which is no variable");
    return Status();
  }

  const Program &program;
  const Entry &entry;
  const Graph &graph;
  const std::set<std::string_view> &variables;
  std::vector<bool> defined;
};
} // namespace

Status verifyGraph(const Program &program, const Entry &entry,
                   const std::set<std::string_view> &variables,
                   const Where &where) {
  // A program may leave the graph out: nothing that runs depends on it.
  if (entry.graph.values.empty() && entry.graph.ops.empty())
    return Status();
  return GraphVerifier(program, entry, variables).verify(where.field("graph"));
}

} // namespace smp
