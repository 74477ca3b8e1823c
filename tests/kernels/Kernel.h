/* SPDX-License-Identifier: Apache-2.0
 * What a kernel's source needs to become a kernel of a CPU image, by
 * KernelAbi.h, or of PTX, by CudaKernelAbi.h, where a tile is a block with one
 * thread at work. Its body sees x, y and z. */
#ifndef SMP_TESTS_KERNELS_KERNEL_H
#define SMP_TESTS_KERNELS_KERNEL_H

#if defined(__NVPTX__)
#include "smp/model/CudaKernelAbi.h"

#define GLOBAL __attribute__((address_space(1)))
#define SCRATCH __attribute__((address_space(3)))

typedef struct {
  uint64_t buffers[3];
  GLOBAL smp_cuda_fault *faults;
} kernel_args;

#define BUFFER(n) ((GLOBAL void *)args->buffers[n])
/* Dynamic shared memory: each block has its own. */
extern SCRATCH uint32_t scratch_memory[] __attribute__((aligned(16)));
#define SCRATCH_MEMORY scratch_memory
#define SCRATCH_ALIGNMENT 16
#define PAUSE()
#define FAULT(op, what, most)                                                  \
  (__atomic_fetch_min(&args->faults[op].index, (int64_t)(what),                \
                      __ATOMIC_RELAXED),                                       \
   __atomic_store_n(&args->faults[op].bound, (int64_t)(most),                  \
                    __ATOMIC_RELAXED))

/* As a CPU's register says it: to nearest, no flush to zero. */
static inline int32_t read_float_control(void) {
  volatile float one = 1, half_ulp = 0x1p-24f, tiny = 0x1p-130f;
  const int nearest = one + half_ulp == 1 && one + 3 * half_ulp == 1 + 0x1p-22f;
  return nearest && tiny / 2 == 0x1p-131f ? 0x1f80 : 0;
}
#define FLOAT_CONTROL() read_float_control()

#define KERNEL_PARAMETERS_0
#define KERNEL_PARAMETERS_1 uint64_t b0,
#define KERNEL_PARAMETERS_2 uint64_t b0, uint64_t b1,
#define KERNEL_PARAMETERS_3 uint64_t b0, uint64_t b1, uint64_t b2,
#define KERNEL_VALUES_0
#define KERNEL_VALUES_1 b0
#define KERNEL_VALUES_2 b0, b1
#define KERNEL_VALUES_3 b0, b1, b2

#define KERNEL(name, n)                                                        \
  static inline void name##_tile(const kernel_args *args, uint32_t x,          \
                                 uint32_t y, uint32_t z);                      \
  __attribute__((nvptx_kernel)) void name(                                     \
      KERNEL_PARAMETERS_##n uint64_t faults, uint64_t workspace) {             \
    const kernel_args args = {{KERNEL_VALUES_##n},                             \
                              (GLOBAL smp_cuda_fault *)faults};                \
    if (__nvvm_read_ptx_sreg_tid_x() == 0)                                     \
      name##_tile(&args, (uint32_t)__nvvm_read_ptx_sreg_ctaid_x(),             \
                  (uint32_t)__nvvm_read_ptx_sreg_ctaid_y(),                    \
                  (uint32_t)__nvvm_read_ptx_sreg_ctaid_z());                   \
  }                                                                            \
  static inline void name##_tile(const kernel_args *args, uint32_t x,          \
                                 uint32_t y, uint32_t z)

#else
#include "smp/model/KernelAbi.h"

#define GLOBAL
#define SCRATCH
#define BUFFER(n) (args->buffers[n])
#define SCRATCH_MEMORY (args->scratch)
#define SCRATCH_ALIGNMENT 64
#define PAUSE() __builtin_ia32_pause()
#define FAULT(number, what, most)                                              \
  (args->fault->index = (what), args->fault->bound = (most),                   \
   args->fault->op = (number), args->fault->code = 1)
#define FLOAT_CONTROL() ((int32_t)(__builtin_ia32_stmxcsr() & ~0x3fu))

#define KERNEL(name, n)                                                        \
  __attribute__((visibility("default"))) void name(                            \
      const smp_kernel_args *args, uint32_t x, uint32_t y, uint32_t z)
#endif

#endif /* SMP_TESTS_KERNELS_KERNEL_H */
