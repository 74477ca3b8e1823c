// SPDX-License-Identifier: Apache-2.0
#include "Report.h"
#include "ReportJson.h"
#include "smp/base/Lists.h"
#include "smp/tools/TextTable.h"

namespace smp {

static std::string textOf(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", number);
  return text;
}

/// The cells behind the types.
static std::vector<std::string>
cellsOf(const std::optional<ValueDifference> &values) {
  if (!values)
    return {"", "", "", "", ""};
  const bool hasNumbers = values->withoutNumber < values->differing;
  return {std::to_string(values->differing) + " of " +
              std::to_string(values->elements),
          hasNumbers ? textOf(values->largestAbsolute) : "",
          hasNumbers ? textOf(values->largestRelative) : "",
          std::to_string(values->withoutNumber),
          "[" + join(values->first, ",") + "]"};
}

static std::string toText(const CheckpointDifference &difference) {
  const std::string tensors = std::to_string(difference.tensors) + " tensors";
  if (difference.differences.empty())
    return tensors + " are equal\n";
  TextTable table({"name", "in ONE", "in OTHER", "differ", "largest absolute",
                   "largest relative", "without number", "first"});
  for (const TensorDifference &each : difference.differences) {
    std::vector<std::string> cells = {each.name,
                                      each.one.empty() ? "none" : each.one,
                                      each.other.empty() ? "none" : each.other};
    for (std::string &cell : cellsOf(each.values))
      cells.push_back(std::move(cell));
    table.add(std::move(cells));
  }
  return table.format("") + std::to_string(difference.differences.size()) +
         " of " + tensors + " differ\n";
}

static Json toJson(const TensorDifference &difference) {
  auto typeOf = [](const std::string &type) {
    return type.empty() ? Json() : Json(type);
  };
  Json entry = {{"name", difference.name},
                {"one", typeOf(difference.one)},
                {"other", typeOf(difference.other)}};
  if (const auto &values = difference.values) {
    const bool hasNumbers = values->withoutNumber < values->differing;
    entry["elements"] = values->elements;
    entry["differing"] = values->differing;
    entry["withoutNumber"] = values->withoutNumber;
    entry["largestAbsolute"] =
        hasNumbers ? Json(values->largestAbsolute) : Json();
    entry["largestRelative"] =
        hasNumbers ? Json(values->largestRelative) : Json();
    entry["first"] = values->first;
  }
  return entry;
}

std::string reportDifference(const std::string &one, const std::string &other,
                             const CheckpointDifference &difference,
                             ReportFormat format) {
  if (format == ReportFormat::Text)
    return toText(difference);
  Json differences = Json::array();
  for (const TensorDifference &each : difference.differences)
    differences.push_back(toJson(each));
  return toText(Json{{"one", one},
                     {"other", other},
                     {"tensors", difference.tensors},
                     {"differences", std::move(differences)}});
}

} // namespace smp
