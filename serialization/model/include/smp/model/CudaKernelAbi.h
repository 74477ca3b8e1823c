/* SPDX-License-Identifier: Apache-2.0
 * What a CUDA kernel image and the runtime agree on. C, versioned with
 * KernelAbi.h.
 *
 * An image is a PTX text: ISA 8.0, `.target` of its level, 64 bit addresses,
 * one module for several kernels, no `.extern` but dynamic shared memory
 * (`.extern .shared .align 16`). Cubins may lie beside it. A kernel of n
 * buffers is
 *
 *   .visible .entry SYMBOL(
 *       .param .u64 b0, ..., .param .u64 b{n-1},
 *       .param .u64 faults, .param .u64 workspace)
 *
 * The buffers are those of its launch, inputs then outputs, as addresses in
 * global memory, each a multiple of SMP_CUDA_BUFFER_ALIGNMENT. `faults` is 0
 * for a kernel whose variant has no fault records, else the address of as many
 * smp_cuda_fault; `workspace` is 0 or the address of the variant's workspace
 * bytes, a multiple of SMP_CUDA_WORKSPACE_ALIGNMENT, undefined at entry and
 * shared by all blocks of the launch.
 *
 * Blocks of a launch are independent of their order. What they compute does
 * not depend on how many run at once.
 */
#ifndef SMP_MODEL_CUDAKERNELABI_H
#define SMP_MODEL_CUDAKERNELABI_H

#include <stdint.h>

/* What one op of a launch met: the records are in the order of
 * Launch::opNames. Before the launch each is {INT64_MAX, -1}. A kernel that
 * meets an index outside of 0 .. bound - 1 in op k takes the minimum into
 * `index` of record k (atomic, 64 bits, signed), writes `bound`, which is the
 * same for all indices of an op (atomic or relaxed), and goes on as if the
 * element were not there. */
typedef struct smp_cuda_fault {
  int64_t index;
  int64_t bound; /* below 0: no fault */
} smp_cuda_fault;

#define SMP_CUDA_BUFFER_ALIGNMENT 16
#define SMP_CUDA_WORKSPACE_ALIGNMENT 256

/* Bounds that every GPU of sm_80 and later keeps. */
#define SMP_CUDA_MOST_THREADS 1024        /* per block */
#define SMP_CUDA_MOST_CLUSTER 8           /* blocks per cluster */
#define SMP_CUDA_MOST_SHARED_BYTES 232448 /* dynamic, per block: 227 KiB */
#define SMP_CUDA_MOST_BUFFERS 510         /* 4096 bytes of parameters */

#endif /* SMP_MODEL_CUDAKERNELABI_H */
