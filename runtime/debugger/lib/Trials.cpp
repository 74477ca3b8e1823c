// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"

using namespace smp;
using smp::capi::modeOf;
using smp::capi::text;
using smp::capi::toError;

/// Null: the value itself.
static std::optional<StoredReduction> reductionOf(const char *reduction) {
  return reduction ? std::optional(StoredReduction::parse(reduction))
                   : std::nullopt;
}

extern "C" {

smp_error *smp_trial_open(const char *folder, smp_trial **out_trial) {
  SMP_RETURN_IF_NULL(folder);
  SMP_RETURN_IF_NULL(out_trial);
  auto opened = Trial::open(folder);
  if (!opened.ok())
    return toError(opened.status());
  *out_trial = new smp_trial{opened.take(), {}, {}, {}};
  return nullptr;
}

void smp_trial_destroy(smp_trial *trial) { delete trial; }

smp_error *smp_trial_refresh(smp_trial *trial) {
  SMP_RETURN_IF_NULL(trial);
  return toError(trial->trial.refresh());
}

int smp_trial_has_ended(const smp_trial *trial) {
  return trial && trial->trial.hasEnded();
}

smp_error *smp_trial_tensor_names(smp_trial *trial, const char *regex,
                                  const char *const **out_names,
                                  size_t *out_count) {
  SMP_RETURN_IF_NULL(trial);
  SMP_RETURN_IF_NULL(out_names);
  SMP_RETURN_IF_NULL(out_count);
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
  SMP_RETURN_IF_NULL(trial);
  SMP_RETURN_IF_NULL(name);
  SMP_RETURN_IF_NULL(out_points);
  SMP_RETURN_IF_NULL(out_count);
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
