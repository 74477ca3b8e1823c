/* SPDX-License-Identifier: Apache-2.0
 * Options of checkpoints in C99, each by what it does and by what it refuses:
 * CheckpointRulesTest TRAINED.smp CHAIN.smp FOLDER. */
#include "CApiTrainings.h"
#include "smp/checkpoint.h"

static void check_list(smp_checkpoint_manager *manager, const char *const *ends,
                       size_t count, int line) {
  const char *paths[16];
  size_t i, found = smp_checkpoint_manager_checkpoints(manager, paths, 16);
  size_t wrong = found != count;
  for (i = 0; i < found && i < count; ++i)
    wrong += !ends_with(paths[i], ends[i]);
  if (wrong) {
    ++failures;
    fprintf(stderr, "line %d: the list has %d\n", line, (int)found);
    for (i = 0; i < found; ++i)
      fprintf(stderr, "  %s\n", paths[i]);
  }
}
#define CHECK_LIST(manager, ...)                                               \
  do {                                                                         \
    const char *const ends[] = {__VA_ARGS__};                                  \
    check_list(manager, ends, sizeof(ends) / sizeof(*ends), __LINE__);         \
  } while (0)

static void test_newest_best_and_pinned(void) {
  const double metrics[] = {1, 9, 2, 3};
  training run;
  smp_checkpoint_options *options;
  smp_checkpoint_manager *manager;
  const char *first = NULL;
  size_t i;
  open_training(&run, trained_path);
  options = options_of(&run, "keep");
  smp_checkpoint_options_set_max_to_keep(options, 2);
  smp_checkpoint_options_set_keep_best(options, 1, /*larger_is_better=*/1);
  smp_checkpoint_options_set_name(options, "run");
  manager = manager_of(options);
  for (i = 0; i < 4; ++i) {
    smp_save_options *save = smp_save_options_create();
    smp_save_options_set_metric(save, metrics[i]);
    CHECK_OK(smp_checkpoint_manager_save(manager, save, NULL));
    smp_save_options_destroy(save);
  }
  CHECK_LIST(manager, "/run-2", "/run-3", "/run-4");
  CHECK(!exists("keep", "run-1.json") && exists("keep", "run-2.json"));
  CHECK(smp_checkpoint_manager_checkpoints(manager, &first, 1) == 3);
  CHECK(ends_with(first, "/run-2"));

  CHECK_OK(smp_checkpoint_manager_pin(manager, "run-3"));
  CHECK_SAVE(manager, NULL, "/run-5");
  CHECK_LIST(manager, "/run-2", "/run-3", "/run-4", "/run-5");
  CHECK_OK(smp_checkpoint_manager_unpin(manager, path_of("keep", "run-3")));
  CHECK_SAVE(manager, NULL, "/run-6");
  CHECK_LIST(manager, "/run-2", "/run-5", "/run-6");
  CHECK_ERROR(smp_checkpoint_manager_pin(manager, "run-3"), SMP_UNAVAILABLE,
              "there is no complete checkpoint");
  CHECK_ERROR(smp_checkpoint_manager_pin(manager, NULL), SMP_INVALID_ARGUMENT,
              "smp_checkpoint_manager_pin: name is NULL");
  CHECK_ERROR(smp_checkpoint_manager_unpin(manager, NULL), SMP_INVALID_ARGUMENT,
              "smp_checkpoint_manager_unpin: name is NULL");
  smp_checkpoint_manager_destroy(manager);
  close_training(&run);
}

/* Of smaller metrics, and hours so short that each checkpoint stays. */
static void test_smallest_and_hours(void) {
  training run;
  smp_checkpoint_options *options;
  smp_checkpoint_manager *manager;
  smp_save_options *save = smp_save_options_create();
  open_training(&run, trained_path);
  options = options_of(&run, "hours");
  smp_checkpoint_options_set_max_to_keep(options, 1);
  smp_checkpoint_options_set_keep_best(options, 1, /*larger_is_better=*/0);
  smp_checkpoint_options_set_keep_every_hours(options, 1e-12);
  manager = manager_of(options);
  smp_save_options_set_metric(save, -1);
  CHECK_OK(smp_checkpoint_manager_save(manager, save, NULL));
  smp_save_options_set_metric(save, 1);
  CHECK_OK(smp_checkpoint_manager_save(manager, save, NULL));
  CHECK_OK(smp_checkpoint_manager_save(manager, save, NULL));
  CHECK_LIST(manager, "/ckpt-1", "/ckpt-3");
  CHECK(exists("hours", "ckpt-2.json"));
  smp_save_options_destroy(save);
  smp_checkpoint_manager_destroy(manager);
  close_training(&run);
}

