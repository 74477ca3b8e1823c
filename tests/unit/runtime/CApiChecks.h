/* SPDX-License-Identifier: Apache-2.0
 * What tests of the C API check with, in C99. */
#ifndef SMP_TESTS_UNIT_RUNTIME_CAPICHECKS_H
#define SMP_TESTS_UNIT_RUNTIME_CAPICHECKS_H

#include "smp/smp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ++failures;                                                              \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);          \
    }                                                                          \
  } while (0)

/* Takes the error over. */
static inline void check_ok(smp_error *error, int line) {
  if (error) {
    ++failures;
    fprintf(stderr, "line %d: %s\n", line, smp_error_message(error));
    smp_error_destroy(error);
  }
}
#define CHECK_OK(call) check_ok((call), __LINE__)

/* Takes the error over. */
static inline void check_error(smp_error *error, smp_code code,
                               const char *part, int line) {
  if (!error || smp_error_code(error) != code ||
      !strstr(smp_error_message(error), part)) {
    ++failures;
    fprintf(stderr, "line %d: not an error with '%s': %s\n", line, part,
            error ? smp_error_message(error) : "no error");
  }
  smp_error_destroy(error);
}
#define CHECK_ERROR(call, code, part) check_error((call), code, part, __LINE__)

#endif /* SMP_TESTS_UNIT_RUNTIME_CAPICHECKS_H */
