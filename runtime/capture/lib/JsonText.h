// SPDX-License-Identifier: Apache-2.0
// JSON that is written, spaced as Python's json.dumps does.

#ifndef SMP_CAPTURE_JSONTEXT_H
#define SMP_CAPTURE_JSONTEXT_H

#include "smp/base/Lists.h"
#include "smp/serialization/JsonTree.h"
#include <string>
#include <vector>

namespace smp {

/// A name, and a value that is JSON.
using JsonMember = std::pair<std::string, std::string>;

/// Values may be long: they are copied once.
inline std::string jsonObject(const std::vector<JsonMember> &members) {
  constexpr size_t kAround = sizeof("\"\": , ");
  size_t bytes = sizeof("{}");
  for (const auto &[name, value] : members)
    bytes += name.size() + value.size() + kAround;
  std::string text = "{";
  text.reserve(bytes);
  for (const auto &[name, value] : members) {
    text += text.size() > 1 ? ", " : "";
    text += jsonLiteral(name);
    text += ": ";
    text += value;
  }
  return text += "}";
}

/// Of each item what `text` makes of it: JSON, or an integer.
template <typename Range, typename Text = std::identity>
std::string jsonList(const Range &items, Text text = {}) {
  return "[" + join(items, ", ", text) + "]";
}

inline std::string jsonBoolean(bool value) { return value ? "true" : "false"; }

} // namespace smp

#endif // SMP_CAPTURE_JSONTEXT_H
