/* SPDX-License-Identifier: Apache-2.0
 * usage: consumer PROGRAM VERSION: the same as main.cpp, by the C API. */
#include "smp/checkpoint.h"
#include <stdio.h>
#include <string.h>

/* A manager that keeps no checkpoint is refused. */
static int is_refused(void) {
  int64_t epoch = 0;
  smp_checkpoint_manager *manager = NULL;
  smp_checkpoint_options *options = smp_checkpoint_options_create();
  smp_error *error;
  int good;
  smp_checkpoint_options_add_number(options, "epoch", &epoch);
  smp_checkpoint_options_set_max_to_keep(options, 0);
  error = smp_checkpoint_manager_create(options, &manager);
  good = error && !manager && strstr(smp_error_message(error), "got 0.");
  smp_error_destroy(error);
  smp_checkpoint_options_destroy(options);
  return good;
}

int main(int argc, char **argv) {
  smp_program *program = NULL, *nothing = NULL;
  smp_error *error;
  if (argc != 3 || strcmp(smp_version_string(), argv[2]) != 0)
    return 2;
  error = smp_program_open(argv[1], &program);
  if (error || !program) {
    fprintf(stderr, "consumer: %s\n", smp_error_message(error));
    return 1;
  }
  error = smp_program_open("nowhere.smp", &nothing);
  if (!error || nothing || !strstr(smp_error_message(error), "nowhere.smp")) {
    fprintf(stderr, "consumer: nowhere.smp was opened, or not named\n");
    return 1;
  }
  smp_error_destroy(error);
  if (!is_refused()) {
    fprintf(stderr, "consumer: a manager that keeps nothing was made\n");
    return 1;
  }
  smp_program_destroy(program);
  printf("consumer: smp %s works in C\n", smp_version_string());
  return 0;
}
