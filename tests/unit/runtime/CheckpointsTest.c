/* SPDX-License-Identifier: Apache-2.0
 * Saving and restoring as a C99 program does it:
 * CheckpointsTest TRAINED.smp CHAIN.smp FOLDER. */
#include "CApiTrainings.h"
#include "smp/checkpoint.h"

static smp_checkpoint_manager *manage(training *run, const char *test) {
  smp_checkpoint_options *options = options_of(run, test);
  smp_checkpoint_options_add_number(options, "epoch", &run->epoch);
  smp_checkpoint_options_add_real(options, "rate", &run->rate);
  smp_checkpoint_options_add_bytes(options, "text", give_text, take_text,
                                   run->text);
  return manager_of(options);
}

static size_t find(const smp_restore_report *report, smp_match kind,
                   const char *name) {
  size_t i, found = 0;
  for (i = 0; i < smp_restore_report_count(report, kind); ++i)
    found += strcmp(smp_restore_report_name(report, kind, i), name) == 0;
  return found;
}

static void test_resume(void) {
  training run;
  smp_checkpoint_manager *manager;
  smp_restore_report *report = NULL;
  open_training(&run, trained_path);
  manager = manage(&run, "resume");
  CHECK(strcmp(smp_checkpoint_manager_latest(manager), "") == 0);
  CHECK_OK(smp_checkpoint_manager_restore(manager, NULL, &report));
  CHECK(strcmp(smp_restore_report_path(report), "") == 0);
  CHECK(smp_restore_report_count(report, SMP_MATCHED) == 0);
  CHECK_ERROR(smp_restore_report_assert_consumed(report),
              SMP_FAILED_PRECONDITION, "there was no checkpoint");
  smp_restore_report_destroy(report);
  fill(&run, 5);
  run.epoch = 7;
  run.rate = 0.1;
  strcpy(run.text, "line 12");
  CHECK_SAVE(manager, NULL, "resume/ckpt-1");
  run.epoch = 8;
  CHECK_OK(smp_checkpoint_manager_save(manager, NULL, NULL));
  CHECK(ends_with(smp_checkpoint_manager_latest(manager), "/ckpt-2"));
  smp_checkpoint_manager_destroy(manager);
  close_training(&run);

  open_training(&run, trained_path);
  manager = manage(&run, "resume");
  CHECK(!is_filled(&run, 5));
  CHECK_OK(smp_checkpoint_manager_restore(manager, NULL, &report));
  CHECK(is_filled(&run, 5));
  CHECK(run.epoch == 8 && run.rate == 0.1 && strcmp(run.text, "line 12") == 0);
  CHECK(ends_with(smp_restore_report_path(report), "resume/ckpt-2"));
  /* Six variables, three values and the save counter. */
  CHECK(smp_restore_report_count(report, SMP_MATCHED) == 10);
  CHECK(find(report, SMP_MATCHED, "model/w") == 1);
  CHECK(find(report, SMP_MATCHED, "optimizer/w.m") == 1);
  CHECK(find(report, SMP_MATCHED, "text") == 1);
  CHECK(smp_restore_report_count(report, SMP_MISSING) == 0);
  CHECK(smp_restore_report_name(report, SMP_MATCHED, 10) == NULL);
  CHECK(smp_restore_report_count(report, (smp_match)9) == 0);
  CHECK(smp_restore_report_name(report, (smp_match)9, 0) == NULL);
  CHECK_OK(smp_restore_report_assert_consumed(report));
  smp_restore_report_destroy(report);
  smp_checkpoint_manager_destroy(manager);
  close_training(&run);
}

static void test_named(void) {
  training run;
  smp_checkpoint_manager *manager;
  smp_restore_options *options = smp_restore_options_create();
  open_training(&run, trained_path);
  manager = manage(&run, "named");
  for (run.epoch = 1; run.epoch < 4; ++run.epoch)
    CHECK_OK(smp_checkpoint_manager_save(manager, NULL, NULL));
  smp_restore_options_set_name(options, "ckpt-2");
  CHECK_OK(smp_checkpoint_manager_restore(manager, options, NULL));
  CHECK(run.epoch == 2);
  smp_restore_options_set_name(options, path_of("named", "ckpt-1"));
  CHECK_OK(smp_checkpoint_manager_restore(manager, options, NULL));
  CHECK(run.epoch == 1);
  smp_restore_options_set_name(options, "ckpt-9");
  CHECK_ERROR(smp_checkpoint_manager_restore(manager, options, NULL),
              SMP_UNAVAILABLE, "others that are complete: 'ckpt-3'");
  smp_restore_options_destroy(options);
  smp_checkpoint_manager_destroy(manager);
  close_training(&run);
}

