// SPDX-License-Identifier: Apache-2.0
#include "JsonFields.h"

namespace smp {

void JsonFields::fail(const Where &where, const std::string &what) {
  problems.add(dataLoss(where.spell() + " " + what));
}

const JsonTree *JsonFields::member(const JsonTree &object, const char *name,
                                   const Where &where) {
  const JsonTree *found = object.find(name);
  if (!found)
    fail(where.field(name), "is missing");
  return found;
}

std::string JsonFields::textOf(const JsonTree &value, const Where &where) {
  if (value.kind == JsonTree::Kind::Text)
    return value.parts->text;
  fail(where, "is no text");
  return {};
}

uint64_t JsonFields::numberOf(const JsonTree &value, const Where &where,
                              uint64_t most) {
  if (value.kind != JsonTree::Kind::Whole)
    fail(where, "is no whole number from 0");
  else if (value.whole > most)
    fail(where, "has more than 32 bits");
  return value.whole;
}

double JsonFields::real(const JsonTree &object, const char *name,
                        const Where &where) {
  const JsonTree *value = member(object, name, where);
  if (value && value->kind != JsonTree::Kind::Whole &&
      value->kind != JsonTree::Kind::Number)
    fail(where.field(name), "is no number");
  return value ? value->number : 0;
}

std::string JsonFields::text(const JsonTree &object, const char *name,
                             const Where &where) {
  const JsonTree *value = member(object, name, where);
  return value ? textOf(*value, where.field(name)) : std::string();
}

uint64_t JsonFields::number(const JsonTree &object, const char *name,
                            const Where &where, uint64_t most) {
  const JsonTree *value = member(object, name, where);
  return value ? numberOf(*value, where.field(name), most) : 0;
}

std::span<const JsonTree>
JsonFields::list(const JsonTree &object, const char *name, const Where &where) {
  const JsonTree *value = member(object, name, where);
  if (value && value->kind == JsonTree::Kind::List)
    return value->values();
  if (value)
    fail(where.field(name), "is no list");
  return {};
}

Shape JsonFields::sizes(const JsonTree &object, const char *name,
                        const Where &where) {
  Shape sizes;
  for (const JsonTree &size : list(object, name, where)) {
    const bool good =
        size.kind == JsonTree::Kind::Whole && size.whole <= uint64_t(INT64_MAX);
    if (!good)
      fail(where.field(name), "has a size that is no whole number from 0");
    sizes.push_back(good ? int64_t(size.whole) : 0);
  }
  return sizes;
}

} // namespace smp
