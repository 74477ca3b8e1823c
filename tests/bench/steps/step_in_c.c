/* SPDX-License-Identifier: Apache-2.0
 * usage: step_in_c PROGRAM: the seconds that a step takes, by the C API. */
#define _POSIX_C_SOURCE 200809L
#include "smp/smp.h"
#include <stdio.h>
#include <time.h>

enum { STEPS = 200000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  smp_program *program = NULL;
  smp_session *session = NULL;
  smp_tensor x = SMP_TENSOR_INIT;
  const int64_t shape[1] = {1};
  float one = 1, sum = 0;
  double begin = 0;
  int i;
  if (argc != 2 || smp_program_open(argv[1], &program) ||
      smp_session_create(program, NULL, &session))
    return 2;
  x.name = "x";
  x.dtype = SMP_F32;
  x.rank = 1;
  x.shape = shape;
  x.data = &one;
  for (i = -STEPS / 10; i < STEPS; ++i) {
    if (i == 0)
      begin = now();
    if (smp_session_step(session, "predict", &x, 1, NULL, 0, 0))
      return 1;
    sum += *(const float *)smp_session_find_output(session, "y")->data;
  }
  printf("%.9g\n", (now() - begin) / STEPS);
  smp_session_destroy(session);
  smp_program_destroy(program);
  return sum == STEPS + STEPS / 10 ? 0 : 1;
}
