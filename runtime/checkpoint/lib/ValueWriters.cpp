// SPDX-License-Identifier: Apache-2.0
#include "ValueWriters.h"
#include "smp/base/Lists.h"
#include <sstream>

namespace smp {

void ValueWriters::add(const std::string &name, std::string what,
                       std::vector<int64_t> devices) {
  here[name] = {std::move(what), std::move(devices)};
}

/// A line per value: its name, how many devices, their ids, what it is. Names
/// of roots have no space and no line's end.
std::string ValueWriters::describe() const {
  std::string text;
  for (const auto &[name, value] : here) {
    text += name + " " + std::to_string(value.devices.size());
    for (int64_t id : value.devices)
      text += " " + std::to_string(id);
    text += " " + value.what + "\n";
  }
  return text;
}

Status ValueWriters::shareOut(std::span<const std::string> descriptions) {
  for (uint32_t rank = 0; rank < descriptions.size(); ++rank) {
    std::istringstream text(descriptions[rank]);
    size_t devices = 0;
    for (std::string name; text >> name >> devices;) {
      std::vector<int64_t> ids(devices);
      for (int64_t &id : ids)
        text >> id;
      std::string what;
      std::getline(text >> std::ws, what);
      Writer &writer =
          writers.emplace(name, Writer{rank, what, {}}).first->second;
      if (writer.what != what)
        return invalidArgument(
            "value '" + name + "' is another one on rank " +
            std::to_string(rank) + " than on rank " +
            std::to_string(writer.rank) +
            "; give values that differ by rank names that do");
      for (int64_t id : ids)
        writer.rankOfDevice.emplace(id, rank);
    }
  }
  return Status();
}

} // namespace smp
