// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A tile of results per block: 2 by 2 of them, the depth in steps of 16 through
// shared memory, what is left of it last. A thread sums 16 results in order of
// depth; each goes through what follows before it is stored.
// CHECK: memref.global "private" @k0_sm_80_shared0 : memref<1040xf32, 3> = uninitialized {alignment = 16 : i64}
// CHECK: memref.global "private" @k0_sm_80_shared1 : memref<1040xf32, 3> = uninitialized {alignment = 16 : i64}
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 256>
// CHECK-SAME: smp.grid = array<i64: 4, 1, 1>
// CHECK: %[[SUMS:.*]]:16 = scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: nvvm.barrier0
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1
// CHECK-COUNT-8: memref.load %{{.*}} : memref<1040xf32, 3>
// CHECK-COUNT-16: llvm.intr.fmuladd
// CHECK: nvvm.barrier0
// CHECK: nvvm.barrier0
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK-COUNT-16: llvm.intr.fmuladd
// CHECK: nvvm.barrier0
// CHECK-COUNT-16: arith.negf
smp.entry @f(%x: tensor<70x37xf32> {smp.name = "x"}, %w: tensor<37x80xf32> {smp.name = "w"}) -> (tensor<70x80xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70x37xf32>, tensor<37x80xf32>) -> tensor<70x80xf32>
  %1 = smp.neg %0 : tensor<70x80xf32>
  smp.return %1 : tensor<70x80xf32>
}
