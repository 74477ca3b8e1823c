// SPDX-License-Identifier: Apache-2.0
// JSON: a text as a tree, in little memory, and strings as literals.

#ifndef SMP_SERIALIZATION_JSONTREE_H
#define SMP_SERIALIZATION_JSONTREE_H

#include "smp/base/Status.h"
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace smp {

/// A value. Most are numbers: only the others have more than that.
struct JsonTree {
  enum class Kind : uint8_t {
    Null,
    False,
    True,
    Whole,
    Number,
    Text,
    List,
    Object
  };
  struct Parts {
    std::string text;
    std::vector<JsonTree> values;   ///< Of a list or an object.
    std::vector<std::string> names; ///< Of an object's values.
  };

  Kind kind = Kind::Null;
  uint64_t whole = 0;           ///< A number from 0 without fraction.
  double number = 0;            ///< Any number.
  std::unique_ptr<Parts> parts; ///< Of a text, a list or an object.

  /// Empty for what is neither list nor object.
  std::span<const JsonTree> values() const {
    return parts ? std::span<const JsonTree>(parts->values)
                 : std::span<const JsonTree>();
  }
  /// Null when it has none of the name, or is no object.
  const JsonTree *find(std::string_view name) const;
};

/// An object that is nested no deeper than `deepest`, itself counted.
StatusOr<JsonTree> parseJsonObject(std::string_view text, size_t deepest);

/// In quotes. The text is UTF-8.
std::string jsonLiteral(std::string_view text);

} // namespace smp

#endif // SMP_SERIALIZATION_JSONTREE_H
