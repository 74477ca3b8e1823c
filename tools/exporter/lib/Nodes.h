// SPDX-License-Identifier: Apache-2.0
// A graph of another format while it grows: what all formats have.

#ifndef SMP_TOOLS_EXPORTER_NODES_H
#define SMP_TOOLS_EXPORTER_NODES_H

#include "smp/model/Shape.h"
#include <map>
#include <set>
#include <span>
#include <variant>

namespace smp::exporter {

struct Attribute {
  const char *name;
  std::variant<int64_t, bool, float, std::string, DType, std::vector<int64_t>>
      value;
};
using Attributes = std::vector<Attribute>;
using Names = std::vector<std::string>;

/// A node without its name and its results. Values go by name.
struct Node {
  const char *type;
  Names inputs;
  Attributes attributes = {};
};

/// What a format calls the nodes that ops are composed of alike.
struct Words {
  const char *add, *divide, *truncatingDivide, *either, *where;
  const char *mean, *keepDimensions; ///< Of values at axes; its attribute.
};

/// Nodes and tensors with names of which each is there once.
class Nodes {
public:
  virtual ~Nodes() = default;

  /// `wanted` as the format spells names, or that and a number. Empty: "value".
  std::string fresh(const std::string &wanted);

  /// `wanted` is what users say; `value` is fresh.
  virtual void addInput(const std::string &wanted, const std::string &value,
                        const TensorType &type) = 0;
  virtual void addOutput(const std::string &wanted, const std::string &value,
                         const TensorType &type) = 0;
  /// Gives the value. The bytes are borrowed as long as this lives.
  virtual std::string addVariable(const std::string &variable,
                                  const TensorType &type,
                                  std::span<const std::byte> bytes) = 0;
  /// Appends a node; `name` may be empty.
  virtual void add(const std::string &name, const Node &node,
                   const Names &outputs) = 0;
  /// Appends one that gives `shape` times the `element`.
  virtual void addSplat(const std::string &name, const std::string &output,
                        const TensorType &type,
                        std::span<const std::byte> element) = 0;

  virtual const Words &words() const = 0;
  virtual Node reshape(const std::string &value, const Shape &shape) = 0;
  virtual Node expand(const std::string &value, const Shape &shape) = 0;
  virtual Node transpose(const std::string &value,
                         const std::vector<int64_t> &permutation) = 0;
  virtual Node cast(const std::string &value, DType to) = 0;

  /// A tensor of few elements, once for equal ones.
  std::string constant(const TensorType &type,
                       std::span<const std::byte> bytes);
  /// Of rank 1.
  std::string ints(const std::vector<int64_t> &values);
  /// Of rank 0, rounded to the type.
  std::string scalar(DType type, double value);

protected:
  /// As the format allows it.
  virtual std::string spell(const std::string &name) const { return name; }
  virtual void addConstant(const std::string &name, const TensorType &type,
                           std::span<const std::byte> bytes) = 0;
  /// The name, or the first with a number that is not taken.
  static std::string makeUnique(std::set<std::string> &taken, int &count,
                                const std::string &wanted);

private:
  std::set<std::string> taken;
  std::map<std::string, int> counts;            // By what was wanted.
  std::map<std::string, std::string> constants; // By type and bytes.
};

} // namespace smp::exporter

#endif // SMP_TOOLS_EXPORTER_NODES_H
