// SPDX-License-Identifier: Apache-2.0
#include "Report.h"
#include "ReportJson.h"
#include "smp/base/FileSystem.h"
#include "smp/base/Lists.h"
#include "smp/tools/TextTable.h"

namespace smp {

std::string toText(const Json &json) {
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

/// "12 tensors: 8 of model, 4 of optimizer".
static std::string describe(const WrittenCheckpoint &written) {
  size_t tensors = 0;
  for (const auto &[root, count] : written.tensorsByRoot)
    tensors += count;
  return std::to_string(tensors) + " tensors" + (tensors ? ": " : "") +
         join(written.tensorsByRoot, ", ", [](const auto &each) {
           return std::to_string(each.second) + " of " + each.first;
         });
}

std::string reportWritten(const WrittenCheckpoint &written,
                          ReportFormat format) {
  const bool isOurs = written.format == CheckpointFormat::Smp;
  if (format == ReportFormat::Json)
    return toText(Json{{"path", written.prefix},
                       {"format", wordOf(written.format)},
                       {"tensors", written.tensorsByRoot},
                       {"bytes", written.bytes},
                       {"latest", written.isLatest}});
  std::string text =
      "wrote '" + written.prefix + "', " +
      (isOurs ? "a checkpoint of smp, " : "a bundle of TensorFlow, ") +
      describe(written) + "\n";
  if (!written.isLatest)
    text += "'" + parentFolder(written.prefix) +
            "/checkpoint' stays as it is: set model_checkpoint_path in it to "
            "restore this one\n";
  return text;
}

} // namespace smp
