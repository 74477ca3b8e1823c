// SPDX-License-Identifier: Apache-2.0
#include "JsonMembers.h"
#include "smp/base/Quote.h"
#include <charconv>
#include <cmath>
#include <optional>

namespace smp {

namespace {

constexpr double kMostBytes = 0x1p62, kMostWhole = 0x1p53;
constexpr uint32_t kMostDevices = 1024;

bool isNumber(const JsonTree &value) {
  return value.kind == JsonTree::Kind::Whole ||
         value.kind == JsonTree::Kind::Number;
}

/// Doubles hold all whole numbers to 2^53; those that have no sign are kept as
/// they are.
std::optional<int64_t> wholeOf(const JsonTree &value) {
  if (value.kind == JsonTree::Kind::Whole && value.whole <= INT64_MAX)
    return int64_t(value.whole);
  if (isNumber(value) && value.number == std::floor(value.number) &&
      std::abs(value.number) <= kMostWhole)
    return int64_t(value.number);
  return std::nullopt;
}

} // namespace

Status JsonMembers::wrong(const char *name, const std::string &what) const {
  return invalidArgument(where + " has no " + quote(name) + " that is " + what);
}

bool JsonMembers::has(const char *name) const {
  const JsonTree *member = object.find(name);
  return member && member->kind != JsonTree::Kind::Null;
}

StatusOr<double> JsonMembers::number(const char *name) const {
  const JsonTree *member = object.find(name);
  if (!member || !isNumber(*member))
    return wrong(name, "a number");
  return member->number;
}

StatusOr<int64_t> JsonMembers::whole(const char *name) const {
  const JsonTree *member = object.find(name);
  if (const auto value = member ? wholeOf(*member) : std::nullopt)
    return *value;
  return wrong(name, "a whole number");
}

StatusOr<uint32_t> JsonMembers::devices(const char *name) const {
  const JsonTree *member = object.find(name);
  if (!member || member->kind != JsonTree::Kind::Whole ||
      member->whole > kMostDevices)
    return wrong(name,
                 "a whole number from 0 to " + std::to_string(kMostDevices));
  return uint32_t(member->whole);
}

StatusOr<uint32_t> JsonMembers::count(const char *name) const {
  const JsonTree *member = object.find(name);
  if (!member || member->kind != JsonTree::Kind::Whole ||
      member->whole > UINT32_MAX)
    return wrong(name, "a whole number from 0 to 2^32 - 1");
  return uint32_t(member->whole);
}

StatusOr<int64_t> JsonMembers::bytes(const char *name) const {
  const JsonTree *member = object.find(name);
  if (!member || !isNumber(*member) || member->number < 0 ||
      member->number > kMostBytes)
    return wrong(name, "a number of bytes from 0 to 2^62");
  return int64_t(std::ceil(member->number));
}

StatusOr<bool> JsonMembers::flag(const char *name, bool absent) const {
  const JsonTree *member = object.find(name);
  if (!member)
    return absent;
  if (member->kind == JsonTree::Kind::True ||
      member->kind == JsonTree::Kind::False)
    return member->kind == JsonTree::Kind::True;
  if (!isNumber(*member))
    return wrong(name, "true, false or a number");
  return member->number != 0;
}

std::string JsonMembers::text(const char *name, std::string absent) const {
  const JsonTree *member = object.find(name);
  return member && member->kind == JsonTree::Kind::Text ? member->parts->text
                                                        : absent;
}

StatusOr<std::span<const JsonTree>> JsonMembers::list(const char *name) const {
  const JsonTree *member = object.find(name);
  if (!member || member->kind != JsonTree::Kind::List)
    return wrong(name, "a list");
  return member->values();
}

StatusOr<std::vector<int64_t>> JsonMembers::wholes(const char *name) const {
  SMP_ASSIGN_OR_RETURN(const auto values, list(name));
  std::vector<int64_t> result;
  for (const JsonTree &value : values) {
    const std::optional<int64_t> whole = wholeOf(value);
    if (!whole)
      return wrong(name, "a list of whole numbers");
    result.push_back(*whole);
  }
  return result;
}

std::string jsonNumber(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return std::string(text, end);
}

} // namespace smp
