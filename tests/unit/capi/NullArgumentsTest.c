/* SPDX-License-Identifier: Apache-2.0
 * A pointer that must not be NULL, and is, is an error of every function of
 * smp/smp.h, smp/checkpoint.h and smp/debugger.h: NullArgumentsTest WATCHED.smp
 * FOLDER. The calls are made from the headers, by null-calls: a function that
 * is new is called, and a type that is new does not compile before there is one
 * of it here. */
#include "CApiChecks.h"
#include "smp/debugger.h"

/* For each type, by its name, a good value. */
static struct {
  smp_program *program;
  smp_session *session;
  smp_communicator *communicator;
  smp_options *options;
  smp_socket_options *socket_options;
  smp_error *error;
  smp_tensor *tensor;
  smp_dl_managed_tensor *dl_managed_tensor;
  smp_checkpoint_options *checkpoint_options;
  smp_checkpoint_manager *checkpoint_manager;
  smp_checkpoint_save *checkpoint_save;
  smp_save_options *save_options;
  smp_restore_options *restore_options;
  smp_restore_report *restore_report;
  smp_hook_config *hook_config;
  smp_hook_options *hook_options;
  smp_hook *hook;
  smp_rule_watch *rule_watch;
  smp_trial *trial;
  smp_allocate allocate;
  smp_release release;
  smp_log log;
  smp_profile profile;
  smp_done done;
  smp_give_bytes give_bytes;
  smp_take_bytes take_bytes;
  smp_saved saved;
  smp_rule_action rule_action;
  void *bytes;
  double *real;
  int64_t *number;
  const char *const *names;
} given;

static void *allocate(void *user, size_t bytes, size_t align) {
  (void)user;
  (void)bytes;
  (void)align;
  return NULL;
}
static void release(void *user, void *data, size_t bytes) {
  (void)user;
  (void)data;
  (void)bytes;
}
static void ignore_log(void *user, int is_warning, const char *message,
                       size_t size) {
  (void)user;
  (void)is_warning;
  (void)message;
  (void)size;
}
static void profile(void *user, const smp_span *const *spans, size_t count) {
  (void)user;
  (void)spans;
  (void)count;
}
static void done(void *user, smp_error *error) {
  (void)user;
  smp_error_destroy(error);
}
static void give_bytes(void *user, const void **out_data, size_t *out_size) {
  (void)user;
  *out_data = "";
  *out_size = 0;
}
static void take_bytes(void *user, const void *data, size_t size) {
  (void)user;
  (void)data;
  (void)size;
}
static void saved(void *user, smp_error *error, const char *path) {
  (void)user;
  (void)path;
  smp_error_destroy(error);
}

static void smp_dl_managed_tensor_destroy(smp_dl_managed_tensor *view) {
  if (view)
    view->deleter(view);
}
static int is_empty(const char *text) { return !text || !*text; }

#include "NullCalls.h"

static void give_callbacks(void) {
  given.allocate = allocate;
  given.release = release;
  given.log = ignore_log;
  given.profile = profile;
  given.done = done;
  given.give_bytes = give_bytes;
  given.take_bytes = take_bytes;
  given.saved = saved;
  given.rule_action = smp_stop_run;
}

/* A step, which a hook saves, and a checkpoint. */
static void give_objects(const char *path, const char *folder) {
  static const int64_t shape[2] = {2, 8};
  static const char *const names[1] = {"x"};
  static float values[16];
  static smp_tensor x = SMP_TENSOR_INIT;
  static int64_t number;
  static double real;
  x.name = "x";
  x.dtype = SMP_F32;
  x.rank = 2;
  x.shape = shape;
  x.data = values;
  given.tensor = &x;
  given.bytes = values;
  given.number = &number;
  given.real = &real;
  given.names = names;
  given.error = smp_program_open("nowhere.smp", &given.program);
  CHECK_OK(smp_program_open(path, &given.program));
  CHECK_OK(smp_session_create(given.program, NULL, &given.session));
  CHECK_OK(smp_communicators_create_in_process(1, &given.communicator));
  CHECK_OK(smp_tensor_to_dlpack(&x, &given.dl_managed_tensor));
  given.options = smp_options_create();
  given.socket_options = smp_socket_options_create(0, 1, NULL);
  given.hook_config = smp_hook_config_create();
  smp_hook_config_set_out_dir(given.hook_config, folder);
  smp_hook_config_save_all(given.hook_config);
  smp_hook_config_set_save_interval(given.hook_config, NULL, 1);
  given.hook_options = smp_hook_options_create();
  CHECK_OK(smp_hook_create(given.hook_config, NULL, &given.hook));
  CHECK_OK(smp_hook_attach(given.hook, given.session));
  CHECK_OK(smp_session_step(given.session, "predict", &x, 1, NULL, 0, 0));
  CHECK_OK(smp_hook_close(given.hook));
  CHECK_OK(smp_trial_open(folder, &given.trial));
  given.rule_watch = smp_rule_watch_create(NULL, NULL);
}

