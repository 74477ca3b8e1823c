// SPDX-License-Identifier: Apache-2.0
#include "Message.h"
#include "ToSavedModel.h"

namespace smp::tensorflow {

namespace {

class SaverNodes {
public:
  SaverNodes(const std::vector<Weight> &weights, exporter::Nodes &names,
             proto::tensorflow::MetaGraph &to)
      : weights(weights), names(names), graph(*to.mutable_graph_def()), to(to) {
  }

  void run() {
    const std::string prefix = addPrefix();
    inputs = {prefix, addTexts("tensor_names", keys()),
              addTexts("slices", std::vector<std::string>(weights.size()))};
    to.mutable_saver_def()->set_filename_tensor_name(prefix + ":0");
    to.mutable_saver_def()->set_save_tensor_name(addSave(prefix) + ":0");
    to.mutable_saver_def()->set_restore_op_name(addRestore());
    to.mutable_saver_def()->set_version(2);
  }

private:
  proto::tensorflow::Node &add(const char *type, const char *name) {
    return addNode(graph, type, names.fresh(std::string("save/") + name));
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> list;
    for (const Weight &weight : weights)
      list.push_back(weight.key);
    return list;
  }

  std::string addTexts(const char *name, const std::vector<std::string> &texts,
                       const Shape &shape) {
    proto::tensorflow::Node &node = add("Const", name);
    addAttribute(node, "dtype").set_type(kTensorFlowString);
    proto::tensorflow::Tensor &tensor =
        *addAttribute(node, "value").mutable_tensor();
    tensor.set_dtype(kTensorFlowString);
    fill(*tensor.mutable_tensor_shape(), shape);
    for (const std::string &text : texts)
      tensor.add_string_val(text);
    return node.name();
  }
  std::string addTexts(const char *name,
                       const std::vector<std::string> &texts) {
    return addTexts(name, texts, {int64_t(texts.size())});
  }

  /// What the names of the bundle's files begin with: whoever loads says it.
  std::string addPrefix() {
    const std::string otherwise = addTexts("prefix/default", {"model"}, {});
    proto::tensorflow::Node &node = add("PlaceholderWithDefault", "prefix");
    node.add_input(otherwise);
    addAttribute(node, "dtype").set_type(kTensorFlowString);
    addAttribute(node, "shape").mutable_shape();
    return node.name();
  }

  /// With the inputs and types that saving and restoring have alike.
  proto::tensorflow::Node &addTransfer(const char *type) {
    proto::tensorflow::Node &node = add(type, type);
    for (const std::string &input : inputs)
      node.add_input(input);
    auto &types = *addAttribute(node, "dtypes").mutable_list();
    for (const Weight &weight : weights)
      types.add_type(toTensorFlow(weight.type.dtype));
    return node;
  }

  /// Gives the prefix when all is saved.
  std::string addSave(const std::string &prefix) {
    proto::tensorflow::Node &save = addTransfer("SaveV2");
    for (const Weight &weight : weights)
      save.add_input(weight.value);
    const std::string saved = save.name();
    proto::tensorflow::Node &node = add("Identity", "saved");
    node.add_input(prefix);
    node.add_input("^" + saved);
    addAttribute(node, "T").set_type(kTensorFlowString);
    return node.name();
  }

  std::string addRestore() {
    const std::string restored = addTransfer("RestoreV2").name();
    std::vector<std::string> assigned;
    for (size_t i = 0; i < weights.size(); ++i) {
      proto::tensorflow::Node &node = add("AssignVariableOp", "assign");
      node.add_input(weights[i].handle);
      node.add_input(i ? restored + ":" + std::to_string(i) : restored);
      addType(node, "dtype", weights[i].type.dtype);
      assigned.push_back(node.name());
    }
    proto::tensorflow::Node &all = add("NoOp", "restored");
    for (const std::string &node : assigned)
      all.add_input("^" + node);
    collect(assigned);
    return all.name();
  }

  /// The collection by which TensorFlow finds variables.
  void collect(const std::vector<std::string> &assigned) {
    auto &collection = *to.add_collection_def();
    collection.set_key("variables");
    auto &list = *collection.mutable_value()->mutable_bytes_list();
    for (size_t i = 0; i < weights.size(); ++i) {
      proto::tensorflow::Variable variable;
      variable.set_variable_name(weights[i].handle + ":0");
      variable.set_initializer_name(assigned[i]);
      variable.set_snapshot_name(weights[i].value + ":0");
      variable.set_is_resource(true);
      list.add_value(variable.SerializeAsString());
    }
  }

  const std::vector<Weight> &weights;
  exporter::Nodes &names;
  proto::tensorflow::Graph &graph;
  proto::tensorflow::MetaGraph &to;
  std::vector<std::string> inputs; // The prefix, the keys, the slices.
};

} // namespace

void addSaver(const std::vector<Weight> &weights, exporter::Nodes &names,
              proto::tensorflow::MetaGraph &to) {
  SaverNodes(weights, names, to).run();
}

} // namespace smp::tensorflow
