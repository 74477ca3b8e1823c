// SPDX-License-Identifier: Apache-2.0
#include "Renames.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/serialization/MappedFile.h"
#include <nlohmann/json.hpp>

namespace smp {

Status Renames::read(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(const MappedFile mapped, MappedFile::open(path));
  const auto bytes = mapped.bytes();
  const auto *text = reinterpret_cast<const char *>(bytes.data());
  const auto json = nlohmann::json::parse(text, text + bytes.size(), nullptr,
                                          /*allow_exceptions=*/false);
  if (!json.is_object())
    return invalidArgument(path + " is no JSON object of names");
  file = path;
  for (const auto &[name, value] : json.items()) {
    if (!value.is_string() && !value.is_null())
      return invalidArgument(path + ": " + quote(name) +
                             " is not renamed to a text or null");
    renames[name] = value.is_null() ? std::nullopt
                                    : std::optional(value.get<std::string>());
  }
  return Status();
}

std::optional<std::string> Renames::apply(const std::string &name) {
  std::string full = nameInFile(name);
  const auto found = renames.find(full);
  if (found == renames.end())
    return full;
  used.insert(full);
  return found->second;
}

Status Renames::checkUsed() const {
  std::vector<std::string> unused;
  for (const auto &[name, value] : renames)
    if (!used.contains(name))
      unused.push_back(name);
  if (unused.empty())
    return Status();
  return invalidArgument(file + " renames " + listNames(unused) +
                         ", which the checkpoint does not have; "
                         "smp-checkpoint show lists its names");
}

} // namespace smp
