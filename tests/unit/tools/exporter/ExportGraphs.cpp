// SPDX-License-Identifier: Apache-2.0
#include "ExportGraphs.h"

namespace smp::test {

uint32_t GraphMaker::input(const std::string &name, TensorType type) {
  const auto value = uint32_t(made.values.size());
  made.values.push_back({name, std::move(type)});
  made.inputs.push_back(value);
  inputs.push_back(name);
  return value;
}

uint32_t GraphMaker::op(const std::string &mnemonic,
                        std::vector<uint32_t> operands, TensorType result,
                        AttributeMap attributes, const std::string &name) {
  const auto value = uint32_t(made.values.size());
  made.values.push_back({"", std::move(result)});
  GraphOp op;
  op.name = name;
  op.mnemonic = mnemonic;
  op.operands = std::move(operands);
  op.results = {value};
  op.attributes = std::move(attributes);
  made.ops.push_back(std::move(op));
  return value;
}

uint32_t GraphMaker::read(const std::string &variable, TensorType type) {
  return op("read", {}, std::move(type), {{"variable", variable}});
}

void GraphMaker::output(const std::string &name, uint32_t value) {
  made.outputs.push_back(value);
  outputs.push_back(name);
}

ExportedModel GraphMaker::finish() const {
  auto kept = std::make_shared<std::map<std::string, std::vector<std::byte>>>();
  return {"predict", made, inputs, outputs,
          [kept](const std::string &variable, const TensorType &type)
              -> StatusOr<std::span<const std::byte>> {
            std::vector<std::byte> &bytes = (*kept)[variable];
            bytes.resize(size_t(type.bytes()));
            for (size_t i = 0; i < bytes.size(); ++i)
              bytes[i] = std::byte(i);
            return std::span<const std::byte>(bytes);
          }};
}

} // namespace smp::test
