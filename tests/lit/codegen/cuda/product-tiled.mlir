// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A tile of results per block: 3 by 2 of them. The depth comes in steps of 8,
// of which shared memory holds two: the next one is read while one is
// multiplied, and there is one barrier for each. What is left of the depth is
// last. A thread sums 4 by 4 results in order of depth.
// CHECK: memref.global "private" @k0_sm_80_shared0 : memref<576xf32, 3> = uninitialized {alignment = 16 : i64}
// CHECK: memref.global "private" @k0_sm_80_shared1 : memref<576xf32, 3> = uninitialized {alignment = 16 : i64}
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<2590xf32, 1>
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<2368xf32, 1>
// CHECK-SAME: smp.block = array<i32: 64>
// CHECK-SAME: smp.grid = array<i64: 6, 1, 1>
// CHECK: nvvm.barrier0
// CHECK: %[[SUMS:.*]]:16 = scf.for %{{.*}} = %c1 to %c5 step %c1
// Rows of the left operand are no multiples of 16 bytes, those of the right are.
// CHECK: memref.load %[[X]]
// CHECK: vector.load %[[W]]{{.*}} {alignment = 16 : i64} : memref<2368xf32, 1>, vector<4xf32>
// CHECK-COUNT-2: vector.load %{{.*}} {alignment = 16 : i64} : memref<576xf32, 3>, vector<4xf32>
// CHECK-COUNT-128: llvm.intr.fmuladd
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<576xf32, 3>, vector<4xf32>
// CHECK: nvvm.barrier0
// CHECK-NOT: nvvm.barrier0
// CHECK-COUNT-80: llvm.intr.fmuladd
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: arith.negf %{{.*}} : vector<4xf32>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<4480xf32, 1>, vector<4xf32>
smp.entry @f(%x: tensor<70x37xf32> {smp.name = "x"}, %w: tensor<37x64xf32> {smp.name = "w"}) -> (tensor<70x64xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70x37xf32>, tensor<37x64xf32>) -> tensor<70x64xf32>
  %1 = smp.neg %0 : tensor<70x64xf32>
  smp.return %1 : tensor<70x64xf32>
}

// 100 tiles of 128 by 128: a thread sums 8 by 8 results.
// CHECK-LABEL: func.func @k1_sm_80(
// CHECK-SAME: smp.block = array<i32: 256>
// CHECK-SAME: smp.grid = array<i64: 100, 1, 1>
// CHECK: scf.for %{{.*}} = %c1 to %c3 step %c1
// CHECK-COUNT-512: llvm.intr.fmuladd
// CHECK: nvvm.barrier0
smp.entry @great(%x: tensor<1280x24xf32> {smp.name = "x"}, %w: tensor<24x1280xf32> {smp.name = "w"}) -> (tensor<1280x1280xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1280x24xf32>, tensor<24x1280xf32>) -> tensor<1280x1280xf32>
  smp.return %0 : tensor<1280x1280xf32>
}
