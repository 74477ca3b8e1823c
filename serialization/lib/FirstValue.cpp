// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/FirstValue.h"
#include "smp/model/HostMemory.h"
#include "smp/model/Philox.h"

namespace smp {

StatusOr<std::vector<std::byte>> makeFirstValue(const Variable &variable) {
  const Initializer &initializer = variable.initializer;
  const DType type = variable.type.dtype;
  if (initializer.kind != Initializer::Kind::Splat && !isFloat(type))
    return invalidArgument("variable '" + variable.name +
                           "' has random first values, which need a float "
                           "type; it is a " +
                           toString(variable.type));
  const auto size = uint64_t(variable.type.bytes());
  if (std::string lack = checkMemory(size); !lack.empty())
    return resourceExhausted("variable '" + variable.name + "' " + lack);
  std::vector<std::byte> bytes(static_cast<size_t>(size));
  switch (initializer.kind) {
  case Initializer::Kind::Splat:
    fillSplat(bytes, type, initializer.a);
    break;
  case Initializer::Kind::Normal:
    fillNormal(bytes, type, initializer.a, initializer.b, initializer.seed);
    break;
  case Initializer::Kind::Uniform:
    fillUniform(bytes, type, initializer.a, initializer.b, initializer.seed);
    break;
  case Initializer::Kind::Stored:
    return internalError("variable '" + variable.name + "' is stored");
  }
  return bytes;
}

} // namespace smp
