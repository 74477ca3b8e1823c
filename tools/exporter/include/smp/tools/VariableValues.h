// SPDX-License-Identifier: Apache-2.0
// The values of a model's variables, from where a person says.

#ifndef SMP_TOOLS_VARIABLEVALUES_H
#define SMP_TOOLS_VARIABLEVALUES_H

#include "smp/serialization/CheckpointReader.h"
#include "smp/serialization/Program.h"
#include <functional>
#include <map>
#include <optional>

namespace smp {

/// Files whose values take the place of the model's own; at most one is given.
struct ValuesFrom {
  std::string checkpoint = {}; ///< What the files of a checkpoint begin with.
  std::string weights = {};    ///< A safetensors file, by the variables' names.
};

/// Parameters and states are those of the file, if one is given, and all others
/// the model's own.
class VariableValues {
public:
  /// The bytes of a variable that is Stored.
  using Stored = std::function<StatusOr<std::span<const std::byte>>(
      const Variable &variable)>;

  static StatusOr<VariableValues> open(std::vector<Variable> variables,
                                       Stored stored, const ValuesFrom &from);
  /// Row-major; they stay as long as this. Fails where the file has none, or
  /// one of another type.
  StatusOr<std::span<const std::byte>> value(const std::string &variable,
                                             const TensorType &type);
  /// Paths of the files whose values take the place of the model's own.
  std::vector<std::string> files() const;

private:
  StatusOr<std::span<const std::byte>> ofCheckpoint(const Variable &variable);
  StatusOr<std::span<const std::byte>> ofWeights(const Variable &variable);

  std::map<std::string, Variable> variables;
  Stored stored;
  ValuesFrom from;
  std::optional<CheckpointReader> checkpoint;
  Safetensors weights;
  std::map<std::string, std::vector<std::byte>> made;
};

} // namespace smp

#endif // SMP_TOOLS_VARIABLEVALUES_H
