// SPDX-License-Identifier: Apache-2.0
// smp-trial: what hooks wrote, during a run or after it.
#include "Options.h"
#include "Report.h"
#include "smp/base/AtomicFile.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/tools/Output.h"
#include "smp/tools/Plot.h"
#include <algorithm>
#include <cstdio>

using namespace smp;

static void warn(const Trial &trial) {
  for (const std::string &problem : trial.problems())
    std::fprintf(stderr, "smp-trial: left out: %s\n", problem.c_str());
}

static StatusOr<Trial> openTrial(const std::string &folder) {
  auto trial = Trial::open(folder);
  if (trial.ok())
    warn(*trial);
  return trial;
}

static Status list(const Options &options) {
  SMP_ASSIGN_OR_RETURN(const Trial trial, openTrial(options.folders[0]));
  SMP_ASSIGN_OR_RETURN(const std::string text,
                       reportTrial(trial,
                                   {.mode = options.mode,
                                    .regex = options.regex,
                                    .collection = options.collection},
                                   options.isJson));
  return printOutput(text);
}

/// What is asked for was never saved; what was.
static Status nothingToShow(const Trial &trial, const Options &options,
                            const std::string &tensor) {
  std::vector<std::string> saved;
  const auto steps = trial.stepsOf(tensor, options.mode);
  if (steps.ok() && !steps->empty())
    if (const auto values = trial.reductionValues(
            tensor, {steps->front(), options.mode, options.worker});
        values.ok())
      for (const auto &[reduction, value] : *values)
        saved.push_back(reduction.text());
  return invalidArgument(
      "no step has " +
      (options.reduction.empty()
           ? "the value"
           : "the reduction " + quote(options.reduction)) +
      " of " + quote(tensor) +
      (saved.empty() ? "" : "; ask for --reduction " + listChoices(saved)));
}

static StatusOr<std::vector<SeriesPoint>> seriesOf(const Trial &trial,
                                                   const Options &options,
                                                   const std::string &tensor) {
  std::optional<StoredReduction> reduction;
  if (!options.reduction.empty())
    reduction = StoredReduction::parse(options.reduction);
  return trial.series(tensor, reduction, options.mode, options.worker);
}

/// What comes while the run goes on may begin after the first look.
static Status show(const Options &options) {
  SMP_ASSIGN_OR_RETURN(Trial trial, openTrial(options.folders[0]));
  for (size_t printed = 0;;) {
    const bool isLast = !options.isFollowed || trial.hasEnded();
    if (isLast || trial.hasTensor(options.tensor)) {
      SMP_ASSIGN_OR_RETURN(const auto points,
                           seriesOf(trial, options, options.tensor));
      SMP_RETURN_IF_ERROR(printOutput(
          reportPoints(std::span(points).subspan(printed), options.isJson)));
      printed = points.size();
    }
    if (isLast)
      return printed ? Status() : nothingToShow(trial, options, options.tensor);
    SMP_RETURN_IF_ERROR(trial.awaitChange(std::chrono::minutes(1)));
    warn(trial);
  }
}

static Plot emptyPlot(const Options &options) {
  const bool isOfAll = options.mode == Mode::Global;
  return {.title = options.folders[0],
          .stepsAre = isOfAll
                          ? "step"
                          : "step of " + std::string(toEventMode(options.mode)),
          .valuesAre = options.reduction.empty() ? "value" : options.reduction,
          .lines = {}};
}

static Status plot(const Options &options) {
  SMP_ASSIGN_OR_RETURN(const Trial trial, openTrial(options.folders[0]));
  Plot picture = emptyPlot(options);
  for (const std::string &tensor : options.tensors) {
    if (std::ranges::count(picture.lines, tensor, &PlotLine::name))
      return invalidArgument("the tensor " + quote(tensor) +
                             " is given twice; leave one of them out");
    SMP_ASSIGN_OR_RETURN(const auto points, seriesOf(trial, options, tensor));
    if (points.empty())
      return nothingToShow(trial, options, tensor);
    PlotLine &line = picture.lines.emplace_back(PlotLine{tensor, {}});
    for (const SeriesPoint &point : points)
      line.points.push_back({point.step, point.value});
  }
  return writeFile(options.output, drawPlot(picture));
}

/// Sets `isDifferent` when it is known.
static Status diff(const Options &options, bool &isDifferent) {
  SMP_ASSIGN_OR_RETURN(const Trial one, openTrial(options.folders[0]));
  SMP_ASSIGN_OR_RETURN(const Trial other, openTrial(options.folders[1]));
  SMP_ASSIGN_OR_RETURN(const TrialComparison comparison,
                       diffTrials(one, other, options.regex));
  isDifferent = comparison.difference.has_value();
  return printOutput(reportComparison(comparison, options.isJson));
}

/// Sets `isMet` when it is known.
static Status check(const Options &options, bool &isMet) {
  SMP_ASSIGN_OR_RETURN(const Trial trial, openTrial(options.folders[0]));
  SMP_ASSIGN_OR_RETURN(const TrialCheck checked,
                       checkTrial(trial, options.rules));
  isMet = !checked.findings.empty();
  return printOutput(reportCheck(checked, options.isJson));
}

/// Sets `isOne` where the exit code of success is 1.
static Status run(const Options &options, bool &isOne) {
  switch (options.command) {
  case Command::List:
    return list(options);
  case Command::Show:
    return show(options);
  case Command::Plot:
    return plot(options);
  case Command::Diff:
    return diff(options, isOne);
  case Command::Check:
    break;
  }
  return check(options, isOne);
}

int main(int argc, char **argv) {
  Options options;
  const int failed = options.parse(argc, argv);
  if (failed >= 0)
    return failed;
  bool isOne = false;
  const Status status = run(options, isOne);
  if (status.ok())
    return isOne ? 1 : 0;
  std::fprintf(stderr, "smp-trial: %s\n", status.message().c_str());
  return options.exitCodeOfErrors();
}
