// SPDX-License-Identifier: Apache-2.0
#include "Report.h"
#include "smp/base/Lists.h"
#include "smp/tools/TextTable.h"
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace smp {

/// Members stay in their order.
using Json = nlohmann::ordered_json;

/// What is no UTF-8 is replaced.
static std::string toText(const Json &json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}

/// The shortest text that gives the number back.
static std::string numberText(double number) {
  char digits[32];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof(digits), number);
  return {digits, end};
}

/// JSON has no number for some.
static Json numberJson(double number) {
  if (std::isnan(number))
    return "NaN";
  if (std::isinf(number))
    return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

static std::vector<Mode> modesOf(const Trial &trial) {
  std::vector<Mode> modes = trial.modes();
  modes.push_back(Mode::Global);
  return modes;
}

static std::string trialJson(const Trial &trial,
                             const std::vector<std::string> &names, Mode mode) {
  Json json;
  json["ended"] = trial.hasEnded();
  json["workers"] = trial.workers();
  Json steps = Json::object();
  for (const Mode one : modesOf(trial))
    steps[std::string(toEventMode(one))] = trial.steps(one);
  json["steps"] = std::move(steps);
  Json collections = Json::array();
  for (const auto &collection : trial.collections().collections)
    collections.push_back(collection.name);
  json["collections"] = std::move(collections);
  Json tensors = Json::array();
  for (const std::string &name : names) {
    Json tensor{{"name", name}};
    if (const auto saved = trial.stepsOf(name, mode); saved.ok())
      tensor["steps"] = *saved;
    tensors.push_back(std::move(tensor));
  }
  json["tensors"] = std::move(tensors);
  return toText(json, 2);
}

/// "4: 0 to 6".
static std::string stepsText(const std::vector<uint64_t> &steps) {
  if (steps.empty())
    return "0";
  return std::to_string(steps.size()) + ": " + std::to_string(steps.front()) +
         " to " + std::to_string(steps.back());
}

static std::string trialText(const Trial &trial,
                             const std::vector<std::string> &names, Mode mode) {
  std::string text = trial.hasEnded() ? "The run has ended.\n"
                                      : "The run has not said that it ended.\n";
  text += "workers: " + join(trial.workers(), ", ") + "\n";
  for (const Mode one : modesOf(trial))
    text += "steps of " + std::string(toEventMode(one)) + ", " +
            stepsText(trial.steps(one)) + "\n";
  text += "collections: " +
          join(trial.collections().collections, ", ",
               &EventCollections::Collection::name) +
          "\n";
  TextTable table({"tensor", "steps"});
  for (const std::string &name : names) {
    const auto saved = trial.stepsOf(name, mode);
    table.add({name, saved.ok() ? stepsText(*saved) : ""});
  }
  return text + table.format("");
}

StatusOr<std::string> reportTrial(const Trial &trial, const TensorQuery &query,
                                  bool isJson) {
  SMP_ASSIGN_OR_RETURN(const auto names, trial.tensorNames(query));
  return (isJson ? trialJson : trialText)(trial, names, query.mode);
}

std::string reportPoints(std::span<const SeriesPoint> points, bool isJson) {
  std::string text;
  for (const SeriesPoint &point : points)
    text += isJson ? toText({{"step", point.step},
                             {"global_step", point.globalStep},
                             {"value", numberJson(point.value)}},
                            -1)
                   : std::to_string(point.step) + "\t" +
                         numberText(point.value) + "\n";
  return text;
}

std::string reportComparison(const TrialComparison &comparison, bool isJson) {
  const auto &found = comparison.difference;
  if (isJson) {
    Json json{{"equal", !found},
              {"steps", comparison.steps},
              {"tensors", comparison.tensors}};
    if (found)
      json["first"] = {{"global_step", found->globalStep},
                       {"mode", toEventMode(found->step.mode)},
                       {"mode_step", found->step.step},
                       {"tensor", found->tensor},
                       {"worker", found->worker},
                       {"what", found->what}};
    return toText(json, 2);
  }
  if (!found)
    return "equal: " + std::to_string(comparison.steps) + " steps, " +
           std::to_string(comparison.tensors) + " tensors\n";
  std::string text = "step " + std::to_string(found->globalStep) + " (" +
                     std::string(toEventMode(found->step.mode)) + " " +
                     std::to_string(found->step.step) + ")";
  if (!found->tensor.empty())
    text += ", " + found->tensor;
  if (!found->worker.empty())
    text += " of " + found->worker;
  return text + ": " + found->what + "\n";
}

static Json checkJson(const TrialCheck &check) {
  Json findings = Json::array();
  for (const auto &[first, steps] : check.findings)
    findings.push_back({{"rule", first.rule},
                        {"tensor", first.tensor},
                        {"global_step", first.step.globalStep},
                        {"mode", toEventMode(first.step.mode)},
                        {"mode_step", first.step.modeStep},
                        {"what", first.text},
                        {"steps", steps}});
  return {{"rules", check.rules},
          {"steps", check.steps},
          {"findings", std::move(findings)}};
}

std::string reportCheck(const TrialCheck &check, bool isJson) {
  if (isJson)
    return toText(checkJson(check), 2);
  if (check.findings.empty())
    return "no rule is met: " + std::to_string(check.rules) + " rules, " +
           std::to_string(check.steps) + " steps\n";
  std::string text;
  for (const auto &[first, steps] : check.findings)
    text +=
        first.message() +
        (steps > 1 ? "; at " + std::to_string(steps) + " steps in all" : "") +
        "\n";
  return text;
}

} // namespace smp