static void test_interval_and_number(void) {
  training run;
  int64_t step = 10;
  smp_checkpoint_options *options;
  smp_checkpoint_manager *manager;
  smp_save_options *save = smp_save_options_create();
  open_training(&run, trained_path);
  options = options_of(&run, "interval");
  smp_checkpoint_options_set_interval(options, &step, 5);
  smp_checkpoint_options_set_budget(options, 1);
  manager = manager_of(options);
  CHECK_SAVE(manager, NULL, "/ckpt-1");
  step = 14;
  CHECK_SAVE(manager, NULL, "");
  smp_save_options_ignore_interval(save);
  smp_save_options_set_number(save, 20);
  CHECK_SAVE(manager, save, "/ckpt-20");
  step = 19;
  CHECK_SAVE(manager, NULL, "/ckpt-21");
  CHECK(smp_checkpoint_manager_counts(manager)->not_due == 1);
  smp_save_options_destroy(save);
  smp_checkpoint_manager_destroy(manager);
  close_training(&run);
}

static void test_files(void) {
  training run;
  smp_checkpoint_options *options;
  smp_checkpoint_manager *manager;
  open_training(&run, trained_path);
  options = options_of(&run, "files");
  smp_checkpoint_options_set_max_shard_size(options, 64);
  smp_checkpoint_options_set_io_device(options, "/job:smp/task:0");
  manager = manager_of(options);
  CHECK_OK(smp_checkpoint_manager_save(manager, NULL, NULL));
  CHECK(exists("files", "ckpt-1.model-00001-of-00002.safetensors"));
  CHECK(!exists("files", "ckpt-1.model.safetensors"));
  CHECK_OK(smp_checkpoint_manager_restore(manager, NULL, NULL));
  smp_checkpoint_manager_destroy(manager);

  options = options_of(&run, "files");
  smp_checkpoint_options_set_max_shard_size(options, 0);
  manager = manager_of(options);
  CHECK_ERROR(smp_checkpoint_manager_save(manager, NULL, NULL),
              SMP_INVALID_ARGUMENT, "a shard has at most 0 bytes");
  smp_checkpoint_manager_destroy(manager);
  options = options_of(&run, "files");
  smp_checkpoint_options_set_io_device(options, "/job:smp/task:1");
  manager = manager_of(options);
  CHECK_ERROR(smp_checkpoint_manager_restore(manager, NULL, NULL),
              SMP_INVALID_ARGUMENT, "ioDevice is '/job:smp/task:1'");
  smp_checkpoint_manager_destroy(manager);
  close_training(&run);
}

/* The manager of the options, which it destroys, is refused. */
static void check_refused(smp_checkpoint_options *options, const char *part,
                          int line) {
  smp_checkpoint_manager *manager = NULL;
  check_error(smp_checkpoint_manager_create(options, &manager),
              SMP_INVALID_ARGUMENT, part, line);
  CHECK(manager == NULL);
  smp_checkpoint_options_destroy(options);
}
#define CHECK_REFUSED(call, part)                                              \
  do {                                                                         \
    smp_checkpoint_options *options = options_of(&run, "wrong");               \
    call;                                                                      \
    check_refused(options, part, __LINE__);                                    \
  } while (0)

static void give_nothing(void *user, const void **out_data, size_t *out_size) {
  (void)user;
  (void)out_data;
  *out_size = 5;
}
static void take_nothing(void *user, const void *data, size_t size) {
  (void)user;
  (void)data;
  (void)size;
}

