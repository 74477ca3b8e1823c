// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"

using namespace smp;
using smp::capi::checkPointers;
using smp::capi::modeOf;
using smp::capi::nullError;
using smp::capi::text;
using smp::capi::toError;

/// Null: the value itself.
static std::optional<StoredReduction> reductionOf(const char *reduction) {
  return reduction ? std::optional(StoredReduction::parse(reduction))
                   : std::nullopt;
}

extern "C" {

smp_error *smp_trial_open(const char *folder, smp_trial **out_trial) {
  if (smp_error *error = checkPointers(
          "smp_trial_open", {{"folder", folder}, {"out_trial", out_trial}}))
    return error;
  auto opened = Trial::open(folder);
  if (!opened.ok())
    return toError(opened.status());
  *out_trial = new smp_trial{opened.take(), {}, {}, {}};
  return nullptr;
}

void smp_trial_destroy(smp_trial *trial) { delete trial; }

smp_error *smp_trial_refresh(smp_trial *trial) {
  return trial ? toError(trial->trial.refresh())
               : nullError("smp_trial_refresh", "trial");
}

int smp_trial_has_ended(const smp_trial *trial) {
  return trial && trial->trial.hasEnded();
}

smp_error *smp_trial_tensor_names(smp_trial *trial, const char *regex,
                                  const char *const **out_names,
                                  size_t *out_count) {
  if (smp_error *error =
          checkPointers("smp_trial_tensor_names", {{"trial", trial},
                                                   {"out_names", out_names},
                                                   {"out_count", out_count}}))
    return error;
  auto names = trial->trial.tensorNames({.regex = text(regex)});
  if (!names.ok())
    return toError(names.status());
  trial->names = names.take();
  trial->nameViews.clear();
  for (const std::string &name : trial->names)
    trial->nameViews.push_back(name.c_str());
  *out_names = trial->nameViews.data();
  *out_count = trial->nameViews.size();
  return nullptr;
}

smp_error *smp_trial_series(smp_trial *trial, const char *name,
                            const char *reduction, const char *mode,
                            const smp_series_point **out_points,
                            size_t *out_count) {
  if (smp_error *error =
          checkPointers("smp_trial_series", {{"trial", trial},
                                             {"name", name},
                                             {"out_points", out_points},
                                             {"out_count", out_count}}))
    return error;
  const auto wanted = modeOf("smp_trial_series", mode);
  if (!wanted.ok())
    return toError(wanted.status());
  const auto points =
      trial->trial.series(name, reductionOf(reduction), *wanted);
  if (!points.ok())
    return toError(points.status());
  trial->points.clear();
  for (const SeriesPoint &point : *points)
    trial->points.push_back({point.step, point.globalStep, point.value});
  *out_points = trial->points.data();
  *out_count = trial->points.size();
  return nullptr;
}
}
