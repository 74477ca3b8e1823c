// SPDX-License-Identifier: Apache-2.0
#include "CheckpointHandles.h"
#include "smp/checkpoint/SaveModel.h"
#include <algorithm>

using namespace smp;
using smp::capi::nullError;
using smp::capi::toError;

static SaveOptions valueOf(const smp_save_options *options) {
  return options ? options->options : SaveOptions();
}

/// Gives the path from where it is kept.
static smp_error *finish(SaveResult result, std::string &kept,
                         const char **out_path) {
  if (!result.ok())
    return toError(result.status());
  kept = result.take();
  if (out_path)
    *out_path = kept.c_str();
  return nullptr;
}

extern "C" {

//===-- Managers ----------------------------------------------------------===//

smp_error *smp_checkpoint_manager_create(const smp_checkpoint_options *options,
                                         smp_checkpoint_manager **out_manager) {
  SMP_RETURN_IF_NULL(options);
  SMP_RETURN_IF_NULL(out_manager);
  if (!options->problem.ok())
    return toError(options->problem);
  CheckpointManager manager(options->checkpoint(), options->options);
  if (Status status = manager.status(); !status.ok())
    return toError(std::move(status));
  *out_manager = new smp_checkpoint_manager{
      options->givenBytes, std::move(manager), {}, {}, {}};
  return nullptr;
}

void smp_checkpoint_manager_destroy(smp_checkpoint_manager *manager) {
  delete manager;
}

const char *smp_checkpoint_manager_latest(smp_checkpoint_manager *manager) {
  if (!manager)
    return "";
  manager->latest = manager->manager.latest();
  return manager->latest.c_str();
}

size_t smp_checkpoint_manager_checkpoints(smp_checkpoint_manager *manager,
                                          const char **out_paths, size_t room) {
  if (!manager)
    return 0;
  std::vector<std::string> &all = manager->checkpoints;
  all = manager->manager.checkpoints();
  for (size_t i = 0; out_paths && i < std::min(room, all.size()); ++i)
    out_paths[i] = all[i].c_str();
  return all.size();
}

smp_error *smp_checkpoint_manager_pin(smp_checkpoint_manager *manager,
                                      const char *name) {
  SMP_RETURN_IF_NULL(manager);
  SMP_RETURN_IF_NULL(name);
  return toError(manager->manager.pin(name));
}
smp_error *smp_checkpoint_manager_unpin(smp_checkpoint_manager *manager,
                                        const char *name) {
  SMP_RETURN_IF_NULL(manager);
  SMP_RETURN_IF_NULL(name);
  return toError(manager->manager.unpin(name));
}

//===-- Saving ------------------------------------------------------------===//

smp_error *smp_checkpoint_manager_save(smp_checkpoint_manager *manager,
                                       const smp_save_options *options,
                                       const char **out_path) {
  SMP_RETURN_IF_NULL(manager);
  return finish(manager->manager.save(valueOf(options)), manager->saved,
                out_path);
}

void smp_checkpoint_manager_save_async(smp_checkpoint_manager *manager,
                                       const smp_save_options *options,
                                       smp_saved saved, void *user,
                                       smp_checkpoint_save **out_save) {
  if (out_save) // Nobody may take what it was for a save of no manager.
    *out_save = nullptr;
  if (!manager) {
    if (saved)
      saved(user, nullError("smp_checkpoint_manager_save_async", "manager"),
            nullptr);
    return;
  }
  OnSaved onSaved;
  if (saved)
    onSaved = [saved, user](const SaveResult &result) {
      saved(user, toError(result.status()),
            result.ok() ? result->c_str() : nullptr);
    };
  CheckpointSave save =
      manager->manager.saveAsync(valueOf(options), std::move(onSaved));
  if (out_save)
    *out_save = new smp_checkpoint_save{std::move(save), {}};
}

int smp_checkpoint_save_done(const smp_checkpoint_save *save) {
  return save && save->save.done();
}
smp_error *smp_checkpoint_save_wait(smp_checkpoint_save *save,
                                    const char **out_path) {
  SMP_RETURN_IF_NULL(save);
  return finish(save->save.wait(), save->path, out_path);
}
void smp_checkpoint_save_destroy(smp_checkpoint_save *save) { delete save; }

const smp_save_counts *
smp_checkpoint_manager_counts(smp_checkpoint_manager *manager) {
  if (!manager)
    return nullptr;
  const SaveCounts counts = manager->manager.counts();
  manager->counts = {counts.committed, counts.failed, counts.replaced,
                     counts.spaced,    counts.notDue, counts.waits};
  return &manager->counts;
}

//===-- Restoring ---------------------------------------------------------===//

smp_error *smp_checkpoint_manager_restore(smp_checkpoint_manager *manager,
                                          const smp_restore_options *options,
                                          smp_restore_report **out_report) {
  SMP_RETURN_IF_NULL(manager);
  auto report =
      manager->manager.restore(options ? options->options : RestoreOptions());
  if (!report.ok())
    return toError(report.status());
  if (out_report)
    *out_report = new smp_restore_report{report.take()};
  return nullptr;
}

void smp_restore_report_destroy(smp_restore_report *report) { delete report; }

const char *smp_restore_report_path(const smp_restore_report *report) {
  return report ? report->report.path.c_str() : "";
}

/// Null for a kind that there is not, and for no report.
static const std::vector<std::string> *namesOf(const smp_restore_report *handle,
                                               smp_match kind) {
  if (!handle)
    return nullptr;
  const RestoreReport &report = handle->report;
  switch (kind) {
  case SMP_MATCHED:
    return &report.matched;
  case SMP_MISSING:
    return &report.missing;
  case SMP_EXTRA:
    return &report.extra;
  }
  return nullptr;
}

size_t smp_restore_report_count(const smp_restore_report *report,
                                smp_match kind) {
  const std::vector<std::string> *names = namesOf(report, kind);
  return names ? names->size() : 0;
}
const char *smp_restore_report_name(const smp_restore_report *report,
                                    smp_match kind, size_t position) {
  return position < smp_restore_report_count(report, kind)
             ? (*namesOf(report, kind))[position].c_str()
             : nullptr;
}

smp_error *
smp_restore_report_assert_consumed(const smp_restore_report *report) {
  SMP_RETURN_IF_NULL(report);
  return toError(report->report.assertConsumed());
}

//===-- Models ------------------------------------------------------------===//

smp_error *smp_save_model(smp_session *session, const char *directory) {
  SMP_RETURN_IF_NULL(session);
  return toError((directory ? saveModel(session->session, directory)
                            : saveModel(session->session))
                     .status());
}
}