static void test_wrong_options(void) {
  training run;
  int64_t number = 0;
  double real = 0;
  open_training(&run, trained_path);
  CHECK_REFUSED(smp_checkpoint_options_set_max_to_keep(options, 0),
                "`max_to_keep`, got 0.");
  CHECK_REFUSED(smp_checkpoint_options_set_keep_every_hours(options, -1),
                "keepEveryHours is -1");
  CHECK_REFUSED(smp_checkpoint_options_set_keep_best(options, 0, 1),
                "keepBest.count is 0");
  CHECK_REFUSED(smp_checkpoint_options_set_interval(options, &number, 0),
                "checkpointInterval is 0");
  CHECK_REFUSED(smp_checkpoint_options_set_interval(options, NULL, 5),
                "stepCounter is null");
  CHECK_REFUSED(smp_checkpoint_options_set_budget(options, 2), "budget is 2");
  CHECK_REFUSED(smp_checkpoint_options_set_directory(options, NULL),
                "needs a directory");
  CHECK_REFUSED(smp_checkpoint_options_set_name(options, "a/b"),
                "checkpointName is 'a/b'");
  CHECK_REFUSED(smp_checkpoint_options_set_name(options, NULL),
                "checkpointName is ''");
  CHECK_REFUSED(smp_checkpoint_options_add_number(options, "a b", &number),
                "is named 'a b'");
  CHECK_REFUSED(smp_checkpoint_options_add_number(options, NULL, &number),
                "smp_checkpoint_options_add_number: name is NULL");
  CHECK_REFUSED(smp_checkpoint_options_add_real(options, "x", NULL),
                "smp_checkpoint_options_add_real: value is NULL");
  CHECK_REFUSED(
      smp_checkpoint_options_add_bytes(options, "x", NULL, take_nothing, NULL),
      "smp_checkpoint_options_add_bytes: give is NULL");
  CHECK_REFUSED(
      smp_checkpoint_options_add_bytes(options, "x", give_nothing, NULL, NULL),
      "smp_checkpoint_options_add_bytes: take is NULL");
  CHECK_REFUSED(smp_checkpoint_options_add_session(options, "model", NULL),
                "smp_checkpoint_options_add_session: session is NULL");
  CHECK_REFUSED(smp_checkpoint_options_add_session(options, "net", run.session),
                "model, optimizer, state and random");
  CHECK_REFUSED(smp_checkpoint_options_add_real(options, "model", &real),
                "root.model already exists");
  CHECK_REFUSED((smp_checkpoint_options_add_real(options, "x", &real),
                 smp_checkpoint_options_add_number(options, "x", &number)),
                "two roots of a Checkpoint are named 'x'");
  CHECK_REFUSED(smp_checkpoint_options_add_real(options, "save_counter", &real),
                "must be an int64_t");
  check_refused(smp_checkpoint_options_create(), "has nothing to save",
                __LINE__);
  check_refused(NULL, "smp_checkpoint_manager_create: options is NULL",
                __LINE__);
  CHECK(!exists("wrong", "checkpoint"));
  close_training(&run);
}

static void test_sessions(void) {
  training run, other;
  smp_checkpoint_options *options;
  smp_checkpoint_manager *manager;
  open_training(&run, trained_path);
  open_training(&other, chain_path);
  options = options_of(&run, "sessions");
  smp_checkpoint_options_add_session(options, NULL, other.session);
  check_refused(options, "name is NULL for two sessions", __LINE__);
  options = options_of(&run, "sessions");
  smp_checkpoint_options_add_session(options, NULL, run.session);
  smp_checkpoint_options_add_session(options, "state", run.session);
  manager = manager_of(options);
  CHECK_OK(smp_checkpoint_manager_save(manager, NULL, NULL));
  smp_checkpoint_manager_destroy(manager);

  options = options_of(&run, "bytes");
  smp_checkpoint_options_add_bytes(options, "x", give_nothing, take_nothing,
                                   NULL);
  manager = manager_of(options);
  CHECK_ERROR(smp_checkpoint_manager_save(manager, NULL, NULL),
              SMP_INVALID_ARGUMENT, "*out_data is NULL for 5 bytes");
  smp_checkpoint_manager_destroy(manager);
  close_training(&other);
  close_training(&run);
}

int main(int argc, char **argv) {
  if (!read_arguments(argc, argv))
    return 2;
  test_newest_best_and_pinned();
  test_smallest_and_hours();
  test_interval_and_number();
  test_files();
  test_wrong_options();
  test_sessions();
  smp_checkpoint_options_destroy(NULL);
  smp_checkpoint_manager_destroy(NULL);
  smp_checkpoint_save_destroy(NULL);
  smp_save_options_destroy(NULL);
  smp_restore_options_destroy(NULL);
  smp_restore_report_destroy(NULL);
  return failures ? 1 : 0;
}
