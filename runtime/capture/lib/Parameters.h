// SPDX-License-Identifier: Apache-2.0
// The keys of one object of a configuration, each read once.

#ifndef SMP_CAPTURE_PARAMETERS_H
#define SMP_CAPTURE_PARAMETERS_H

#include "smp/serialization/JsonTree.h"
#include <optional>
#include <set>
#include <string>

namespace smp {

/// An object, or null for one without keys. Values are absent where the key is
/// not there. Messages name the object, the key and the value.
class Parameters {
public:
  /// `where` is how messages call the object. Fails for what is no object, and
  /// for keys that are there twice. `tree` outlives the result; null: no keys.
  static StatusOr<Parameters> of(const JsonTree *tree, std::string where);

  StatusOr<std::optional<int64_t>> number(std::string_view key);
  /// The same where null is a value too: `ofNull`.
  StatusOr<std::optional<int64_t>> number(std::string_view key, int64_t ofNull);
  StatusOr<std::optional<bool>> boolean(std::string_view key);
  StatusOr<std::optional<std::string>> text(std::string_view key);
  /// Of text with commas, or of a list of texts.
  StatusOr<std::optional<std::vector<std::string>>> texts(std::string_view key);
  /// The same of numbers; one number is a list too.
  StatusOr<std::optional<std::vector<int64_t>>> numbers(std::string_view key);
  /// Null where the key is not there.
  const JsonTree *find(std::string_view key);

  /// Fails for a key that nobody has asked for, and lists those.
  Status checkAllRead() const;
  /// What is wrong with the value of a key.
  Status wrong(std::string_view key, const std::string &what) const;

private:
  Parameters(const JsonTree *tree, std::string where)
      : tree(tree), where(std::move(where)) {}
  StatusOr<int64_t> numberOf(std::string_view key, const JsonTree &value) const;

  const JsonTree *tree; ///< Borrowed.
  std::string where;
  std::set<std::string, std::less<>> asked;
};

} // namespace smp

#endif // SMP_CAPTURE_PARAMETERS_H
