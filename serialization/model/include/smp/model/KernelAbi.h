/* SPDX-License-Identifier: Apache-2.0
 * What a CPU kernel image and the runtime agree on. C, versioned on its own.
 *
 * An image is an ELF shared object without undefined symbols. Each kernel is
 * one exported function that computes tile (x, y, z) of its launch grid. Tiles
 * of one launch are independent: they may run in any order, on any thread. A
 * kernel allocates nothing, calls nothing and keeps the floating-point control
 * register as it finds it (round to nearest, no flush to zero).
 */
#ifndef SMP_MODEL_KERNELABI_H
#define SMP_MODEL_KERNELABI_H

#include <stdint.h>

#define SMP_KERNEL_ABI_VERSION 1

/* Why a launch failed. A kernel writes it at most once per tile: first `index`
 * and `bound`, then `code`. */
typedef struct smp_kernel_fault {
  int64_t index; /* the index that is out of range */
  int64_t bound; /* it must be in 0 .. bound - 1 */
  int32_t code;  /* 0: none, 1: index out of range */
  int32_t op;    /* which op of the kernel: index into Launch::opNames */
} smp_kernel_fault;

typedef struct smp_kernel_args {
  /* The kernel's tensors, inputs then outputs, row-major, aligned to their
   * element size at least. */
  void *const *buffers;
  /* Scratch memory of this thread, `scratch bytes` of the kernel variant long,
   * aligned to 64 bytes, undefined at entry. */
  void *scratch;
  /* This thread's fault record; cleared before the launch. */
  smp_kernel_fault *fault;
} smp_kernel_args;

typedef void (*smp_kernel_tile)(const smp_kernel_args *args, uint32_t x,
                                uint32_t y, uint32_t z);

#endif /* SMP_MODEL_KERNELABI_H */
