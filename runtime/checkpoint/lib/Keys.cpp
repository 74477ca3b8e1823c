// SPDX-License-Identifier: Apache-2.0
#include "Keys.h"
#include "smp/base/Lists.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/CheckpointRoots.h"
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace smp {

StatusOr<std::vector<KeyedVariable>> variablesOf(const Checkpoint::Root &root) {
  const std::string_view kind = findRootKind(root.name())->kind;
  std::vector<KeyedVariable> list;
  std::map<std::string, std::string> owners;
  const std::vector<uint32_t> ranks = root.session()->variableRanks();
  const std::vector<bool> needed = root.session()->variablesNeeded();
  const auto partitions = root.session()->variablePartitions();
  const std::vector<VariableSignature> variables = root.session()->variables();
  for (size_t i = 0; i < variables.size(); ++i) {
    const VariableSignature &variable = variables[i];
    if (variable.kind != kind)
      continue;
    std::string key = keyOfVariable(root.name(), variable.name);
    if (auto [owner, isNew] = owners.emplace(key, variable.name); !isNew)
      return invalidArgument("variables '" + owner->second + "' and '" +
                             variable.name + "' would both be saved as '" +
                             key + "'; rename one");
    list.push_back({std::move(key),
                    variable.name,
                    {variable.dtype, variable.shape},
                    ranks[i],
                    needed[i],
                    partitions[i]});
  }
  return list;
}

std::string kindsOf(const SessionCore &session) {
  std::set<std::string> kinds;
  for (const DeviceMemory &memory : session.memory())
    kinds.insert(memory.kind);
  return join(kinds, ",");
}

std::vector<std::string> devicesOf(const SessionCore &session, uint32_t rank) {
  std::vector<std::string> devices;
  for (const DeviceMemory &memory : session.memory()) {
    devices.resize(std::max<size_t>(devices.size(), memory.partition + 1));
    devices[memory.partition] = std::to_string(rank) + "/" + memory.device;
  }
  return devices;
}

LogSink logOf(const Checkpoint &checkpoint) {
  for (const Checkpoint::Root &root : checkpoint.roots())
    if (SessionCore *session = root.session())
      return [session](LogLevel level, std::string_view line) {
        session->log(level, line);
      };
  return [](LogLevel, std::string_view) {};
}

std::string joinKinds(const std::string &one, const std::string &other) {
  std::set<std::string> kinds;
  std::istringstream list(one + "," + other);
  for (std::string kind; std::getline(list, kind, ',');)
    if (!kind.empty())
      kinds.insert(kind);
  return join(kinds, ",");
}

} // namespace smp
