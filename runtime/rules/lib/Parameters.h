// SPDX-License-Identifier: Apache-2.0
// The parameters of a rule, read by name.

#ifndef SMP_RULES_PARAMETERS_H
#define SMP_RULES_PARAMETERS_H

#include "smp/regex/Regex.h"
#include "smp/rules/BuiltInRules.h"
#include <limits>
#include <optional>

namespace smp {

/// Gives a rule what was said or else its defaults, and remembers the first
/// mistake.
class Parameters {
public:
  explicit Parameters(const RuleChoice &choice) : choice(choice) {}

  const std::string &ruleName() const { return choice.name; }
  /// At least `least`.
  double number(const std::string &name, double fallback, double least);
  std::optional<double> numberIfSaid(const std::string &name);
  int64_t integer(const std::string &name, int64_t fallback, int64_t least,
                  int64_t most);
  uint64_t count(const std::string &name, uint64_t fallback);
  bool flag(const std::string &name, bool fallback);
  /// Separated by commas.
  std::vector<std::string> list(const std::string &name,
                                std::vector<std::string> fallback);
  /// None where it is not said and `fallback` is empty.
  std::optional<Regex> regex(const std::string &name,
                             std::string_view fallback = {});
  bool isSaid(const std::string &name) const {
    return choice.parameters.contains(name);
  }
  void fail(Status why) {
    if (error.ok())
      error = std::move(why);
  }
  /// Once the rule has read all of its parameters: the first mistake, or a
  /// parameter that it has not.
  Status status() const;

private:
  /// Null where it is not said.
  const std::string *find(const std::string &name);
  void refuse(const std::string &name, const std::string &wanted);

  const RuleChoice &choice;
  std::vector<std::string> known;
  Status error;
};

} // namespace smp

#endif // SMP_RULES_PARAMETERS_H
