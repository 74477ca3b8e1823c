/* SPDX-License-Identifier: Apache-2.0
 * Small kernels that tests of the runtime launch, one source for CPUs and GPUs:
 * see Kernel.h. Sizes that differ from test to test travel in an int64
 * buffer. */
#include "Kernel.h"

/* Tile x: out[16 x ..] = a + b over 16 elements. */
KERNEL(add16, 3) {
  GLOBAL const float *a = BUFFER(0), *b = BUFFER(1);
  GLOBAL float *out = BUFFER(2);
  for (uint32_t i = 16 * x; i < 16 * x + 16; ++i)
    out[i] = a[i] + b[i];
}

/* Tile x: out[16 x ..] = 2 in + 1 over 16 elements. In place is fine. */
KERNEL(twice_plus_one16, 2) {
  GLOBAL const float *in = BUFFER(0);
  GLOBAL float *out = BUFFER(1);
  for (uint32_t i = 16 * x; i < 16 * x + 16; ++i)
    out[i] = 2 * in[i] + 1;
}

/* Grid 3x4x5: counts in out[tile] how often the tile ran. */
KERNEL(count_tiles, 1) {
  GLOBAL int32_t *out = BUFFER(0);
  out[x + 3 * (y + 4 * z)] += 1;
}

KERNEL(nothing, 0) {}

/* Tile x: out[x] = table[index[x]], table of 10. */
KERNEL(gather10, 3) {
  GLOBAL const float *table = BUFFER(0);
  GLOBAL const int32_t *index = BUFFER(1);
  GLOBAL float *out = BUFFER(2);
  if (index[x] < 0 || index[x] >= 10)
    FAULT(1, index[x], 10);
  else
    out[x] = table[index[x]];
}

/* Uses 4096 bytes of scratch: out[x] = x when nobody else wrote into it. */
KERNEL(scratch4096, 1) {
  volatile SCRATCH uint32_t *scratch = SCRATCH_MEMORY;
  GLOBAL int32_t *out = BUFFER(0);
  for (uint32_t i = 0; i < 1024; ++i)
    scratch[i] = x + i;
  uint32_t bad = ((uintptr_t)scratch & (SCRATCH_ALIGNMENT - 1)) != 0;
  for (uint32_t i = 0; i < 1024; ++i)
    bad |= scratch[i] != x + i;
  out[x] = bad ? -1 : (int32_t)x;
}

/* out[x] = the floating-point control register, without its sticky flags. */
KERNEL(float_control, 1) {
  GLOBAL int32_t *out = BUFFER(0);
  out[x] = FLOAT_CONTROL();
}

/* Says 1 in state[0], then waits until somebody writes state[1]. */
KERNEL(block, 1) {
  GLOBAL int32_t *state = BUFFER(0);
  __atomic_store_n(&state[0], 1, __ATOMIC_RELAXED);
  while (!__atomic_load_n(&state[1], __ATOMIC_RELAXED))
    PAUSE();
}

/* Counts in state[0] for some time: longer than a short deadline. */
KERNEL(count_long, 1) {
  GLOBAL volatile int32_t *state = BUFFER(0);
  for (int32_t i = 0; i < 4000000; ++i)
    state[0] = i;
}

/* out[0] = sum over 16 of in: order fixed. */
KERNEL(sum16, 2) {
  GLOBAL const float *in = BUFFER(0);
  GLOBAL float *out = BUFFER(1);
  float sum = 0;
  for (uint32_t i = 0; i < 16; ++i)
    sum += in[i];
  out[0] = sum;
}

/* out[i] = a[i] / b[i] over 16 elements. */
KERNEL(divide16, 3) {
  GLOBAL const float *a = BUFFER(0), *b = BUFFER(1);
  GLOBAL float *out = BUFFER(2);
  for (uint32_t i = 0; i < 16; ++i)
    out[i] = a[i] / b[i];
}

/* Tile x: 64 bytes of any kind, as they are. */
KERNEL(copy64, 2) {
  GLOBAL const uint64_t *in = BUFFER(0);
  GLOBAL uint64_t *out = BUFFER(1);
  for (uint32_t i = 8 * x; i < 8 * x + 8; ++i)
    out[i] = in[i];
}

/* Tile 0 writes behind its buffer of 16 bytes: for GPUs whose faults are
 * seen. */
KERNEL(outside, 1) {
  GLOBAL int32_t *out = BUFFER(0);
  out[5 + x] = 1;
}
