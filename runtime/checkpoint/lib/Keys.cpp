// SPDX-License-Identifier: Apache-2.0
#include "Keys.h"
#include "RootKinds.h"
#include "smp/exec/SessionCore.h"
#include <map>
#include <set>

namespace smp {

static std::string keyOf(const std::string &root, const std::string &variable) {
  return variable.starts_with(root + "/") ? variable : root + "/" + variable;
}

StatusOr<std::vector<KeyedVariable>> variablesOf(const Checkpoint::Root &root) {
  const std::string_view kind = findRootKind(root.name())->kind;
  std::vector<KeyedVariable> list;
  std::map<std::string, std::string> owners;
  for (const VariableSignature &variable : root.session()->variables()) {
    if (variable.kind != kind)
      continue;
    std::string key = keyOf(root.name(), variable.name);
    if (auto [owner, isNew] = owners.emplace(key, variable.name); !isNew)
      return invalidArgument("variables '" + owner->second + "' and '" +
                             variable.name + "' would both be saved as '" +
                             key + "'; rename one");
    list.push_back(
        {std::move(key), variable.name, {variable.dtype, variable.shape}});
  }
  return list;
}

std::string kindsOf(const SessionCore &session) {
  std::set<std::string> kinds;
  for (const DeviceMemory &memory : session.memory())
    kinds.insert(memory.kind);
  std::string text;
  for (const std::string &kind : kinds)
    text += (text.empty() ? "" : ",") + kind;
  return text;
}

} // namespace smp
