/* SPDX-License-Identifier: Apache-2.0
 * Small kernels that tests of the runtime launch. Sizes that differ from test
 * to test travel in an int64 buffer. */
#include "smp/model/KernelAbi.h"

#define EXPORT __attribute__((visibility("default")))
#define KERNEL(name)                                                           \
  EXPORT void name(const smp_kernel_args *args, uint32_t x, uint32_t y,        \
                   uint32_t z)

/* Tile x: out[16 x ..] = a + b over 16 elements. */
KERNEL(add16) {
  const float *a = args->buffers[0], *b = args->buffers[1];
  float *out = args->buffers[2];
  for (uint32_t i = 16 * x; i < 16 * x + 16; ++i)
    out[i] = a[i] + b[i];
  (void)y, (void)z;
}

/* Tile x: out[16 x ..] = 2 in + 1 over 16 elements. In place is fine. */
KERNEL(twice_plus_one16) {
  const float *in = args->buffers[0];
  float *out = args->buffers[1];
  for (uint32_t i = 16 * x; i < 16 * x + 16; ++i)
    out[i] = 2 * in[i] + 1;
  (void)y, (void)z;
}

/* Grid 3x4x5: counts in out[tile] how often the tile ran. */
KERNEL(count_tiles) {
  int32_t *out = args->buffers[0];
  out[x + 3 * (y + 4 * z)] += 1;
}

KERNEL(nothing) { (void)args, (void)x, (void)y, (void)z; }

/* Tile x: out[x] = table[index[x]], table of 10. */
KERNEL(gather10) {
  const float *table = args->buffers[0];
  const int32_t *index = args->buffers[1];
  float *out = args->buffers[2];
  if (index[x] < 0 || index[x] >= 10) {
    args->fault->index = index[x];
    args->fault->bound = 10;
    args->fault->op = 1;
    args->fault->code = 1;
    return;
  }
  out[x] = table[index[x]];
  (void)y, (void)z;
}

/* Uses 4096 bytes of scratch: out[x] = x when nobody else wrote into it. */
KERNEL(scratch4096) {
  volatile uint32_t *scratch = args->scratch;
  int32_t *out = args->buffers[0];
  for (uint32_t i = 0; i < 1024; ++i)
    scratch[i] = x + i;
  uint32_t bad = ((uintptr_t)scratch & 63) != 0;
  for (uint32_t i = 0; i < 1024; ++i)
    bad |= scratch[i] != x + i;
  out[x] = bad ? -1 : (int32_t)x;
  (void)y, (void)z;
}

/* out[x] = the floating-point control register, without its sticky flags. */
KERNEL(float_control) {
  int32_t *out = args->buffers[0];
  out[x] = (int32_t)(__builtin_ia32_stmxcsr() & ~0x3fu);
  (void)y, (void)z;
}

/* Says 1 in state[0], then waits until somebody writes state[1]. */
KERNEL(block) {
  int32_t *state = args->buffers[0];
  __atomic_store_n(&state[0], 1, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&state[1], __ATOMIC_SEQ_CST))
    __builtin_ia32_pause();
  (void)x, (void)y, (void)z;
}

/* out[0] = sum over 16 of in: order fixed. */
KERNEL(sum16) {
  const float *in = args->buffers[0];
  float *out = args->buffers[1];
  float sum = 0;
  for (uint32_t i = 0; i < 16; ++i)
    sum += in[i];
  out[0] = sum;
  (void)x, (void)y, (void)z;
}

/* out[i] = a[i] / b[i] over 16 elements. */
KERNEL(divide16) {
  const float *a = args->buffers[0], *b = args->buffers[1];
  float *out = args->buffers[2];
  for (uint32_t i = 0; i < 16; ++i)
    out[i] = a[i] / b[i];
  (void)x, (void)y, (void)z;
}

/* Tile x: 64 bytes of any kind, as they are. */
KERNEL(copy64) {
  const uint64_t *in = args->buffers[0];
  uint64_t *out = args->buffers[1];
  for (uint32_t i = 8 * x; i < 8 * x + 8; ++i)
    out[i] = in[i];
  (void)y, (void)z;
}
