/* SPDX-License-Identifier: Apache-2.0
 * A training that tests of checkpoints save and restore, in C99. */
#ifndef SMP_TESTS_UNIT_RUNTIME_CAPITRAININGS_H
#define SMP_TESTS_UNIT_RUNTIME_CAPITRAININGS_H

#include "CApiChecks.h"

/* As the command line has them: programs, and a folder that is not there. */
static const char *trained_path, *chain_path, *folder;

/* A session with variables of every kind, and values of the application. */
typedef struct training {
  smp_program *program;
  smp_session *session;
  int64_t epoch;
  double rate;
  char text[32];
} training;

static inline void open_training(training *run, const char *path) {
  memset(run, 0, sizeof(*run));
  CHECK_OK(smp_program_open(path, &run->program));
  if (!run->program)
    exit(1);
  CHECK_OK(smp_session_create(run->program, NULL, &run->session));
  if (!run->session)
    exit(1);
}
static inline void close_training(training *run) {
  smp_session_destroy(run->session);
  smp_program_destroy(run->program);
}

/* Bytes of a variable; of at most 64. */
static inline size_t size_of(const smp_signature *variable) {
  size_t size = variable->dtype == SMP_U8     ? 1
                : variable->dtype == SMP_BF16 ? 2
                : variable->dtype == SMP_F32  ? 4
                                              : 8; /* f64, i64 */
  size_t i;
  for (i = 0; i < variable->rank; ++i)
    size *= (size_t)variable->shape[i];
  return size;
}

/* Sets each byte of each variable to what follows from `seed`. */
static inline void fill(training *run, int seed) {
  size_t i, k;
  for (i = 0; i < smp_program_variable_count(run->program); ++i) {
    const smp_signature *variable = smp_program_variable(run->program, i);
    unsigned char bytes[64];
    smp_tensor value = SMP_TENSOR_INIT;
    CHECK(size_of(variable) <= sizeof(bytes));
    for (k = 0; k < sizeof(bytes); ++k)
      bytes[k] = (unsigned char)(seed + 7 * i + 3 * k);
    value.name = variable->name;
    value.dtype = variable->dtype;
    value.rank = variable->rank;
    value.shape = variable->shape;
    value.data = bytes;
    CHECK_OK(smp_session_set_variable(run->session, &value));
  }
}
/* All but the constant, which no checkpoint has. */
static inline int is_filled(training *run, int seed) {
  size_t i, k, wrong = 0;
  for (i = 0; i < smp_program_variable_count(run->program); ++i) {
    const smp_signature *variable = smp_program_variable(run->program, i);
    unsigned char bytes[64];
    if (strcmp(variable->name, "table") == 0)
      continue;
    CHECK_OK(smp_session_get_variable(run->session, variable->name, bytes,
                                      size_of(variable)));
    for (k = 0; k < size_of(variable); ++k)
      wrong += bytes[k] != (unsigned char)(seed + 7 * i + 3 * k);
  }
  return wrong == 0;
}

/* A file in the folder of a test; valid until the next call. */
static inline const char *path_of(const char *test, const char *name) {
  static char path[4096];
  snprintf(path, sizeof(path), "%s/%s/%s", folder, test, name);
  return path;
}
static inline int exists(const char *test, const char *name) {
  FILE *file = fopen(path_of(test, name), "rb");
  if (file)
    fclose(file);
  return file != NULL;
}

static inline int ends_with(const char *text, const char *end) {
  size_t size = text ? strlen(text) : 0;
  return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

static inline void give_text(void *user, const void **out_data,
                             size_t *out_size) {
  *out_data = user;
  *out_size = strlen(user);
}
static inline void take_text(void *user, const void *data, size_t size) {
  char *text = user;
  CHECK(data != NULL && size < 32);
  memcpy(text, data, size < 32 ? size : 0);
  text[size < 32 ? size : 0] = 0;
}

/* Of the session alone, in the folder of a test. */
static inline smp_checkpoint_options *options_of(training *run,
                                                 const char *test) {
  smp_checkpoint_options *options = smp_checkpoint_options_create();
  char directory[4096];
  snprintf(directory, sizeof(directory), "%s/%s", folder, test);
  smp_checkpoint_options_set_directory(options, directory);
  smp_checkpoint_options_add_session(options, NULL, run->session);
  return options;
}
/* Destroys the options, which a manager has copied. NULL after an error. */
static inline smp_checkpoint_manager *
manager_of(smp_checkpoint_options *options) {
  smp_checkpoint_manager *manager = NULL;
  CHECK_OK(smp_checkpoint_manager_create(options, &manager));
  smp_checkpoint_options_destroy(options);
  if (!manager)
    exit(1);
  return manager;
}

/* Saves, and compares the end of the path. */
static inline void check_save(smp_checkpoint_manager *manager,
                              const smp_save_options *options, const char *end,
                              int line) {
  const char *path = NULL;
  check_ok(smp_checkpoint_manager_save(manager, options, &path), line);
  if (!path || (*end ? !ends_with(path, end) : *path != 0)) {
    ++failures;
    fprintf(stderr, "line %d: the path is '%s', not '%s'\n", line,
            path ? path : "(none)", end);
  }
}
#define CHECK_SAVE(manager, options, end)                                      \
  check_save(manager, options, end, __LINE__)

/* Reads the arguments of a test. */
static inline int read_arguments(int argc, char **argv) {
  if (argc != 4)
    return 0;
  trained_path = argv[1];
  chain_path = argv[2];
  folder = argv[3];
  return 1;
}

#endif /* SMP_TESTS_UNIT_RUNTIME_CAPITRAININGS_H */