/* What only one side has: by name in the error, by kind in the report. */
static void test_partial(void) {
  training run, other;
  int64_t line = 3;
  smp_checkpoint_options *options;
  smp_checkpoint_manager *manager;
  smp_restore_options *partial = smp_restore_options_create();
  smp_restore_report *report = NULL;
  open_training(&run, trained_path);
  manager = manage(&run, "partial");
  fill(&run, 5);
  CHECK_OK(smp_checkpoint_manager_save(manager, NULL, NULL));
  smp_checkpoint_manager_destroy(manager);

  open_training(&other, chain_path); /* Has w, and nothing else. */
  options = options_of(&other, "partial");
  smp_checkpoint_options_add_number(options, "line", &line);
  manager = manager_of(options);
  CHECK_ERROR(smp_checkpoint_manager_restore(manager, NULL, &report),
              SMP_INVALID_ARGUMENT, "it lacks 'line'; it has 'model/b'");
  CHECK(report == NULL);
  smp_restore_options_expect_partial(partial);
  CHECK_OK(smp_checkpoint_manager_restore(manager, partial, &report));
  CHECK(line == 3);
  CHECK(find(report, SMP_MATCHED, "model/w") == 1);
  CHECK(smp_restore_report_count(report, SMP_MISSING) == 1);
  CHECK(find(report, SMP_MISSING, "line") == 1);
  CHECK(find(report, SMP_EXTRA, "model/b") == 1);
  CHECK(find(report, SMP_EXTRA, "epoch") == 1);
  CHECK_ERROR(smp_restore_report_assert_consumed(report),
              SMP_FAILED_PRECONDITION, "it lacks 'line'");
  smp_restore_report_destroy(report);
  smp_checkpoint_manager_destroy(manager);
  close_training(&other);

  /* Another type is never partial: each kind of value refuses those of others.
   */
  options = options_of(&run, "partial");
  smp_checkpoint_options_add_real(options, "epoch", &run.rate);
  smp_checkpoint_options_add_number(options, "text", &line);
  smp_checkpoint_options_add_bytes(options, "rate", give_text, take_text,
                                   run.text);
  manager = manager_of(options);
  CHECK_ERROR(smp_checkpoint_manager_restore(manager, partial, NULL),
              SMP_INVALID_ARGUMENT,
              "value 'epoch': the checkpoint has a i64 of rank 0; one f64");
  CHECK_ERROR(smp_checkpoint_manager_restore(manager, partial, NULL),
              SMP_INVALID_ARGUMENT,
              "value 'rate': the checkpoint has a f64 of rank 0; bytes");
  CHECK(line == 3);
  smp_checkpoint_manager_destroy(manager);
  smp_restore_options_destroy(partial);
  close_training(&run);
}

static void test_damaged(void) {
  training run;
  smp_checkpoint_manager *manager;
  smp_restore_options *options = smp_restore_options_create();
  FILE *file;
  int last;
  open_training(&run, trained_path);
  manager = manage(&run, "damaged");
  for (run.epoch = 1; run.epoch < 3; ++run.epoch)
    CHECK_OK(smp_checkpoint_manager_save(manager, NULL, NULL));
  file = fopen(path_of("damaged", "ckpt-2.model.safetensors"), "r+b");
  CHECK(file && fseek(file, -1, SEEK_END) == 0);
  last = fgetc(file);
  CHECK(fseek(file, -1, SEEK_END) == 0 && fputc(last ^ 1, file) == (last ^ 1));
  CHECK(fclose(file) == 0);
  CHECK_ERROR(smp_checkpoint_manager_restore(manager, NULL, NULL),
              SMP_DATA_LOSS, "'ckpt-1'");
  CHECK(run.epoch == 3);
  smp_restore_options_fall_back(options);
  CHECK_OK(smp_checkpoint_manager_restore(manager, options, NULL));
  CHECK(run.epoch == 1);
  smp_restore_options_destroy(options);
  smp_checkpoint_manager_destroy(manager);
  close_training(&run);
}

/* What became of a save; its manager is gone before anyone looks. */
typedef struct outcome {
  int calls;
  smp_error *error;
  char path[4096];
} outcome;

