// SPDX-License-Identifier: Apache-2.0
#include "Nodes.h"
#include "smp/model/Philox.h"

namespace smp::exporter {

std::string Nodes::makeUnique(std::set<std::string> &taken, int &count,
                              const std::string &wanted) {
  std::string name = wanted;
  while (!taken.insert(name).second)
    name = wanted + "_" + std::to_string(++count);
  return name;
}

std::string Nodes::fresh(const std::string &wanted) {
  std::string name = spell(wanted);
  if (name.empty())
    name = "value";
  return makeUnique(taken, counts[name], name);
}

std::string Nodes::constant(const TensorType &type,
                            std::span<const std::byte> bytes) {
  std::string key = toString(type);
  key.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  std::string &name = constants[key];
  if (name.empty()) {
    name = fresh("constant");
    addConstant(name, type, bytes);
  }
  return name;
}

std::string Nodes::ints(const std::vector<int64_t> &values) {
  return constant({DType::I64, {int64_t(values.size())}},
                  std::as_bytes(std::span(values)));
}

std::string Nodes::scalar(DType type, double value) {
  std::vector<std::byte> bytes(sizeOf(type));
  fillSplat(bytes, type, value);
  return constant({type, {}}, bytes);
}

} // namespace smp::exporter
