// SPDX-License-Identifier: Apache-2.0
#include "Where.h"

namespace smp {

std::string Where::spell() const {
  if (!parent)
    return "the program";
  std::string text = parent->parent ? parent->spell() + "." : std::string();
  text += name;
  if (index != kNoIndex)
    text += "[" + std::to_string(index) + "]";
  return text;
}

Status Where::is(const std::string &what) const {
  return invalidArgument(spell() + " " + what);
}

Status Where::checkIndex(uint64_t index, uint64_t size,
                         const char *things) const {
  if (index < size)
    return Status();
  return is("is " + std::to_string(index) + " of " + std::to_string(size) +
            " " + things);
}

Status Where::checkMost(uint64_t value, uint64_t limit) const {
  if (value <= limit)
    return Status();
  return is("is " + std::to_string(value) + "; at most " +
            std::to_string(limit));
}

Status Where::checkFrom1(uint64_t value, uint64_t limit) const {
  if (value >= 1 && value <= limit)
    return Status();
  return is("is " + std::to_string(value) + "; 1 to " + std::to_string(limit));
}

Status Where::checkEnum(uint64_t value, uint64_t first, uint64_t last) const {
  if (value >= first && value <= last)
    return Status();
  return is("is " + std::to_string(value) + "; this version of smp knows " +
            std::to_string(first) + " to " + std::to_string(last));
}

} // namespace smp
