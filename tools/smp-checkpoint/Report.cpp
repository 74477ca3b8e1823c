// SPDX-License-Identifier: Apache-2.0
#include "Report.h"
#include "smp/base/Lists.h"
#include "smp/tools/TextTable.h"
#include <nlohmann/json.hpp>

namespace smp {

using Json = nlohmann::ordered_json;

static std::string toText(const Json &json) {
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}

static Json toJson(const Status &status) {
  return status.ok() ? Json() : Json(status.message());
}

std::string reportContents(const std::string &prefix,
                           const CheckpointContents &contents,
                           ReportFormat format) {
  if (format == ReportFormat::Text) {
    TextTable table({"name", "type", "shape", "bytes"});
    for (const TensorEntry &tensor : contents.tensors)
      table.add({tensor.name, tensor.dtype, toString(tensor.shape),
                 std::to_string(tensor.bytes)});
    return table.format("");
  }
  Json tensors = Json::array();
  for (const TensorEntry &tensor : contents.tensors) {
    Json entry = {{"name", tensor.name},
                  {"dtype", tensor.dtype},
                  {"shape", tensor.shape},
                  {"bytes", tensor.bytes}};
    if (!tensor.key.empty())
      entry["key"] = tensor.key;
    tensors.push_back(std::move(entry));
  }
  return toText({{"path", prefix},
                 {"format", wordOf(contents.format)},
                 {"bytes", contents.bytes()},
                 {"tensors", std::move(tensors)}});
}

std::string reportList(const std::string &folder, const CheckpointList &list,
                       ReportFormat format) {
  if (format == ReportFormat::Text) {
    TextTable table({"name", "format", "tensors", "bytes", ""});
    for (const auto &[name, contents] : list.checkpoints) {
      const std::string latest = name == list.latest ? "latest" : "";
      if (contents.ok())
        table.add({name, wordOf(contents->format),
                   std::to_string(contents->tensors.size()),
                   std::to_string(contents->bytes()), latest});
      else
        table.add(
            {name, "", "", "",
             (latest.empty() ? "" : "latest; ") + contents.status().message()});
    }
    return table.format("");
  }
  Json checkpoints = Json::array();
  for (const auto &[name, contents] : list.checkpoints) {
    Json entry = {{"name", name}, {"error", toJson(contents.status())}};
    if (contents.ok()) {
      entry["format"] = wordOf(contents->format);
      entry["tensors"] = contents->tensors.size();
      entry["bytes"] = contents->bytes();
    }
    checkpoints.push_back(std::move(entry));
  }
  return toText({{"folder", folder},
                 {"latest", list.latest.empty() ? Json() : Json(list.latest)},
                 {"checkpoints", std::move(checkpoints)}});
}

std::string reportVerdicts(const std::vector<Verdict> &verdicts,
                           ReportFormat format) {
  std::string text;
  Json list = Json::array();
  for (const auto &[prefix, status] : verdicts) {
    list.push_back({{"path", prefix}, {"error", toJson(status)}});
    text += prefix + ": " + (status.ok() ? "good" : status.message()) + "\n";
  }
  return format == ReportFormat::Json ? toText(list) : text;
}

} // namespace smp
