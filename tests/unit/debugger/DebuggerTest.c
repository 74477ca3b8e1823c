/* SPDX-License-Identifier: Apache-2.0
 * Watching a run as a C99 program does it: DebuggerTest WATCHED.smp FOLDER.
 * The program has y, which is 2 x + 1, in "train" and "predict"; in "train" and
 * "eval" it is the loss, too. The folder is not there. */
#include "smp/debugger.h"
#include "CApiChecks.h"

static const char *folder;

/* A step with x all `value`. */
static smp_error *make_step(smp_session *session, const char *entry,
                            float value) {
  static const int64_t shape[2] = {2, 8};
  float values[16];
  smp_tensor x = SMP_TENSOR_INIT;
  int i;
  for (i = 0; i < 16; ++i)
    values[i] = value;
  x.name = "x";
  x.dtype = SMP_F32;
  x.rank = 2;
  x.shape = shape;
  x.data = values;
  return smp_session_step(session, entry, &x, 1, NULL, 0, 0);
}

static smp_hook *hook_of_run(void) {
  smp_hook *hook = NULL;
  smp_hook_config *config = smp_hook_config_create();
  smp_hook_config_set_out_dir(config, folder);
  smp_hook_config_set_save_interval(config, NULL, 2);
  smp_hook_config_add_include_regex(config, "mine", "^y$");
  smp_hook_config_add_reduction(config, "mine", "abs_max");
  CHECK_OK(smp_hook_create(config, NULL, &hook));
  smp_hook_config_destroy(config);
  if (!hook)
    exit(1);
  return hook;
}

static void test_hook(smp_session *session) {
  smp_hook *hook = hook_of_run();
  const smp_captured_value *const *values;
  size_t count = 0;
  float weights[3] = {1, 2, 6};
  const int64_t shape[1] = {3};
  const char *collections[2] = {"weights", "default"};
  smp_tensor tensor = SMP_TENSOR_INIT;
  int i;
  CHECK_OK(smp_hook_register_loss(hook, "loss"));
  CHECK_OK(smp_hook_attach(hook, session));
  CHECK_ERROR(smp_hook_attach(hook, session), SMP_FAILED_PRECONDITION,
              "every Session needs a hook of its own");
  for (i = 0; i < 5; ++i)
    CHECK_OK(make_step(session, "train", (float)i));
  CHECK(strcmp(smp_hook_mode(hook), "train") == 0);
  CHECK_ERROR(smp_hook_set_mode(hook, "training"), SMP_INVALID_ARGUMENT,
              "mode is 'training'");
  CHECK_OK(smp_hook_save_scalar(hook, "accuracy", 0.5, 0));
  tensor.name = "given";
  tensor.dtype = SMP_F32;
  tensor.rank = 1;
  tensor.shape = shape;
  tensor.data = weights;
  CHECK_OK(smp_hook_save_tensor(hook, &tensor, collections, 2));
  values = smp_hook_values(hook, "loss", &count);
  CHECK(count == 3 && values[3] == NULL);
  CHECK(values[2]->mode_step == 4 && values[2]->global_step == 4);
  CHECK(strcmp(values[2]->mode, "train") == 0 && values[2]->mean == 9);
  CHECK_OK(make_step(session, "predict", 1));
  CHECK_OK(smp_hook_close(hook));
  CHECK(smp_hook_counts(hook)->written == 4);
  CHECK(strstr(smp_hook_summary(hook), "has 4 steps in ") != NULL);
  smp_hook_destroy(hook);

  hook = hook_of_run();
  CHECK_ERROR(smp_hook_attach(hook, session), SMP_FAILED_PRECONDITION, folder);
  smp_hook_destroy(hook);
}

static void test_trial(void) {
  smp_trial *trial = NULL;
  const char *const *names = NULL;
  const smp_series_point *points = NULL;
  size_t count = 0, i;
  CHECK_OK(smp_trial_open(folder, &trial));
  CHECK(smp_trial_has_ended(trial));
  CHECK_OK(smp_trial_tensor_names(trial, NULL, &names, &count));
  CHECK(count == 4);
  CHECK_OK(smp_trial_series(trial, "y", "abs_max", "train", &points, &count));
  CHECK(count == 3);
  for (i = 0; i < count; ++i)
    CHECK(points[i].step == 2 * i && points[i].value == 4.0 * (double)i + 1);
  CHECK_OK(smp_trial_series(trial, "given", "mean", "global", &points, &count));
  CHECK(count == 1 && points[0].global_step == 4 && points[0].value == 3);
  CHECK_ERROR(smp_trial_series(trial, "z", "mean", "global", &points, &count),
              SMP_INVALID_ARGUMENT, "'z' was not saved");
  smp_trial_destroy(trial);
}

/* Counts, and lets the run go on. */
static int count_finding(void *user, const smp_finding *finding) {
  CHECK(strcmp(finding->rule, "AllZero") == 0);
  CHECK(strcmp(finding->tensor, "y") == 0);
  CHECK(strcmp(finding->mode, "train") == 0 && finding->mode_step == 6);
  CHECK(strstr(finding->message, "all of its elements are 0") != NULL);
  ++*(int *)user;
  return 0;
}

static void test_rules(smp_session *session) {
  smp_rule_watch *watch = smp_rule_watch_create(NULL, NULL);
  const smp_rule_report *const *reports;
  size_t count = 0;
  int found = 0;
  CHECK_ERROR(smp_rule_watch_add(watch, "Nonsense", NULL, NULL),
              SMP_INVALID_ARGUMENT, "'Nonsense'");
  CHECK_OK(smp_rule_watch_add(watch, "AllZero,tensor_regex=^y$", count_finding,
                              &found));
  CHECK_OK(smp_rule_watch_add(watch, "AllZero,tensor_regex=^loss$",
                              smp_stop_run, NULL));
  CHECK_OK(smp_rule_watch_attach(watch, session));
  CHECK_OK(make_step(session, "train", 1));
  CHECK(found == 0);
  CHECK_ERROR(make_step(session, "train", -0.5f), SMP_FAILED_PRECONDITION,
              "AllZero is met at step 6 of TRAIN");
  CHECK(found == 1);
  reports = smp_rule_watch_report(watch, &count);
  CHECK(count == 2);
  CHECK(reports[0]->evaluated == 2 && reports[0]->met == 1);
  CHECK(strcmp(reports[1]->first->tensor, "loss") == 0);
  smp_rule_watch_destroy(watch);
}

int main(int argc, char **argv) {
  smp_program *program = NULL;
  smp_session *session = NULL;
  if (argc != 3)
    return 2;
  folder = argv[2];
  CHECK_OK(smp_program_open(argv[1], &program));
  if (!program)
    return 1;
  CHECK_OK(smp_session_create(program, NULL, &session));
  if (!session)
    return 1;
  test_hook(session);
  test_trial();
  test_rules(session);
  smp_session_destroy(session);
  smp_program_destroy(program);
  return failures ? 1 : 0;
}
