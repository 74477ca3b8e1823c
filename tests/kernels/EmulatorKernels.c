// SPDX-License-Identifier: Apache-2.0
// Kernels as a compiler makes them, for tests and measurements of the emulator.
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
#define KERNEL __attribute__((device_kernel))
#define TID(a) __nvvm_read_ptx_sreg_tid_##a()
#define BLOCK(a) __nvvm_read_ptx_sreg_ctaid_##a()
#define SIZE(a) __nvvm_read_ptx_sreg_ntid_##a()

// y = max(a x + b, 0) of n, a thread each.
KERNEL void scaled(const GLOBAL float *x, GLOBAL float *y, long n) {
  int i = BLOCK(x) * SIZE(x) + TID(x);
  if (i < n) {
    float v = x[i] * 3.0f + 1.0f;
    y[i] = v > 0 ? v : 0;
  }
}

// Four elements of each of two inputs per turn of a thread.
typedef float Float4 __attribute__((ext_vector_type(4)));
KERNEL void summed(const GLOBAL Float4 *x, const GLOBAL Float4 *y,
                   GLOBAL Float4 *z, long n) {
  int step = SIZE(x) * __nvvm_read_ptx_sreg_nctaid_x();
  for (int i = BLOCK(x) * SIZE(x) + TID(x); i < n; i += step)
    z[i] = x[i] * y[i] + x[i];
}

// C = A B of n x n, tiles of 16 x 16 through shared memory.
static SHARED float left[16][17], right[16][17];
KERNEL void product(const GLOBAL float *a, const GLOBAL float *b,
                    GLOBAL float *c, long n) {
  int tx = TID(x), ty = TID(y), size = (int)n;
  int row = BLOCK(y) * 16 + ty, column = BLOCK(x) * 16 + tx;
  float sum = 0;
  for (int k = 0; k < size; k += 16) {
    left[ty][tx] = a[row * size + k + tx];
    right[ty][tx] = b[(k + ty) * size + column];
    __nvvm_bar_sync(0);
    for (int i = 0; i < 16; ++i)
      sum = __builtin_fmaf(left[ty][i], right[i][tx], sum);
    __nvvm_bar_sync(0);
  }
  c[row * size + column] = sum;
}

// B = A transposed, n x n, tiles of 32 x 32 by 32 x 8 threads.
static SHARED float tile[32][33];
KERNEL void transposed(const GLOBAL float *a, GLOBAL float *b, long n) {
  int size = (int)n;
  for (int i = TID(y); i < 32; i += 8)
    tile[i][TID(x)] = a[(BLOCK(y) * 32 + i) * size + BLOCK(x) * 32 + TID(x)];
  __nvvm_bar_sync(0);
  for (int i = TID(y); i < 32; i += 8)
    b[(BLOCK(x) * 32 + i) * size + BLOCK(y) * 32 + TID(x)] = tile[TID(x)][i];
}

// The sum of n by 256 threads: in warps by shuffles, over warps in shared
// memory.
static SHARED float partial[8];
KERNEL void total(const GLOBAL float *x, GLOBAL float *sum, long n) {
  float mine = 0;
  for (int i = TID(x); i < n; i += 256)
    mine += x[i];
  for (int by = 16; by; by /= 2)
    mine += __nvvm_shfl_sync_bfly_f32(~0u, mine, by, 31);
  if (TID(x) % 32 == 0)
    partial[TID(x) / 32] = mine;
  __nvvm_bar_sync(0);
  if (TID(x) == 0) {
    for (int i = 1; i < 8; ++i)
      mine += partial[i];
    *sum = mine;
  }
}

// What each of 256 threads finds in a table by a function of its own.
static __attribute__((noinline)) int chosen(int a, int which) {
  switch (which & 7) {
  case 0:
    return a * 3;
  case 1:
    return a / 7;
  case 2:
    return a % 5;
  case 3:
    return a ^ 0x55;
  case 4:
    return __builtin_popcount(a);
  case 5:
    return a << 3;
  default:
    return -a;
  }
}
KERNEL void choices(const GLOBAL int *x, GLOBAL int *y) {
  int t = TID(x), history[8];
  for (int i = 0; i < 8; ++i)
    history[i] = chosen(x[t] + i, t + i);
  int all = 0;
  for (int i = 0; i < (x[t] & 15); ++i)
    all = all * 31 + history[(i + t) & 7];
  y[t] = all;
}

// A histogram of n numbers below 64: in shared memory, then in global memory.
static SHARED int counts[64];
KERNEL void histogram(const GLOBAL int *x, GLOBAL int *bins, long n) {
  if (TID(x) < 64)
    counts[TID(x)] = 0;
  __nvvm_bar_sync(0);
  for (int i = BLOCK(x) * SIZE(x) + TID(x); i < n;
       i += SIZE(x) * __nvvm_read_ptx_sreg_nctaid_x())
    __scoped_atomic_fetch_add(&counts[x[i] & 63], 1, __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_WRKGRP);
  __nvvm_bar_sync(0);
  if (TID(x) < 64)
    __scoped_atomic_fetch_add(&bins[TID(x)], counts[TID(x)], __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
}
