// SPDX-License-Identifier: Apache-2.0
// Members of JSON objects as what they have to be, and what is wrong with them.

#ifndef SMP_SERIALIZATION_LIB_JSONFIELDS_H
#define SMP_SERIALIZATION_LIB_JSONFIELDS_H

#include "Problems.h"
#include "Where.h"
#include "smp/model/Shape.h"
#include "smp/serialization/JsonTree.h"

namespace smp {

/// Gives a member's value, or adds a problem that names its place and gives
/// nothing: 0, an empty text, an empty list.
class JsonFields {
public:
  /// All that is wrong.
  Problems problems;

  bool isGoodSince(size_t before) const { return problems.count() == before; }
  void fail(const Where &where, const std::string &what);
  const JsonTree *member(const JsonTree &object, const char *name,
                         const Where &where);
  std::string text(const JsonTree &object, const char *name,
                   const Where &where);
  uint64_t number(const JsonTree &object, const char *name, const Where &where,
                  uint64_t most = UINT64_MAX);
  double real(const JsonTree &object, const char *name, const Where &where);
  std::span<const JsonTree> list(const JsonTree &object, const char *name,
                                 const Where &where);
  Shape sizes(const JsonTree &object, const char *name, const Where &where);

  std::string textOf(const JsonTree &value, const Where &where);
  uint64_t numberOf(const JsonTree &value, const Where &where,
                    uint64_t most = UINT64_MAX);
};

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_JSONFIELDS_H
