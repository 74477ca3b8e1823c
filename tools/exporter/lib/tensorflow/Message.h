// SPDX-License-Identifier: Apache-2.0
// What messages of TensorFlow's are filled with.

#ifndef SMP_TOOLS_EXPORTER_MESSAGE_H
#define SMP_TOOLS_EXPORTER_MESSAGE_H

#include "SavedModel.pb.h"
#include "smp/tools/TensorBundle.h"

namespace smp::tensorflow {

inline void fill(proto::tensorflow::Shape &to, const Shape &shape) {
  for (const int64_t size : shape)
    to.add_dim()->set_size(size);
}

/// Appends a node that is called `name`.
inline proto::tensorflow::Node &addNode(proto::tensorflow::Graph &graph,
                                        const char *type,
                                        const std::string &name) {
  proto::tensorflow::Node &node = *graph.add_node();
  node.set_name(name);
  node.set_op(type);
  return node;
}

/// Appends an attribute, to be filled.
inline proto::tensorflow::Value &addAttribute(proto::tensorflow::Node &node,
                                              const char *name) {
  proto::tensorflow::Node::Attribute &attribute = *node.add_attr();
  attribute.set_key(name);
  return *attribute.mutable_value();
}

inline void addType(proto::tensorflow::Node &node, const char *name,
                    DType type) {
  addAttribute(node, name).set_type(toTensorFlow(type));
}

} // namespace smp::tensorflow

#endif // SMP_TOOLS_EXPORTER_MESSAGE_H
