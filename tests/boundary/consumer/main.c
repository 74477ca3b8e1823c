/* SPDX-License-Identifier: Apache-2.0
 * usage: consumer PROGRAM VERSION: the same as main.cpp, by the C API. */
#include "smp/smp.h"
#include <stdio.h>
#include <string.h>

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
  smp_program_destroy(program);
  printf("consumer: smp %s works in C\n", smp_version_string());
  return 0;
}