static void give_checkpoints(const char *folder) {
  given.save_options = smp_save_options_create();
  given.restore_options = smp_restore_options_create();
  given.checkpoint_options = smp_checkpoint_options_create();
  smp_checkpoint_options_set_directory(given.checkpoint_options, folder);
  smp_checkpoint_options_add_number(given.checkpoint_options, "number",
                                    given.number);
  CHECK_OK(smp_checkpoint_manager_create(given.checkpoint_options,
                                         &given.checkpoint_manager));
  smp_checkpoint_manager_save_async(given.checkpoint_manager, NULL, NULL, NULL,
                                    &given.checkpoint_save);
  CHECK_OK(smp_checkpoint_save_wait(given.checkpoint_save, NULL));
  CHECK_OK(smp_checkpoint_manager_restore(given.checkpoint_manager, NULL,
                                          &given.restore_report));
}

static void take_back(void) {
  smp_restore_report_destroy(given.restore_report);
  smp_checkpoint_save_destroy(given.checkpoint_save);
  smp_checkpoint_manager_destroy(given.checkpoint_manager);
  smp_checkpoint_options_destroy(given.checkpoint_options);
  smp_restore_options_destroy(given.restore_options);
  smp_save_options_destroy(given.save_options);
  smp_trial_destroy(given.trial);
  smp_rule_watch_destroy(given.rule_watch);
  smp_hook_destroy(given.hook);
  smp_hook_options_destroy(given.hook_options);
  smp_hook_config_destroy(given.hook_config);
  smp_socket_options_destroy(given.socket_options);
  smp_options_destroy(given.options);
  smp_dl_managed_tensor_destroy(given.dl_managed_tensor);
  smp_session_destroy(given.session);
  smp_communicator_destroy(given.communicator);
  smp_program_destroy(given.program);
  smp_error_destroy(given.error);
}

/* A save of no manager ends as one that fails. */
static void keep_error(void *user, smp_error *error, const char *path) {
  CHECK(path == NULL);
  *(smp_error **)user = error;
}
static void test_no_manager(void) {
  smp_error *error = NULL;
  smp_checkpoint_save *save = given.checkpoint_save;
  smp_checkpoint_manager_save_async(NULL, NULL, keep_error, &error, &save);
  CHECK_ERROR(error, SMP_INVALID_ARGUMENT, "manager is NULL");
  CHECK(save == NULL);
}

/* A list of nothing has no elements. */
static void test_counts(void) {
  size_t count[4] = {7, 7, 7, 7};
  smp_session_memory(NULL, &count[0]);
  smp_session_stage_times(NULL, &count[1]);
  smp_hook_values(NULL, "x", &count[2]);
  smp_rule_watch_report(NULL, &count[3]);
  CHECK(count[0] + count[1] + count[2] + count[3] == 0);
}

int main(int argc, char **argv) {
  char run[4096], checkpoints[4096];
  if (argc != 3)
    return 2;
  snprintf(run, sizeof(run), "%s/run", argv[2]);
  snprintf(checkpoints, sizeof(checkpoints), "%s/checkpoints", argv[2]);
  give_callbacks();
  give_objects(argv[1], run);
  give_checkpoints(checkpoints);
  if (failures)
    return 1;
  call_all_with_null();
  test_no_manager();
  test_counts();
  take_back();
  return failures ? 1 : 0;
}
