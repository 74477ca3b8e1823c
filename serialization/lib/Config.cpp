// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/Config.h"
#include "ConfigKeys.h"
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <vector>

namespace smp {
namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr int kDeepest = 32;

Status notAConfig(const std::string &received) {
  return invalidArgument("Expected a string path to an existing modelparallel "
                         "config, or a dictionary. Received: " +
                         received + ".");
}

/// An object, or what is wrong. `name` is how messages call the text.
StatusOr<Json> parseObject(const std::string &text, const std::string &name) {
  if (text.size() > kMostBytes)
    return invalidArgument("'" + name + "' has " + std::to_string(text.size()) +
                           " bytes; a configuration has at most " +
                           std::to_string(kMostBytes));
  bool isTooDeep = false;
  std::optional<std::string> twice;
  std::vector<std::set<std::string>> open; // The keys of each open object.
  auto watch = [&](int depth, Json::parse_event_t event, Json &value) {
    isTooDeep |= depth > kDeepest;
    if (event == Json::parse_event_t::object_start)
      open.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      open.pop_back();
    else if (event == Json::parse_event_t::key &&
             !open.back().insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return !isTooDeep;
  };
  Json parsed = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (isTooDeep)
    return invalidArgument("'" + name + "' is nested deeper than " +
                           std::to_string(kDeepest));
  if (twice)
    return invalidArgument("'" + *twice + "' is given twice in " + name +
                           "; leave one of them out");
  if (parsed.is_discarded())
    return invalidArgument("Cannot parse " + name + " as a json file.");
  if (!parsed.is_object())
    return notAConfig(parsed.dump());
  return parsed;
}

StatusOr<Json> loadObject(const std::filesystem::path &path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return notAConfig(path.string());
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), std::streamsize(text.size()));
  if (file.bad() || (file.fail() && !file.eof()))
    return unavailable("'" + path.string() + "' cannot be read");
  text.resize(size_t(file.gcount()));
  return parseObject(text, path.string());
}

/// The member of a section, which may hold nothing but `allowed`.
StatusOr<Json> enter(const Json &section, const std::string &where,
                     const std::string &key) {
  for (const auto &[name, value] : section.items())
    if (name != key && name != "enabled")
      return invalidArgument("'" + name + "' beside '" + key + "' in " + where +
                             " is not for smp; remove it");
  if (auto enabled = section.find("enabled");
      enabled != section.end() && *enabled != true)
    return invalidArgument("'enabled' in " + where + " is " + enabled->dump() +
                           ", so that nothing would be partitioned; set it to "
                           "true or leave the configuration out");
  auto found = section.find(key);
  if (found == section.end())
    return invalidArgument(where + " has no '" + key + "'");
  return Json(*found);
}

/// The object with the keys: `root`, or what it holds or names.
StatusOr<Json> findParameters(const Json &root,
                              const std::filesystem::path &directory) {
  if (!root.contains("smdistributed"))
    return root;
  Json section = root;
  std::string where = "the configuration";
  for (const char *key : {"smdistributed", "modelparallel", "parameters"}) {
    if (!section.is_object())
      return notAConfig(section.dump());
    SMP_ASSIGN_OR_RETURN(section, enter(section, where, key));
    where = std::string("'") + key + "'";
  }
  if (section.is_string())
    return loadObject(directory / section.get<std::string>());
  if (!section.is_object())
    return notAConfig(section.dump());
  return section;
}

} // namespace

StatusOr<Config> readConfig(const std::string &pathOrText) {
  size_t first = pathOrText.find_first_not_of(" \t\r\n");
  bool isText = first != std::string::npos && pathOrText[first] == '{';
  SMP_ASSIGN_OR_RETURN(Json root,
                       isText ? parseObject(pathOrText, "the configuration")
                              : loadObject(pathOrText));
  std::filesystem::path directory;
  if (!isText)
    directory = std::filesystem::path(pathOrText).parent_path();
  SMP_ASSIGN_OR_RETURN(Json parameters, findParameters(root, directory));
  return isText ? readKeys(parameters) : readKeys(parameters).in(pathOrText);
}

} // namespace smp