static void when_saved(void *user, smp_error *error, const char *path) {
  outcome *result = user;
  ++result->calls;
  result->error = error;
  snprintf(result->path, sizeof(result->path), "%s", path ? path : "(none)");
}

static void count_log(void *user, int is_warning, const char *message,
                      size_t size) {
  (void)message;
  *(size_t *)user += is_warning && size > 0;
}

static void test_async(void) {
  training run;
  size_t warnings = 0;
  const char *path = NULL;
  outcome good = {0}, bad = {0};
  smp_checkpoint_save *save = NULL, *failed = NULL;
  smp_save_options *negative = smp_save_options_create();
  smp_checkpoint_options *options;
  smp_checkpoint_manager *manager;
  smp_save_counts counts;
  open_training(&run, trained_path);
  run.epoch = 1;
  options = options_of(&run, "async");
  smp_checkpoint_options_add_number(options, "epoch", &run.epoch);
  smp_checkpoint_options_set_log(options, count_log, &warnings);
  smp_checkpoint_options_wait_when_busy(options);
  manager = manager_of(options);
  fill(&run, 9);
  smp_checkpoint_manager_save_async(manager, NULL, when_saved, &good, &save);
  run.epoch = 2; /* The save has a copy. */
  fill(&run, 10);
  CHECK_OK(smp_checkpoint_save_wait(save, &path));
  CHECK(ends_with(path, "async/ckpt-1") && smp_checkpoint_save_done(save));
  smp_save_options_set_number(negative, -1);
  smp_checkpoint_manager_save_async(manager, negative, when_saved, &bad,
                                    &failed);
  CHECK_ERROR(smp_checkpoint_save_wait(failed, &path), SMP_INVALID_ARGUMENT,
              "the number is -1");
  CHECK(ends_with(path, "async/ckpt-1"));
  CHECK_OK(smp_checkpoint_manager_restore(manager, NULL, NULL));
  CHECK(run.epoch == 1 && is_filled(&run, 9));
  smp_checkpoint_manager_save_async(manager, NULL, NULL, NULL, NULL);
  smp_checkpoint_manager_save_async(manager, NULL, NULL, NULL, NULL);
  smp_checkpoint_manager_save_async(manager, NULL, NULL, NULL, NULL);
  CHECK_SAVE(manager, NULL, "async/ckpt-5");
  counts = *smp_checkpoint_manager_counts(manager);
  CHECK(counts.committed == 5 && counts.failed == 1 && counts.replaced == 0);
  smp_checkpoint_manager_destroy(manager);
  close_training(&run);
  CHECK(good.calls == 1 && ends_with(good.path, "async/ckpt-1"));
  CHECK_OK(good.error);
  CHECK(bad.calls == 1 && strcmp(bad.path, "(none)") == 0 && warnings == 1);
  CHECK_ERROR(bad.error, SMP_INVALID_ARGUMENT, "the number is -1");
  CHECK(ends_with(path, "async/ckpt-1")); /* As long as the handle. */
  CHECK_OK(smp_checkpoint_save_wait(save, NULL));
  smp_checkpoint_save_destroy(save);
  smp_checkpoint_save_destroy(failed);
  smp_save_options_destroy(negative);
}

static void test_model(void) {
  training run, model;
  char program[4096];
  float first[16], second[16];
  open_training(&run, trained_path);
  fill(&run, 5);
  snprintf(program, sizeof(program), "%s",
           path_of("model/here", "program.smp"));
  CHECK_OK(smp_save_model(run.session, path_of("model", "here")));
  CHECK_ERROR(smp_save_model(run.session, path_of("model", "here")),
              SMP_FAILED_PRECONDITION, "which is not replaced");
  CHECK_ERROR(smp_save_model(NULL, folder), SMP_INVALID_ARGUMENT,
              "session is NULL");
  open_training(&model, program);
  CHECK_OK(smp_session_get_variable(run.session, "w", first, sizeof(first)));
  CHECK_OK(
      smp_session_get_variable(model.session, "w", second, sizeof(second)));
  CHECK(memcmp(first, second, sizeof(first)) == 0);
  close_training(&model);
  close_training(&run);
}

int main(int argc, char **argv) {
  if (!read_arguments(argc, argv))
    return 2;
  test_resume();
  test_named();
  test_partial();
  test_damaged();
  test_async();
  test_model();
  return failures ? 1 : 0;
}
